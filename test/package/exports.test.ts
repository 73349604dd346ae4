import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { read, root } from '../support/source.js'

/** The names that each entry exports, and the entries that its file imports by the name that an application uses. */
const entries: Record<string, readonly [file: string, exported: readonly string[], imported?: readonly string[]]> = {
  '.': ['index', ['SidecarError', 'createClient', 'internals', 'isSidecarError']],
  './frames': ['frames', ['MessageDecoder', 'createWebSocketClass']],
  './node-connect': ['node-connect', ['nodeConnect']],
  './node': [
    'node',
    [
      'GameServerFileError',
      'HostError',
      'createFleet',
      'createGateway',
      'createHost',
      'createLocalSidecar',
      'followCertificate',
      'formatMetrics',
    ],
  ],
  './player': ['player', ['connect', 'pickRegion']],
  './allocator': ['allocator', ['AllocationError', 'byQueue', 'createAllocator', 'createAutoscaler', 'scaleToZero']],
  './mock': ['mock', ['createMock']],
  './metrics': ['metrics', ['measure']],
  './vite': ['vite', ['gameserverSidecar']],
  './phaser': ['phaser', ['createSidecarPlugin', 'installSidecarPlugin'], ['']],
  './cocos': ['cocos', ['createSidecarComponent'], ['']],
  './playcanvas': ['playcanvas', ['createSidecarScript', 'registerSidecarScript'], ['']],
  './babylon': ['babylon', ['createSidecarObservables'], ['']],
  './players': ['players', ['trackPlayers', 'trackSessions'], ['']],
  './colyseus': ['colyseus', ['sidecarPlugin'], ['', '/players']],
  './socket.io': ['socket.io', ['attachServer'], ['', '/players']],
  './ws': ['ws', ['attachServer'], ['', '/players']],
  './agones-sdk': ['agones-sdk', ['AgonesSDK', 'default'], ['']],
}

const require = createRequire(`${root}/package.json`)
const names = (module: object): string[] =>
  Object.keys(module)
    .filter((name) => name !== 'module.exports')
    .sort()

test('every entry of package.json is listed here', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: object }
  expect(Object.keys(exports)).toEqual([...Object.keys(entries), './package.json'])
})

test.each(Object.entries(entries))('%s exports the names of the contract, also to require()', (entry, [, exported]) => {
  expect(names(require(`gameserver-sidecar${entry.slice(1)}`) as object)).toEqual(exported)
})

const adapters = Object.values(entries).flatMap(([file, , imported]) => (imported ? [{ file, imported }] : []))

test.each(adapters)(
  './$file imports other entries by the name that the application uses, and nothing else',
  ({ file, imported }) => {
    const outside = (path: string): string[] =>
      [...read(path).matchAll(/from ?['"]([^.'"][^'"]*)['"]/g)].map(([, specifier]) => specifier!)
    const shared = read(`dist/${file}.js`).includes('./chunks/attached-server.js')
    const scripts = [`dist/${file}.js`, ...(shared ? ['dist/chunks/attached-server.js'] : [])]
    const wanted = imported.map((name) => `gameserver-sidecar${name}`)
    expect([...new Set(scripts.flatMap(outside))].sort()).toEqual(wanted)
  },
)

test.each(['index.browser.js', 'index.core.js', 'index.cjs'])('%s exports what Node’s client does', (file) => {
  expect(names(require(`./dist/${file}`) as object)).toEqual(entries['.']![1])
})

test('./agones-sdk is the class itself to require(), as the official package is', () => {
  const AgonesSDK = require('gameserver-sidecar/agones-sdk') as { new (): object; AgonesSDK: unknown; default: unknown }
  expect([AgonesSDK.name, AgonesSDK.AgonesSDK, AgonesSDK.default]).toEqual(['AgonesSDK', AgonesSDK, AgonesSDK])
})
