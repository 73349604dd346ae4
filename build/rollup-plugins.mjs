/** The few things that the build does itself, each a Rollup plugin. */
import { readFileSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { minifySync } from 'vite'

/**
 * Leaves modules outside the bundle, and imports them by another name. `names` has their paths in `src`. Every other
 * module is the file that its import names, so nobody needs to look for it.
 */
const leadingTo = (names) => ({
  name: 'by-name',
  resolveId(id, importer) {
    if (!importer || !/^\.\.?\/.*\.js$/.test(id) || importer.includes('node_modules')) return null
    const path = resolve(dirname(importer), id)
    const place = path.replace(/^.*\/(src|\.compiled|\.for-pages)\//, '').replace(/\.js$/, '')
    if (Object.hasOwn(names, place)) return { id: names[place], external: true }
    return importer.endsWith('.ts') ? null : { id: path, moduleSideEffects: false }
  },
})

/** An adapter's client is the application's own: the module that its other imports of the package lead to. */
export const byName = leadingTo({
  index: 'gameserver-sidecar',
  'index.node': 'gameserver-sidecar',
  'players/index': 'gameserver-sidecar/players',
})

/** Lets a compiled module import what isn't compiled, such as a page, from beside its source. */
export const sourcesOf = (compiled) => ({
  name: 'sources',
  resolveId(id, importer) {
    if (!id.includes('?') || !importer) return null
    return this.resolve(id, resolve('src', relative(compiled, importer)))
  },
})

/** Puts files beside the bundle as they are. */
export const copies = (...paths) => ({
  name: 'copies',
  generateBundle() {
    for (const path of paths) {
      this.emitFile({ type: 'asset', fileName: basename(path), source: readFileSync(path) })
    }
  },
})

/** Without comments. A library's code is minified, since nobody reads it in a stack trace. */
export const readable = () => ({
  name: 'readable',
  renderChunk: (source, { name }) => minify(source, name.startsWith('vendor-') ? LIBRARY : READABLE),
})

export const minified = () => ({ name: 'minified', renderChunk: (source) => minify(source, SCRIPT) })

/** Readable, and beside it the minified form, with a source map that leads to the lines of the readable one. */
export const readableAndMinified = (fileName) => ({
  ...readable(),
  generateBundle(_options, bundle) {
    const [{ fileName: source, code: text }] = Object.values(bundle)
    const { code, map } = minifySync(source, text, { ...SCRIPT, sourcemap: true })
    this.emitFile({ type: 'asset', fileName, source: `${code}\n//# sourceMappingURL=${fileName}.map` })
    this.emitFile({ type: 'asset', fileName: `${fileName}.map`, source: mapLines(map) })
  },
})

const READABLE = { compress: false, mangle: false, codegen: { removeWhitespace: false } }
const LIBRARY = { module: true }
const SCRIPT = { module: false, compress: { target: 'es2017' }, mangle: { toplevel: false } }

const minify = (source, options) => ({ code: minifySync('chunk.js', source, options).code, map: null })

/** Leads to the line of the source and not to its column, and has a third of the size. */
const mapLines = ({ version, sources, mappings }) =>
  JSON.stringify({ version, sources, names: [], mappings: encode(decode(mappings).map(firstOfEachLine)) })

const firstOfEachLine = (segments) =>
  segments
    .filter((segment) => segment.length > 1)
    .filter(([, source, line], i, all) => i === 0 || all[i - 1][1] !== source || all[i - 1][2] !== line)
    .map((segment) => segment.slice(0, 4))

/**
 * Assigns a script's global to the global object itself: `var` makes one only at a script's top level, and not in the
 * function that Cocos wraps around a plugin script. `loaders` also gives it to a module loader. CommonJS leaks into the
 * pages of NW.js and Electron, so the global comes first.
 */
export const globals = (name, loaders) => `globalThis.${name} = ${name};${loaders ? giveToLoader(name) : ''}`

const giveToLoader = (name) => `
  if (typeof module === 'object' && module && module.exports) module.exports = ${name}
  else if (typeof define === 'function' && define.amd) define(function () { return ${name} });`
