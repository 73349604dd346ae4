/** The reference of each entry, made by TypeDoc from the comments in the declarations that are published. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Application } from 'typedoc'
import { entriesOf } from '../../build/api-report.mjs'

/** @returns `[name, Markdown]` for each entry */
export async function readReference(root) {
  const folder = mkdtempSync(join(tmpdir(), 'gameserver-reference-'))
  try {
    const entries = entriesOf(root)
    const tsconfig = join(folder, 'tsconfig.json')
    const compilerOptions = { rootDir: root, typeRoots: [join(root, 'node_modules', '@types')], noEmit: true }
    const files = entries.map(({ types }) => types)
    writeFileSync(
      tsconfig,
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
    )
    const app = await Application.bootstrapWithPlugins({
      plugin: ['typedoc-plugin-markdown'],
      entryPoints: files,
      tsconfig,
      basePath: root,
      readme: 'none',
      router: 'module',
      outputs: [{ name: 'markdown', path: join(folder, 'out') }],
      hidePageHeader: true,
      hideBreadcrumbs: true,
      interfacePropertiesFormat: 'table',
      classPropertiesFormat: 'table',
      typeDeclarationFormat: 'table',
      parametersFormat: 'table',
      groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', '*'],
      useCodeBlocks: true,
      disableSources: true,
      skipErrorChecking: true,
      excludeInternal: true,
      validation: false,
      logLevel: 'Error',
    })
    const project = await app.convert()
    if (!project) throw new Error('TypeDoc reads none of the declarations in dist.')
    // TypeDoc calls them dist and dist/mock.
    for (const module of project.children) module.name = module.name.replace(/^dist(\/|$)/, '') || 'index'
    await app.generateOutputs(project)
    const texts = entries.map(({ entry, name }) => {
      const text = readFileSync(join(folder, 'out', `${name}.md`), 'utf8')
      return [name, text.replace(/^# .*$/m, `# ${entry}`)]
    })
    return texts.map(([name, text]) => [name, mendAnchors(text, name, new Map(texts))])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** TypeDoc counts a name that another entry exports again, and then links to a second heading that is not there. */
const mendAnchors = (text, name, texts) =>
  text.replace(/\(([^()\s]*)#([a-z]+)-1\)/g, (link, file, anchor) => {
    const target = texts.get(file ? file.replace(/^.*\/|\.md$/g, '') : name) ?? ''
    const isTwice = target.match(new RegExp(`^#+ ${anchor}(\\(\\))?$`, 'gim'))?.length > 1
    return isTwice ? link : `(${file}#${anchor})`
  })
