import { existsSync, readFileSync } from 'node:fs'
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import typescript from '@rollup/plugin-typescript'
import dts from 'rollup-plugin-dts'
import { uniformDeclarations } from './rollup.declarations.mjs'
import {
  alsoAs,
  executable,
  minifyModules,
  moduleByName,
  shared,
  typesForBoth,
  withLastStep,
  withoutUnusedParts,
} from './rollup.plugins.mjs'
import { lineMaps, withoutMaps } from './rollup.sources.mjs'

const GLOBAL = 'GameServerSidecar'
const BANNER = '/*! gameserver-sidecar, Apache-2.0; mitt, MIT, (c) Jason Miller */'

/**
 * Every entry of the package; a new one is one line here and one block in package.json `exports`.
 *
 * - `client`: the client for a page and for Node, which share all but a few lines.
 * - `page`: other code a page or engine loads. One self-contained file.
 * - `script`: the client as one file for a script element.
 * - `adapter`: code for one engine, which takes the client from the package's main entry, or as a script from its global.
 * - `server`: code for Node. All of them together, with shared and lazily loaded chunks; held once, as ES modules.
 * - `require`: a few lines for `require()` that load a `server` entry when it is first used.
 * - `types`: the file whose types are published under this name; `true` is the source itself.
 */
const entries = [
  { name: 'index', source: 'src/index.node.ts', kind: 'client', formats: ['es', 'cjs'], types: 'src/index.ts' },
  { name: 'index.web', source: 'src/index.ts', kind: 'client', formats: ['es'] },
  { name: 'gameserver-sidecar', source: 'src/index.ts', kind: 'script' },
  { name: 'frames', source: 'src/frames/index.ts', kind: 'page', formats: ['es', 'cjs'], types: true },
  { name: 'phaser', source: 'src/adapters/phaser.ts', kind: 'adapter', formats: ['es', 'cjs'], types: true },
  { name: 'gameserver-sidecar.phaser', source: 'src/adapters/phaser.script.ts', kind: 'adapter-script' },
  { name: 'cocos', source: 'src/adapters/cocos.ts', kind: 'adapter', formats: ['es', 'cjs'], types: true },
  { name: 'playcanvas', source: 'src/adapters/playcanvas.ts', kind: 'adapter', formats: ['es', 'cjs'], types: true },
  { name: 'babylon', source: 'src/adapters/babylon.ts', kind: 'adapter', formats: ['es', 'cjs'], types: true },
  { name: 'node', source: 'src/node/index.ts', kind: 'server', types: true },
  { name: 'node', source: 'src/node/require.ts', kind: 'require' },
  { name: 'vite', source: 'src/vite/index.ts', kind: 'server', types: true },
  { name: 'vite', source: 'src/vite/require.ts', kind: 'require' },
  { name: 'cli', source: 'src/cli/bin.ts', kind: 'server' },
]

/** What an installation brings along anyway; everything else that server code needs is bundled. */
const dependencies = ['mitt', 'isomorphic-ws', 'ws']

const chosen = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).devDependencies)

/** While an entry is still being written: `BUILD_PARTIAL=1 npm run build` leaves it out and says so. */
const present = entries.filter(({ name, source }) => {
  if (existsSync(source)) return true
  if (process.env.BUILD_PARTIAL !== '1') throw new Error(`The entry ${name} has no source: ${source}`)
  console.warn(`Not built, because its source is missing: ${name} (${source})`)
  return false
})
const ofKind = (kind) => present.filter((entry) => entry.kind === kind)

/** One compiler a target: scripts, modules, and the server, whose sources aren't packed and so need no maps. */
const compilers = Object.fromEntries(
  ['ES2017', 'ES2020', 'ES2022'].map((target) => [
    target,
    shared(
      typescript({
        tsconfig: './tsconfig.build.json',
        // Nothing is checked here, so the smallest library does.
        compilerOptions: { target, sourceMap: target !== 'ES2022', removeComments: true, lib: ['ES5'], types: [] },
        transformers: target === 'ES2022' ? {} : { after: [uniformDeclarations] },
      }),
    ),
  ]),
)
const compile = (target) => compilers[target]

/** Types are checked by `npm run typecheck`; here a warning about our own code means that the output is wrong. */
const onwarn = (warning) => {
  const about = warning.ids ?? [warning.id ?? '']
  if (about.every((id) => id.includes('node_modules/'))) return
  throw new Error(`${warning.code}: ${warning.message}`)
}

const isPackage = (id) => !/^(\.|\/|src\/)/.test(id)
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

const inputs = (group) => Object.fromEntries(group.map(({ name, source }) => [name, source]))

/**
 * As ES modules, with mitt inside, so that a page can import them as they are. Minified, because an application's own
 * bundler can't know that a member with an underscore is ours to rename; the source map leads to the sources.
 */
const clientForImport = (group) => ({
  input: inputs(group),
  external: isExternalTo(['mitt']),
  plugins: [compile('ES2020'), resolve({ browser: true }), lineMaps()],
  output: { ...files('es'), banner: BANNER, chunkFileNames: 'chunks/client.js', plugins: [minify()] },
  onwarn,
})

/** Minified, because nobody reads one more copy; the source map leads to the sources. */
const clientForRequire = (group) => ({
  input: inputs(group.filter(({ formats }) => formats.includes('cjs'))),
  external: isExternalTo([]),
  plugins: [compile('ES2020'), lineMaps()],
  output: { ...files('cjs'), plugins: [minify()] },
  onwarn,
})

const page = ({ name, source, formats }) => ({
  input: { [name]: source },
  plugins: [compile('ES2020'), lineMaps()],
  output: formats.map((format) => ({ ...files(format), plugins: [minify()] })),
  onwarn,
})

/** An adapter's client is the application's own: the module that its other imports of the package lead to. */
const clientByName = () => moduleByName('../index.js', 'gameserver-sidecar')

/** Readable as it is, and so without source maps: applications adapt these. */
const adapter = ({ name, source, formats }) => ({
  input: { [name]: source },
  plugins: [clientByName(), compile('ES2020'), withoutMaps()],
  output: formats.map(files),
  onwarn,
})

/** Makes its own global, since Phaser's loader wants that to be a class and not a namespace. */
const adapterScript = ({ name, source }) => ({
  input: source,
  plugins: [compile('ES2017'), lineMaps()],
  output: { file: `dist/${name}.js`, format: 'iife', exports: 'none', sourcemap: true, plugins: [minify()] },
  onwarn,
})

const server = (group) => ({
  input: inputs(group),
  external: isExternalTo([]),
  plugins: [
    compile('ES2022'),
    withoutUnusedParts(),
    resolve({ preferBuiltins: true }),
    commonjs(),
    json({ preferConst: true, namedExports: true }),
    minifyModules(),
    executable('cli.js'),
  ],
  output: { ...files('es'), manualChunks: vendorChunk, sourcemap: false },
  onwarn,
})

const forRequire = ({ name, source }) => ({
  input: { [name]: source },
  external: isPackage,
  treeshake: { moduleSideEffects: false },
  plugins: [moduleByName('./index.js', `./${name}.js`), compile('ES2022')],
  output: { ...files('cjs'), sourcemap: false },
  onwarn,
})

/**
 * One chunk a library that we chose, with what that brings along, so that what only one command needs isn't read by the
 * others.
 */
function vendorChunk(id) {
  const name = /node_modules\/([^/]+)\/(?!.*node_modules\/)/.exec(id)?.[1]
  return chosen.includes(name) ? `vendor-${name}` : undefined
}

const minify = () =>
  terser({
    ecma: 2017,
    maxWorkers: 1,
    compress: { passes: 3, ecma: 2017, unsafe_arrows: true, pure_getters: true },
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

const script = ({ name, source }) => ({
  input: source,
  external: isExternalTo(['mitt']),
  plugins: [compile('ES2017'), resolve({ browser: true }), lineMaps()],
  output: [
    { file: `dist/${name}.umd.min.js`, format: 'umd', plugins: [minify(), alsoAs(`${name}.umd.js`)] },
    { file: `dist/${name}.iife.js`, format: 'iife', footer: SET_GLOBAL, plugins: [minify()] },
  ].map((output) => ({ ...output, name: GLOBAL, exports: 'named', banner: BANNER, sourcemap: true })),
  onwarn,
})

const types = ({ name, source, kind, types: from }) => ({
  input: { [name]: from === true ? source : from },
  external: isPackage,
  plugins: [
    ...(kind === 'adapter' ? [clientByName()] : []),
    ...(name === 'vite' ? [moduleByName('../node/gateway/gateway-options.js', 'gameserver-sidecar/node')] : []),
    dts({ tsconfig: './tsconfig.build.json' }),
    typesForBoth(),
  ],
  output: { dir: 'dist', format: 'es', entryFileNames: '[name].d.cts' },
  onwarn,
})

const builds = [
  clientForImport(ofKind('client')),
  clientForRequire(ofKind('client')),
  ...ofKind('page').map(page),
  ...ofKind('script').map(script),
  ...ofKind('adapter').map(adapter),
  ...ofKind('adapter-script').map(adapterScript),
  server(ofKind('server')),
  ...ofKind('require').map(forRequire),
  ...present.filter((entry) => entry.types).map(types),
].filter(({ input }) => typeof input === 'string' || Object.keys(input).length > 0)

export default withLastStep(builds, 'dist', () => Object.values(compilers).forEach(({ close }) => close()))
