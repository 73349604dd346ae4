/** The few things the build does itself, each a Rollup plugin. */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minify } from 'terser'
import { packSources } from './rollup.sources.mjs'

const isVendored = (path) => path.includes('node_modules/')

/**
 * The TypeScript plugin reads all sources anew for every build it is part of; this way only for the first. `close()`
 * when all are done, or its file watchers keep the process.
 */
export const shared = (plugin) => {
  let started = false
  return {
    ...plugin,
    buildStart(options) {
      if (started) return
      started = true
      plugin.buildStart.call(this, options)
    },
    buildEnd: undefined,
    close: () => {
      if (started) plugin.buildEnd.call({ meta: { watchMode: false } })
    },
  }
}

/** Leaves one module outside, under another name. */
export const moduleByName = (module, name) => ({
  name: 'module-by-name',
  resolveId: (id) => (id === module ? { id: name, external: true } : null),
})

/**
 * What libraries bring along and is never used here. The file server's: a database of types (we name the type of every
 * file ourselves), debugging output, times in words, pages for errors, and errors with old interfaces, of which only the
 * status is read. They are five times its own size.
 */
const REPLACED = {
  'mime-types': 'module.exports = { contentType: () => false }',
  debug: 'module.exports = () => () => {}',
  ms: 'module.exports = Number',
  statuses: 'module.exports = { message: {} }',
  'http-errors': `module.exports = (status, from) =>
    Object.assign(from instanceof Error ? from : new Error(String(status)), from, { status })`,
}
const REPLACEMENT = join(import.meta.dirname, 'replaced', '/')

/** YAML is only read. What writes it is reached when something of a collection is a key, which no GameServer has. */
const YAML_WRITER = /\/yaml\/browser\/dist\/stringify\/\w+\.js$/
const NO_WRITER = [
  'stringify',
  'createStringifyContext',
  'stringifyCollection',
  'stringifyComment',
  'stringifyDocument',
  'stringifyNumber',
  'stringifyPair',
  'stringifyString',
  'lineComment',
  'indentComment',
  'foldFlowLines',
  'FOLD_FLOW',
  'FOLD_BLOCK',
  'FOLD_QUOTED',
]
  .map((name) => `export const ${name} = () => { throw new Error('A collection is used as a key') }`)
  .join('\n')

export const withoutUnusedParts = () => ({
  name: 'without-unused-parts',
  resolveId: (id) => (id in REPLACED ? `${REPLACEMENT}${id}.js` : null),
  load: (id) => {
    if (id.startsWith(REPLACEMENT)) return REPLACED[id.slice(REPLACEMENT.length, -'.js'.length)]
    return YAML_WRITER.test(id) ? NO_WRITER : null
  },
})

/** A file under a second name, with the source map of the first. */
export const alsoAs = (fileName) => ({
  name: 'also-as',
  generateBundle(_options, bundle) {
    const [chunk] = Object.values(bundle).filter(({ type }) => type === 'chunk')
    this.emitFile({ type: 'asset', fileName, source: chunk.code })
  },
})

/** What the server weighs is most of an installation. Classes keep their names, which stand in messages. */
export const minifyModules = () => ({
  name: 'minify-modules',
  async renderChunk(source) {
    const { code } = await minify(source, { module: true, ecma: 2020, compress: { passes: 2 }, keep_classnames: true })
    return { code, map: null }
  },
})

export const executable = (fileName) => ({
  name: 'executable',
  writeBundle({ dir }, bundle) {
    if (bundle[fileName]) chmodSync(join(dir, fileName), 0o755)
  },
})

/**
 * The types as CommonJS, and for ES modules one line that leads there: without types of its own kind, TypeScript takes
 * a module for the other kind.
 */
export const typesForBoth = () => ({
  name: 'types-for-both',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.imports?.some((name) => name.startsWith('.') || name in bundle)) {
        throw new Error(`${file.fileName} isn't self-contained`)
      }
      if (/\[Symbol\.(async)?dispose\]/i.test(file.code))
        file.code = `/// <reference lib="esnext.disposable" />\n${file.code}`
      const module = file.fileName.replace('.d.cts', '')
      this.emitFile({ type: 'asset', fileName: `${module}.d.ts`, source: `export * from './${module}.cjs'\n` })
    }
  },
})

/**
 * After the last of `builds` has written: calls `release`, adds the licences of what was bundled and the sources that
 * maps lead to, and removes what an earlier build left behind. Never before, so that whoever uses `dist` meanwhile finds every file.
 */
export const withLastStep = (builds, dir, release) => {
  const written = new Set()
  const libraries = new Set()
  let left = builds.length
  const plugin = {
    name: 'last-step',
    writeBundle(options, bundle) {
      for (const { fileName, moduleIds = [] } of Object.values(bundle)) {
        written.add(join(options.dir ?? dir, fileName))
        for (const id of moduleIds.filter(isVendored)) libraries.add(libraryOf(id))
      }
    },
    closeBundle() {
      left -= 1
      if (left > 0) return
      release()
      const licences = join(dir, 'third-party-licenses.txt')
      writeFileSync(licences, licencesOf([...libraries].sort()))
      for (const source of packSources(dir)) written.add(source)
      removeUnlisted(dir, written.add(licences))
    },
  }
  return builds.map((build) => ({ ...build, plugins: [...build.plugins, plugin] }))
}

/** The folder of the package that a module belongs to. */
const libraryOf = (id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, ''))[0]

/** Each licence with all that are under it, since most differ only in who holds the copyright. */
function licencesOf(folders) {
  const groups = new Map()
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
    const copyrights = text.match(COPYRIGHT) ?? []
    const terms = text
      .replace(COPYRIGHT, '')
      .replace(/^\W*(The )?MIT License\W*$/gim, '')
      .replace(/\s+/g, ' ')
      .trim()
    const holder = [`${name} ${version}, ${license}`, ...copyrights.map((line) => `  ${line.trim()}`)].join('\n')
    const key = terms.replace(/["']/g, '')
    groups.set(key, { terms, holders: [...(groups.get(key)?.holders ?? []), holder] })
  }
  return [...groups.values()].map(({ terms, holders }) => `${holders.join('\n')}\n\n${terms}\n`).join('\n\n')
}

const COPYRIGHT = /^\s*Copyright \(c\).*$/gim

function removeUnlisted(dir, written) {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !written.has(path)) rmSync(path)
  }
}
