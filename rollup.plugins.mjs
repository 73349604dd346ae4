/** The few things the build does itself, each a Rollup plugin. */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { minify } from 'terser'

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
    close: () => { if (started) plugin.buildEnd.call({ meta: { watchMode: false } }) },
  }
}

/**
 * Source maps that lead to the line, not to the column: a fifth of the bytes. The sources themselves are packed once,
 * beside `dist`, instead of in each map.
 */
export const lineMaps = () => ({
  name: 'line-maps',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.map')) continue
      const map = JSON.parse(file.source)
      const mappings = encode(decode(map.mappings).map(firstOfEachLine))
      file.source = JSON.stringify({ ...map, names: [], sourcesContent: undefined, mappings })
    }
  },
})

const firstOfEachLine = (segments) => segments
  .filter((segment) => segment.length > 1)
  .filter(([, source, line], i, all) => i === 0 || all[i - 1][1] !== source || all[i - 1][2] !== line)
  .map((segment) => segment.slice(0, 4))

/** Leaves one module outside, under another name. */
export const moduleByName = (module, name) => ({
  name: 'module-by-name',
  resolveId: (id) => id === module ? { id: name, external: true } : null,
})

/**
 * What libraries bring along and is never used here. The file server's: a database of types (we name the type of every
 * file ourselves), debugging output, and errors with old interfaces, of which only the status is read. They are five
 * times its own size.
 */
const REPLACED = {
  'mime-types': 'module.exports = { contentType: () => false }',
  debug: 'module.exports = () => () => {}',
  'http-errors': `module.exports = (status, from) =>
    Object.assign(from instanceof Error ? from : new Error(String(status)), from, { status })`,
}
const REPLACEMENT = join(import.meta.dirname, 'replaced', '/')

/** YAML is only read. What writes it is reached when something of a collection is a key, which no GameServer has. */
const YAML_WRITER = /\/yaml\/browser\/dist\/stringify\/\w+\.js$/
const NO_WRITER = ['stringify', 'createStringifyContext', 'stringifyCollection', 'stringifyComment', 'stringifyDocument',
  'stringifyNumber', 'stringifyPair', 'stringifyString', 'lineComment', 'indentComment', 'foldFlowLines', 'FOLD_FLOW',
  'FOLD_BLOCK', 'FOLD_QUOTED']
  .map((name) => `export const ${name} = () => { throw new Error('A collection is used as a key') }`).join('\n')

export const withoutUnusedParts = () => ({
  name: 'without-unused-parts',
  resolveId: (id) => id in REPLACED ? `${REPLACEMENT}${id}.js` : null,
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

/** What the server weighs would be most of an installation. Its names stay, for messages and stack traces. */
export const minifyModules = () => ({
  name: 'minify-modules',
  async renderChunk(source, { moduleIds }) {
    const ours = !moduleIds.some(isVendored)
    const { code } = await minify(source, {
      module: true,
      ecma: 2020,
      compress: true,
      keep_classnames: true,
      keep_fnames: ours,
    })
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
      if (/\[Symbol\.(async)?dispose\]/i.test(file.code)) file.code = `/// <reference lib="esnext.disposable" />\n${file.code}`
      const module = file.fileName.replace('.d.cts', '')
      this.emitFile({ type: 'asset', fileName: `${module}.d.ts`, source: `export * from './${module}.cjs'\n` })
    }
  },
})

/**
 * After the last of `builds` has written: calls `release`, adds the licences of what was bundled, and removes what an
 * earlier build left behind. Never before, so that whoever uses `dist` meanwhile finds every file.
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
    const terms = text.replace(COPYRIGHT, '').replace(/^\W*(The )?MIT License\W*$/gim, '').replace(/\s+/g, ' ').trim()
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
