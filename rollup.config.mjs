import { execFileSync } from 'node:child_process'
import alias from '@rollup/plugin-alias'
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import dts from 'rollup-plugin-dts'
import esbuild from 'rollup-plugin-esbuild'
import license from 'rollup-plugin-license'
import { inlinePage } from './build/inline-page.mjs'
import { inlineScript } from './build/inline-script.mjs'
import {
  compact,
  copies,
  licenseText,
  moduleByName,
  readableAndMinified,
  typesForBoth,
  typesOfDisposables,
} from './build/rollup-plugins.mjs'

/** `npm run build` builds into a folder of its own, which becomes `dist` when everything is there. */
const DIR = process.env.BUILD_DIR ?? 'dist'

/** Declarations as the compiler writes them, a file for each source. What is built of them is what the package has. */
const TYPES = '.types'
const TYPESCRIPT = 'node_modules/typescript-native/bin/tsc'
execFileSync(
  process.execPath,
  [
    TYPESCRIPT,
    '-p',
    'build/tsconfig.build.json',
    '--declaration',
    '--emitDeclarationOnly',
    '--outDir',
    `${DIR}/${TYPES}`,
  ],
  { stdio: 'inherit' },
)

// A new entry of the package is one line here and one block in package.json's `exports`.
const client = {
  index: 'src/index.node.ts',
  'index.browser': 'src/index.browser.ts',
  'index.core': 'src/index.core.ts',
}
/**
 * The client with all that a script VM may lack. It is what `require()` of the package gets where a runtime can't require
 * the ES module, and minified what a page loads. Nothing else has two formats.
 */
const script = 'src/index.ts'
const frames = { frames: 'src/frames/index.ts' }
/** The connection in players' pages, and as a script. */
const player = { player: 'src/host/player.ts' }
const playerScript = { 'gameserver-sidecar.player': 'src/host/player.ts' }
const adapters = {
  phaser: 'src/engines/phaser.ts',
  cocos: 'src/engines/cocos.ts',
  playcanvas: 'src/engines/playcanvas.ts',
  babylon: 'src/engines/babylon.ts',
}
/** Players and sessions, and what uses them: adapters of servers in Node. */
const players = { players: 'src/players/index.ts' }
const playersScript = { 'gameserver-sidecar.players.umd': 'src/players/index.ts' }
const servers = {
  colyseus: 'src/players/colyseus.ts',
  'socket.io': 'src/players/socket.io.ts',
  ws: 'src/players/ws.ts',
}
/** The names of the official SDK over this client. */
const agonesSdk = { 'agones-sdk': 'src/engines/agones-sdk.ts' }
const phaserScript = { 'gameserver-sidecar.phaser': 'src/engines/phaser.script.ts' }
/** The streams of `frames` in Node, without the rest of `node`. */
const nodeStreams = { 'node-connect': 'src/frames/node-connect.ts' }
/** The matchmaker's side, which needs nothing but Node. */
const allocator = { allocator: 'src/deploy/allocator.ts' }
const server = {
  node: 'src/node.ts',
  vite: 'src/local/vite.ts',
}
/** Shares the sidecar with \`server\`, as a chunk that needs nothing of Node. */
const mock = { mock: 'src/platform/mock.ts' }
const command = { cli: 'src/cli/bin.ts' }
const declarations = {
  index: 'src/index.ts',
  ...frames,
  ...player,
  ...players,
  ...servers,
  ...agonesSdk,
  ...nodeStreams,
  ...allocator,
  ...adapters,
  ...mock,
  ...server,
}

/** The libraries that are bundled, each as a chunk of its own, so that a command reads only those that it needs. */
const vendored = ['@jridgewell', 'mrmime', 'picocolors', 'valibot', 'yaml']

const GLOBAL = 'GameServerSidecar'
const PLAYER_GLOBAL = 'GameServerPlayer'
const PLAYERS_GLOBAL = 'GameServerSidecarPlayers'
const BANNER = '/*! gameserver-sidecar, Apache-2.0 */'

/**
 * Assigns a script's global to the global object itself: `var` makes one only at a script's top level, and not in the
 * function that Cocos wraps around a plugin script.
 */
const setGlobal = (name) => `(function (root) { if (root) root.${name} = ${name} })(
  typeof globalThis === 'object' ? globalThis : typeof self === 'object' ? self :
    typeof window === 'object' ? window : typeof global === 'object' ? global : this);`

/** Also gives the script to a module loader. CommonJS leaks into the pages of NW.js and Electron, so the global comes first. */
const giveToLoader = (name) => `
  if (typeof module === 'object' && module && module.exports) module.exports = ${name}
  else if (typeof define === 'function' && define.amd) define(function () { return ${name} });`

/** Types are checked by `npm run typecheck`; this only removes them, and newer syntax than `target`. */
const compile = (target) => esbuild({ target, tsconfig: 'build/tsconfig.build.json' })

const MINIFIED = { ecma: 2017, compress: { passes: 3 }, format: { comments: /^!/ } }
const minify = () => terser(MINIFIED)

/** Collects what all builds bundle. */
const licenses = license({
  thirdParty: { output: { file: `${DIR}/third-party-licenses.txt`, template: licenseText } },
})

const modules = {
  dir: DIR,
  format: 'es',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  generatedCode: 'es2015',
}

/** An adapter's client is the application's own: the module that its other imports of the package lead to. */
const ofApplication = [
  moduleByName('index', 'gameserver-sidecar'),
  moduleByName('index.node', 'gameserver-sidecar'),
  moduleByName('players/index', 'gameserver-sidecar/players'),
]

const isPackage = (id) => !/^[./]/.test(id)
const vendorChunk = (id) => {
  const name = /node_modules\/([^/]+)\//.exec(id)?.[1]
  return vendored.includes(name) ? `vendor-${name.replace('@', '')}` : undefined
}

/** Our own warnings fail the build: types are checked elsewhere, so a warning here means that the output is wrong. */
const onwarn = (warning) => {
  const ids = warning.ids ?? [warning.id ?? '']
  if (ids.every((id) => id.includes('node_modules/'))) return
  throw new Error(`${warning.code}: ${warning.message}`)
}

const builds = [
  // Without a package inside, so that a page can import the browser's entry without a bundler.
  {
    input: client,
    external: [/^node:/, 'isomorphic-ws'],
    plugins: [compile('es2020'), resolve({ resolveOnly: ['mitt'] }), licenses],
    output: { ...modules, plugins: [compact()], banner: BANNER, chunkFileNames: 'chunks/client.js' },
  },
  {
    input: script,
    plugins: [compile('es2017'), resolve({ resolveOnly: ['mitt'] })],
    output: {
      file: `${DIR}/index.cjs`,
      plugins: [readableAndMinified('gameserver-sidecar.umd.js', MINIFIED)],
      format: 'iife',
      name: GLOBAL,
      banner: BANNER,
      footer: setGlobal(GLOBAL) + giveToLoader(GLOBAL),
      exports: 'named',
    },
  },
  ...Object.entries({ ...frames, ...player, ...players, ...nodeStreams, ...allocator, ...adapters }).map(
    ([name, source]) => ({
      input: { [name]: source },
      external: /^node:/,
      plugins: [...ofApplication, compile('es2020')],
      output: { ...modules, plugins: [compact()] },
    }),
  ),
  {
    // What the adapters of servers share is a chunk.
    input: servers,
    plugins: [...ofApplication, compile('es2020')],
    output: { ...modules, chunkFileNames: 'chunks/attached-server.js', plugins: [compact()] },
  },
  {
    // ES2022 can name an export `module.exports`.
    input: agonesSdk,
    plugins: [...ofApplication, compile('es2022')],
    output: { ...modules, plugins: [compact()] },
  },
  {
    // The client is the script that was loaded before it, or, for a module loader, the package.
    input: Object.values(playersScript)[0],
    plugins: [moduleByName('index', 'gameserver-sidecar'), compile('es2017')],
    output: {
      file: `${DIR}/${Object.keys(playersScript)[0]}.js`,
      plugins: [minify()],
      format: 'umd',
      name: PLAYERS_GLOBAL,
      globals: { 'gameserver-sidecar': GLOBAL },
      exports: 'named',
      banner: BANNER,
    },
  },
  {
    input: Object.values(playerScript)[0],
    plugins: [compile('es2017')],
    output: {
      file: `${DIR}/${Object.keys(playerScript)[0]}.js`,
      plugins: [minify()],
      format: 'iife',
      name: PLAYER_GLOBAL,
      exports: 'named',
      banner: BANNER,
      footer: setGlobal(PLAYER_GLOBAL),
    },
  },
  {
    // Makes a global of its own, because Phaser's loader wants a class and not a namespace.
    input: Object.values(phaserScript)[0],
    plugins: [compile('es2017')],
    output: { file: `${DIR}/${Object.keys(phaserScript)[0]}.js`, format: 'iife' },
  },
  {
    input: { ...server, ...mock, ...command },
    external: [/^node:/, 'isomorphic-ws', 'node-datachannel', 'ws'],
    plugins: [
      // The client of this package, as every other program imports it.
      moduleByName('index.node', 'gameserver-sidecar'),
      inlineScript(),
      inlinePage(),
      alias({
        entries: [
          // As ES modules, of which only what is used is bundled. The same code, without Node's way to print warnings.
          { find: 'yaml', replacement: `${import.meta.dirname}/node_modules/yaml/browser/dist/index.js` },
        ],
      }),
      compile('es2022'),
      resolve({ preferBuiltins: true }),
      commonjs(),
      json({ compact: true, namedExports: false }),
      compact(),
      licenses,
    ],
    // A chunk of a few lines is one file more, and saves a command nothing.
    output: { ...modules, manualChunks: vendorChunk, experimentalMinChunkSize: 5000 },
  },
  // What `gameserver-sidecar demo` runs. Its server is readable sample code, which imports this package as a user does.
  {
    input: { demo: 'demo/star-arena/demo.mjs', server: 'demo/fleet/server.mjs' },
    external: [/^node:/, /^gameserver-sidecar/, 'ws'],
    plugins: [
      copies(
        'demo/gameserver.yaml',
        'demo/star-arena/page/index.html',
        'demo/star-arena/page/page.css',
        'demo/fleet/page/lobby.html',
      ),
    ],
    output: { ...modules, dir: `${DIR}/demo`, chunkFileNames: 'game-server.js' },
  },
  {
    input: { page: 'demo/star-arena/page/page.mjs', 'lobby-page': 'demo/fleet/page/lobby-page.mjs' },
    output: { ...modules, dir: `${DIR}/demo`, chunkFileNames: 'match-view.js' },
  },
  // Each set of declarations is self-contained, but for types that another entry has as well.
  ...Object.entries(declarations).map(([name, source]) => ({
    input: { [name]: source.replace(/^src(.*)\.ts$/, `./${DIR}/${TYPES}$1.d.ts`) },
    external: isPackage,
    plugins: [
      moduleByName('index', 'gameserver-sidecar'),
      moduleByName('players/index', 'gameserver-sidecar/players'),
      moduleByName('frames/index', 'gameserver-sidecar/frames'),
      moduleByName('local/gateway/gateway-options', 'gameserver-sidecar/node'),
      ...(name === 'node' ? [moduleByName('platform/sidecar', 'gameserver-sidecar/mock')] : []),
      dts(),
      typesOfDisposables(),
      ...(name === 'index' ? [typesForBoth()] : []),
    ],
    output: { dir: DIR, format: 'es', entryFileNames: name === 'index' ? '[name].d.cts' : '[name].d.ts' },
  })),
]

export default builds.map((build) => ({ ...build, onwarn }))
