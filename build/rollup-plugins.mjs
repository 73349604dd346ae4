/** The few things that the build does itself, each a Rollup plugin. */
import { readFileSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { transform } from 'esbuild'
import { minify } from 'terser'

/** Leaves modules outside the bundle, and imports them by another name. `names` has their paths in any of the folders. */
export const byName = (folders, names) => ({
  name: 'by-name',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.')) return null
    const path = resolve(dirname(importer), id).replace(/\.js$/, '')
    const [, name] =
      Object.entries(names).find(([name]) => folders.some((folder) => resolve(folder, name) === path)) ?? []
    return name ? { id: name, external: true } : null
  },
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

/** Without comments; code of libraries is minified, since nobody reads it in a stack trace. */
export const readable = () => ({
  name: 'readable',
  async renderChunk(source, { name }) {
    const { code } = name.startsWith('vendor-') ? await minify(source, MINIFIED) : await print(source)
    return { code, map: null }
  },
})

const print = (source) => transform(source, { charset: 'utf8', target: 'esnext' })

const MINIFIED = { module: true, ecma: 2020, compress: { passes: 2 } }

/** A script for a page. */
const SCRIPT = { ecma: 2017, compress: { passes: 3 }, format: { comments: /^!/ } }

export const minified = () => ({
  name: 'minified',
  async renderChunk(source) {
    const { code } = await minify(source, SCRIPT)
    return { code, map: null }
  },
})

/** Readable, and beside it the minified form, with a source map that leads to the lines of the readable one. */
export const readableAndMinified = (fileName) => ({
  name: 'readable-and-minified',
  async renderChunk(source) {
    const { code } = await print(source)
    return { code, map: null }
  },
  async generateBundle(_options, bundle) {
    const [readable] = Object.values(bundle)
    const sourceMap = { filename: fileName, url: `${fileName}.map` }
    const { code, map } = await minify({ [readable.fileName]: readable.code }, { ...SCRIPT, sourceMap })
    this.emitFile({ type: 'asset', fileName, source: code })
    this.emitFile({ type: 'asset', fileName: `${fileName}.map`, source: mapLines(map) })
  },
})

/** Leads to the line of the source and not to its column, and has a third of the size. */
const mapLines = (source) => {
  const map = JSON.parse(source)
  return JSON.stringify({ ...map, names: [], mappings: encode(decode(map.mappings).map(firstOfEachLine)) })
}

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
export const globals = (name, loaders) => `(function (root) { if (root) root.${name} = ${name} })(
  typeof globalThis === 'object' ? globalThis : typeof self === 'object' ? self :
    typeof window === 'object' ? window : typeof global === 'object' ? global : this);${loaders ? giveToLoader(name) : ''}`

const giveToLoader = (name) => `
  if (typeof module === 'object' && module && module.exports) module.exports = ${name}
  else if (typeof define === 'function' && define.amd) define(function () { return ${name} });`
