import { existsSync } from 'node:fs'
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import typescript from '@rollup/plugin-typescript'
import dts from 'rollup-plugin-dts'
import { copyTypesForRequire, executable, minifyVendorChunks, shared, slimMaps, withLastStep } from './rollup.plugins.mjs'

const GLOBAL = 'GameServerSidecar'
const BANNER = '/*! gameserver-sidecar, Apache-2.0. Contains mitt, MIT, (c) Jason Miller */'

/**
 * Every entry of the package; a new one is one line here and one block in package.json `exports`.
 *
 * - `page`: code a page or engine loads. One self-contained file; `bundle` lists what goes into it.
 * - `adapter`: code for one engine, which takes the client from the package's main entry, or as a script from its global.
 * - `server`: code for Node. All of them together, with shared and lazily loaded chunks.
 * - `types`: the file whose types are published under this name; `true` is the source itself.
 */
const entries = [
  { name: 'index', source: 'src/index.node.ts', kind: 'page', formats: ['es', 'cjs'], types: 'src/index.ts' },
  { name: 'index.web', source: 'src/index.ts', kind: 'page', formats: ['es'], bundle: ['mitt'] },
  { name: 'gameserver-sidecar', source: 'src/index.ts', kind: 'script', bundle: ['mitt'] },
  { name: 'frames', source: 'src/frames/index.ts', kind: 'page', formats: ['es', 'cjs'], types: true },
  { name: 'phaser', source: 'src/adapters/phaser.ts', kind: 'adapter', formats: ['es', 'cjs'], types: true },
  { name: 'gameserver-sidecar.phaser', source: 'src/adapters/phaser.script.ts', kind: 'adapter-script' },
  { name: 'cocos', source: 'src/adapters/cocos.ts', kind: 'adapter', formats: ['es', 'cjs'], types: true },
  { name: 'playcanvas', source: 'src/adapters/playcanvas.ts', kind: 'adapter', formats: ['es', 'cjs'], types: true },
  { name: 'babylon', source: 'src/adapters/babylon.ts', kind: 'adapter', formats: ['es', 'cjs'], types: true },
  { name: 'node', source: 'src/node/index.ts', kind: 'server', formats: ['es', 'cjs'], types: true },
  { name: 'cli', source: 'src/cli/bin.ts', kind: 'server', formats: ['es'] },
]

/** What an installation brings along anyway; everything else that server code needs is bundled. */
const dependencies = ['mitt', 'isomorphic-ws', 'ws']

/** While an entry is still being written: `BUILD_PARTIAL=1 npm run build` leaves it out and says so. */
const present = entries.filter(({ name, source }) => {
  if (existsSync(source)) return true
  if (process.env.BUILD_PARTIAL !== '1') throw new Error(`The entry ${name} has no source: ${source}`)
  console.warn(`Not built, because its source is missing: ${name} (${source})`)
  return false
})
const ofKind = (kind) => present.filter((entry) => entry.kind === kind)

/** One compiler a target. Nothing is checked here, so the smallest library does. */
const compilers = new Map(['ES2017', 'ES2020', 'ES2022'].map((target) => [target, shared(typescript({
  tsconfig: './tsconfig.build.json',
  compilerOptions: { target, sourceMap: true, inlineSources: true, lib: ['ES5'], types: [] },
}))]))
const compile = (target) => compilers.get(target)

/** Types are checked by `npm run typecheck`; here a warning about our own code means that the output is wrong. */
const onwarn = (warning) => {
  const about = warning.ids ?? [warning.id ?? '']
  if (about.every((id) => id.includes('node_modules/'))) return
  throw new Error(`${warning.code}: ${warning.message}`)
}

const isExternalTo = (bundled) => (id) =>
  id.startsWith('node:') || dependencies.some((name) => id === name && !bundled.includes(name))

const files = (format) => {
  const extension = format === 'cjs' ? 'cjs' : 'js'
  return {
    dir: 'dist',
    format,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `chunks/[name].${extension}`,
    sourcemap: true,
    exports: 'named',
    generatedCode: 'es2015',
    interop: 'auto',
  }
}

const page = ({ name, source, formats, bundle = [] }) => ({
  input: { [name]: source },
  external: isExternalTo(bundle),
  plugins: [compile('ES2020'), resolve({ browser: true }), slimMaps()],
  output: formats.map((format) => ({
    ...files(format),
    ...(bundle.length > 0 && { banner: BANNER }),
    inlineDynamicImports: true,
  })),
  onwarn,
})

/** An adapter's client is the application's own: the module that its other imports of the package lead to. */
const clientByName = () => ({
  name: 'client-by-name',
  resolveId: (id) => id === '../index.js' ? { id: 'gameserver-sidecar', external: true } : null,
})

const adapter = ({ name, source, formats }) => ({
  input: { [name]: source },
  plugins: [clientByName(), compile('ES2020'), slimMaps()],
  output: formats.map(files),
  onwarn,
})

/** Makes its own global, since Phaser's loader wants that to be a class and not a namespace. */
const adapterScript = ({ name, source }) => ({
  input: source,
  plugins: [compile('ES2017'), slimMaps()],
  output: ['', '.min'].map((suffix) => ({
    file: `dist/${name}${suffix}.js`,
    format: 'iife',
    exports: 'none',
    sourcemap: true,
    plugins: suffix === '' ? [] : [minify()],
  })),
  onwarn,
})

const server = (group) => group.length === 0 ? [] : ['es', 'cjs'].map((format) => ({
  input: Object.fromEntries(
    group.filter(({ formats }) => formats.includes(format)).map(({ name, source }) => [name, source]),
  ),
  external: isExternalTo([]),
  plugins: [
    compile('ES2022'),
    resolve({ preferBuiltins: true }),
    commonjs(),
    json({ preferConst: true, namedExports: true }),
    minifyVendorChunks(),
    slimMaps(),
    executable('cli.js'),
  ],
  output: { ...files(format), manualChunks: vendorChunk },
  onwarn,
})).filter(({ input }) => Object.keys(input).length > 0)

/** One chunk a library, so that what only one command needs isn't read by the others. */
function vendorChunk(id) {
  const name = /node_modules\/([^/]+)\/(?!.*node_modules\/)/.exec(id)?.[1]
  return name === undefined || name.startsWith('.') ? undefined : `vendor-${name}`
}

const minify = () => terser({
  ecma: 2017,
  maxWorkers: 1,
  compress: { passes: 3, ecma: 2017, unsafe_arrows: true },
  // Members that are ours alone begin with an underscore; names on the wire never do, or are quoted.
  mangle: { properties: { regex: /^_/, keep_quoted: true } },
  format: { comments: /^!/ },
})

/**
 * `var` makes a global only at a script's top level, not in a wrapper function (Cocos' plugin scripts), and
 * UMD makes none where CommonJS or AMD is present: so the IIFE also assigns it, wherever the global object is.
 */
const SET_GLOBAL = `(function (root) { if (root) root.${GLOBAL} = ${GLOBAL} })(
  typeof globalThis === 'object' ? globalThis : typeof self === 'object' ? self :
    typeof window === 'object' ? window : typeof global === 'object' ? global : this);`

const script = ({ name, source, bundle }) => ({
  input: source,
  external: isExternalTo(bundle),
  plugins: [compile('ES2017'), resolve({ browser: true }), slimMaps()],
  output: ['umd', 'iife'].flatMap((format) => ['', '.min'].map((suffix) => ({
    file: `dist/${name}.${format}${suffix}.js`,
    format,
    name: GLOBAL,
    exports: 'named',
    banner: BANNER,
    footer: format === 'iife' ? SET_GLOBAL : '',
    sourcemap: true,
    plugins: suffix === '' ? [] : [minify()],
  }))),
  onwarn,
})

const types = ({ name, source, kind, types: from, formats }) => ({
  input: { [name]: from === true ? source : from },
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('src/'),
  plugins: [
    ...(kind === 'adapter' ? [clientByName()] : []),
    dts({ tsconfig: './tsconfig.build.json' }),
    copyTypesForRequire(formats),
  ],
  output: { dir: 'dist', format: 'es', entryFileNames: '[name].d.ts' },
  onwarn,
})

const builds = [
  ...ofKind('page').map(page),
  ...ofKind('script').map(script),
  ...ofKind('adapter').map(adapter),
  ...ofKind('adapter-script').map(adapterScript),
  ...server(ofKind('server')),
  ...present.filter((entry) => entry.types).map(types),
]

export default withLastStep(builds, 'dist', () => compilers.forEach(({ close }) => close()))
