import { execFileSync } from 'node:child_process'
import { resolve as absolute } from 'node:path'
import commonjs from '@rollup/plugin-commonjs'
import resolve from '@rollup/plugin-node-resolve'
import { inlinePage } from './build/inline-page.mjs'
import { inlineScript } from './build/inline-script.mjs'
import { inlineText } from './build/inline-text.mjs'
import { bundledLibraries } from './build/licenses.mjs'
import { byName, copies, globals, minified, readable, readableAndMinified, sourcesOf } from './build/rollup-plugins.mjs'

// A new entry of the package is one line here, with a path in `src`. CONTRIBUTING.md says what else names an entry.
const CLIENT = { index: 'index.node', 'index.browser': 'index.browser', 'index.core': 'index.core' }
/** What a page loads: each is complete in itself, but for the client. */
const PAGES = {
  frames: 'frames/index',
  player: 'host/player',
  players: 'players/index',
  metrics: 'metrics',
  ...Object.fromEntries(['phaser', 'cocos', 'playcanvas', 'babylon'].map((engine) => [engine, `engines/${engine}`])),
}
/** Adapters of servers, which share a chunk. */
const SERVERS = { colyseus: 'players/colyseus', 'socket.io': 'players/socket.io', ws: 'players/ws' }
/** What runs in Node, and the mock. */
const NODE = {
  node: 'node',
  'node-connect': 'frames/node-connect',
  mock: 'platform/mock',
  vite: 'local/vite',
  allocator: 'deploy/allocator',
  'agones-sdk': 'engines/agones-sdk',
  cli: 'cli/bin',
}
/** What a page loads by a script tag. Phaser's plugin makes a global of its own, since Phaser's loader wants a class. */
const SCRIPTS = {
  // `require()` of the package gets the readable form where a runtime can't require the ES module.
  'index.cjs': { path: 'index', name: 'GameServerSidecar', minify: readableAndMinified('gameserver-sidecar.umd.js') },
  'gameserver-sidecar.players.umd.js': { path: 'players/index', name: 'GameServerSidecarPlayers', format: 'umd' },
  'gameserver-sidecar.frames.umd.js': { path: 'frames/index', name: 'GameServerSidecarFrames' },
  'gameserver-sidecar.player.js': { path: 'host/player', name: 'GameServerPlayer' },
  'gameserver-sidecar.phaser.js': { path: 'engines/phaser.script' },
}
const INSTALLED = [/^node:/, /^gameserver-sidecar/, 'isomorphic-ws', 'node-datachannel', 'ws']

/** `npm run build` builds into a folder of its own, which becomes `dist` when everything is there. */
const DIR = process.env.BUILD_DIR ?? 'dist'
/** What `npm run demo` runs: no scripts, no declarations, nothing minified. */
const isDemo = process.env.BUILD_FOR === 'demo'

/** Each source in Node's syntax with its declarations, and what a page loads in ES2017. A demo does with the first. */
const COMPILED = `${DIR}/.compiled`
const FOR_PAGES = isDemo ? COMPILED : `${DIR}/.for-pages`
const TSC = ['node_modules/typescript-native/bin/tsc', '-p', 'build/tsconfig.build.json', '--outDir', COMPILED]
execFileSync(process.execPath, isDemo ? [...TSC, '--declaration', 'false'] : TSC, { stdio: 'inherit' })
if (!isDemo) {
  const { writeDeclarations } = await import('./build/declarations.mjs')
  writeDeclarations(COMPILED, DIR, { index: 'index', ...PAGES, ...SERVERS, ...NODE })
}

/** Our own warnings fail the build: types are checked elsewhere, so a warning here means that the output is wrong. */
const onwarn = ({ code, message, id = '', ids = [id] }) => {
  if (!ids.every((path) => path.includes('node_modules/'))) throw new Error(`${code}: ${message}`)
}
const libraries = bundledLibraries()
const bundle = (input, output, plugins = [byName]) => ({
  input,
  external: INSTALLED,
  plugins: [...plugins, resolve({ preferBuiltins: true }), libraries.collect],
  output: { format: 'es', generatedCode: { preset: 'es2015', symbols: false }, ...output },
  onwarn,
})
const inputs = (folder, entries) =>
  Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, `${folder}/${path}.js`]))
/** Without imports of a chunk's chunks, which need no preloading in Node, and of which bundlers warn. */
const modules = (chunk, dir = DIR) => ({
  ...{ dir, chunkFileNames: `${chunk}.js`, hoistTransitiveImports: false },
  plugins: [readable()],
})

const { default: typescript } = isDemo ? {} : await import('@rollup/plugin-typescript')
const compileForPages = !isDemo && {
  input: Object.values({ ...CLIENT, ...PAGES, ...SERVERS })
    .concat(Object.values(SCRIPTS).map(({ path }) => path))
    .map((path) => `src/${path}.ts`),
  external: (id) => !/^[./]/.test(id),
  plugins: [byName, typescript({ tsconfig: 'build/tsconfig.es2017.json' })],
  output: { dir: FOR_PAGES, preserveModules: true, preserveModulesRoot: 'src' },
  onwarn,
}
const FOR_NODE = [sourcesOf(COMPILED), inlineScript(), inlineText(), inlinePage({ quick: isDemo }), commonjs()]
const script = ([file, { path, name, format = 'iife', minify = minified() }]) =>
  bundle(`${FOR_PAGES}/${path}.js`, {
    ...{ file: `${DIR}/${file}`, format, name, globals: { 'gameserver-sidecar': 'GameServerSidecar' } },
    ...{ exports: name && 'named', banner: '/*! gameserver-sidecar, Apache-2.0 */', plugins: [minify] },
    ...(format === 'iife' && name ? { footer: globals(name, file === 'index.cjs') } : {}),
  })

export default [
  ...(isDemo ? [] : [compileForPages, ...Object.entries(SCRIPTS).map(script)]),
  // Without a package inside, so that a page can import the browser's entry without a bundler.
  bundle(inputs(FOR_PAGES, CLIENT), modules('chunks/client'), []),
  ...Object.entries(inputs(FOR_PAGES, PAGES)).map(([name, path]) => bundle({ [name]: path }, modules('[name]'))),
  bundle(inputs(FOR_PAGES, SERVERS), modules('chunks/attached-server')),
  bundle(
    inputs(COMPILED, NODE),
    // A chunk of a few lines is one file more, and saves a command nothing.
    { ...modules('chunks/[name]'), manualChunks: libraries.chunk, experimentalMinChunkSize: 5000 },
    [byName, ...FOR_NODE, libraries.write],
  ),
  // What Jest requires, which loads no ES modules: of the official SDK's class, the class itself.
  ...(isDemo ? [] : ['agones-sdk', 'mock', 'player', 'players']).map((name) =>
    bundle(`${COMPILED}/${{ ...PAGES, ...NODE }[name]}.js`, {
      ...{ file: `${DIR}/cjs/${name}.cjs`, format: 'cjs', exports: 'named', plugins: [minified()] },
      footer: 'module.exports = exports.default || exports',
    }),
  ),
  // What `gameserver-sidecar demo` runs. Its server is readable sample code, which imports this package as a user does.
  bundle({ demo: 'demo/star-arena/demo.mjs', server: 'demo/fleet/server.mjs' }, modules('game-server', `${DIR}/demo`), [
    copies('demo/gameserver.yaml', 'demo/star-arena/page/index.html', 'demo/star-arena/page/page.css'),
    copies('demo/fleet/page/lobby.html'),
  ]),
  {
    ...bundle(
      { page: 'demo/star-arena/page/page.mjs', 'lobby-page': 'demo/fleet/page/lobby-page.mjs' },
      modules('match-view', `${DIR}/demo`),
      [{ resolveId: (id) => (id === 'gameserver-sidecar/player' ? absolute(FOR_PAGES, 'host/player.js') : null) }],
    ),
    external: [],
  },
]
