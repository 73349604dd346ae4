/** The few things that the build does itself, each a Rollup plugin. */
import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { minify } from 'terser'

/** Leaves one module outside the bundle, and imports it by another name. */
export const moduleByName = (module, name) => ({
  name: 'module-by-name',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.')) return null
    // The place in `src`, or in the folder with its declarations.
    const place = resolve(dirname(importer), id)
      .replace(/^.*\/(src|\.types)\//, '')
      .replace(/\.js$/, '')
    return place === module ? { id: name, external: true } : null
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

/**
 * Takes out of our own code what nobody needs in a stack trace: indentation and the names of variables. Functions keep
 * their names, and each statement its line. Lines end early where they can, since Node prints the whole line that throws.
 * The chunks of bundled libraries are minified as far as it goes.
 */
export const compact = () => ({
  name: 'compact',
  async renderChunk(source, chunk) {
    const isVendor = chunk.name.startsWith('vendor-')
    const { code } = await minify(source, isVendor ? MINIFIED : compactly(namesOfFunctions(this.parse(source))))
    return { code, map: null }
  },
})

const MINIFIED = { module: true, ecma: 2020, compress: { passes: 2 } }

/** @param functions top-level names that stack traces must keep */
const compactly = (functions) => ({
  ecma: 2020,
  parse: { module: true },
  compress: false,
  mangle: {
    keep_fnames: true,
    keep_classnames: true,
    toplevel: true,
    reserved: functions,
  },
  format: FORMAT,
})

const FORMAT = {
  semicolons: false,
  max_line_len: 160,
  preserve_annotations: true,
  comments: /^!|@vite-ignore|webpackIgnore/,
}

/** The names of functions such as `const name = () => …`; Terser already keeps the names of declarations. */
const namesOfFunctions = ({ body }) =>
  body
    .flatMap((statement) => (statement.type === 'VariableDeclaration' ? statement.declarations : []))
    .filter(({ init }) => init && FUNCTIONS.includes(init.type))
    .map(({ id }) => id.name)
const FUNCTIONS = ['ArrowFunctionExpression', 'FunctionExpression', 'ClassExpression']

/** Declarations that name `Symbol.dispose` bring the library that has it. */
export const typesOfDisposables = () => ({
  name: 'types-of-disposables',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (/\[Symbol\.(async)?dispose\]/i.test(file.code)) {
        file.code = `/// <reference lib="esnext.disposable" />\n${file.code}`
      }
    }
  },
})

/**
 * Rollup has made `name.d.cts`; this adds `name.d.ts`, which leads there. TypeScript takes a module for CommonJS or ESM
 * by the extension of its types, so each needs a file of its own.
 */
export const typesForBoth = () => ({
  name: 'types-for-both',
  generateBundle(_options, bundle) {
    for (const { fileName } of Object.values(bundle)) {
      const module = fileName.replace('.d.cts', '')
      this.emitFile({ type: 'asset', fileName: `${module}.d.ts`, source: `export * from './${module}.cjs'\n` })
    }
  },
})

/**
 * Of a script that is to be minified: without comments and indentation, and with all of its names. Beside it its minified
 * form, with a source map that leads to the lines of the readable one.
 */
export const readableAndMinified = (fileName, options) => ({
  name: 'readable-and-minified',
  async renderChunk(source) {
    const { code } = await minify(source, { ecma: 2017, compress: false, mangle: false, format: FORMAT })
    return { code, map: null }
  },
  async generateBundle(_options, bundle) {
    const [readable] = Object.values(bundle)
    const sourceMap = { filename: fileName, url: `${fileName}.map` }
    const { code, map } = await minify({ [readable.fileName]: readable.code }, { ...options, sourceMap })
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
 * The text of `third-party-licenses.txt`: what is bundled, a package URL a line, which audits and scanners read, since an
 * audit of an installation doesn't see inside the bundles; then each licence once, with all libraries that are under it.
 */
export const licenseText = (libraries) => {
  const bundled = libraries.map(({ name, version }) => `pkg:npm/${name}@${version}`).sort()
  const groups = new Map()
  for (const { name, version, license, licenseText: text = '' } of libraries) {
    const copyrights = text.match(COPYRIGHT)?.map((line) => `  ${line.trim()}`) ?? []
    const terms = text.replace(COPYRIGHT, '').replace(TITLE, '').replace(/\s+/g, ' ').trim()
    groups.set(terms, [...(groups.get(terms) ?? []), `${name} ${version}, ${license}`, ...copyrights])
  }
  const terms = [...groups].map(([text, lines]) => `${lines.join('\n')}\n\n${text}\n`)
  return [`Bundled into this package:\n\n${bundled.join('\n')}\n`, ...terms].join('\n\n')
}

const COPYRIGHT = /^\s*Copyright \(c\).*$/gim
const TITLE = /^\W*(The )?MIT License\W*$/gim
