import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedFolder } from '../support/packed.js'
import { read, root } from '../support/source.js'
import type { TemporaryFolder } from '../support/temporary-folder.js'
import { typeCheck, type Complaint } from '../support/type-check.js'

let folder: TemporaryFolder
/** What attw says of the tarball, as JSON. It takes as long as all the rest, so it runs beside it. */
let judged: Promise<string>

beforeAll(async () => {
  folder = await installedFolder()
  const attw = join(root, 'node_modules', '.bin', 'attw')
  const tarball = readdirSync(folder.path).find((name) => name.endsWith('.tgz'))!
  const options = ['--format', 'json', '--no-definitely-typed', '--ignore-rules', 'cjs-resolves-to-esm']
  judged = promisify(execFile)(attw, [join(folder.path, tarball), ...options])
    .catch((error: unknown) => error as { stdout: string })
    .then(({ stdout }) => stdout)
}, 120_000)

afterAll(() => folder.remove())

const USE = `
  declare const SomeWebSocket: unknown
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', autoHealth: { check: async () => true } })
  const stop: () => void = client.on('gameserver', (gameServer) => { const state: string = gameServer.status.state; void state })
  const counter: Promise<number> = client.getCounter('rooms').then(({ count }) => count)
  const exact: Promise<bigint> = createClient({ int64: 'bigint' }).getCounter('rooms').then(({ count }) => count)
  const outcome: Promise<'accepted' | 'confirmed' | 'sent'> = client.setLabel('mode', 'duel')
  const seen: Promise<'accepted' | 'confirmed' | 'sent' | undefined> = client.addListValue('a', 'b').then((list) => list.outcome)
  const direct: boolean = createClient({ crossOrigin: 'direct' }).status.direct
  // @ts-expect-error no such mode
  createClient({ crossOrigin: 'always' })
  // @ts-expect-error no such event
  client.on('gameServer', () => {})
  // @ts-expect-error seconds are a number
  client.reserve({})
  async function watch() { for await (const { object_meta } of client.watchGameServer()) object_meta.name.trim() }
  const decoder = new MessageDecoder({ message: (message) => { void message } })
  const player = connect('ws://127.0.0.1:1', { unreliable: true, WebSocket: SomeWebSocket })
  player.binaryType = 'arraybuffer'
  player.onmessage = ({ data }) => { const message: string | ArrayBuffer = data; player.sendUnreliable(message) }
  player.addEventListener('close', ({ code, reason }) => { const why: string = reason + code.toFixed(); void why })
  // @ts-expect-error no such option
  connect('ws://127.0.0.1:1', { unreliabel: true })
  // @ts-expect-error a number is no message
  player.send(1)
  const players = trackPlayers(client, { list: 'players', counter: 'seated', noShow: 30000 })
  const how: Promise<'expected' | 'joined'> = players.join('ann', { timeout: 1000 })
  const gone: Promise<'left' | 'absent'> = players.leave('ann')
  players.on('noshow', ({ id }) => id.trim())
  trackPlayers(createClient({ int64: 'bigint' })).close()
  // @ts-expect-error no such option
  trackPlayers(client, { noshow: 1 })
  trackSessions(client, { onSession: (session) => { void session.end() } })
  const Plugin = createSidecarPlugin({ Plugins: { BasePlugin: class { destroy() {} } } })
  class Scene { declare readonly sidecar: InstanceType<typeof Plugin>; players = () => trackPlayers(this.sidecar) }
  declare const socket: PlayerSocket
  socket.onmessage = ({ data }) => { const text: string = data; void text }
  export const tracked = [players.ids, how, gone, Scene]
  export const used = [client, player, stop, counter, exact, watch, decoder, outcome, seen, direct]
`
const IMPORTS = `
  import { createClient, type PlayerSocket } from 'gameserver-sidecar'
  import { createSidecarPlugin } from 'gameserver-sidecar/phaser'
  import { MessageDecoder } from 'gameserver-sidecar/frames'
  import { connect } from 'gameserver-sidecar/player'
  import { trackPlayers, trackSessions } from 'gameserver-sidecar/players'`
const REQUIRES = `
  import sidecar = require('gameserver-sidecar')
  import frames = require('gameserver-sidecar/frames')
  import player_ = require('gameserver-sidecar/player')
  import players_ = require('gameserver-sidecar/players')
  import phaser = require('gameserver-sidecar/phaser')
  import type { PlayerSocket } from 'gameserver-sidecar'
  const { createClient } = sidecar
  const { MessageDecoder } = frames
  const { connect } = player_
  const { trackPlayers, trackSessions } = players_
  const { createSidecarPlugin } = phaser`

/** No DOM, no @types: what an engine's project may have, and declarations are checked like sources. */
const BARE = { target: 'es2020', lib: ['es2020'], types: [], skipLibCheck: false }
const NODE_NEXT = { module: 'nodenext' }
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }
/** Knows no `exports`: `typesVersions` leads it. Only the older compiler has it. */
const NODE_10 = { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' }
const BESIDE_NODE = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')], lib: ['es2022'] }

const complaints = (name: string, code: string, options: object): Promise<Complaint[]> =>
  typeCheck(
    folder.path,
    new Map([[name, code]]),
    { ...BARE, ...options },
    options === NODE_10 ? 'typescript' : 'typescript-native',
  )

describe('types of the installed package, without DOM and without @types', () => {
  test.each([
    ['an ES module under NodeNext', 'consumer.mts', IMPORTS, NODE_NEXT],
    ['a CommonJS module under NodeNext', 'consumer.cts', REQUIRES, NODE_NEXT],
    ['the oldest resolution', 'oldest.ts', IMPORTS, NODE_10],
    ['a bundler', 'consumer.ts', IMPORTS, BUNDLER],
    ['a bundler for browsers', 'page.ts', IMPORTS, { ...BUNDLER, customConditions: ['browser'] }],
    ['exact optional properties', 'exact.ts', IMPORTS, { ...BUNDLER, exactOptionalPropertyTypes: true }],
    ['the DOM beside it', 'dom.ts', IMPORTS, { ...BUNDLER, lib: ['es2022', 'dom'] }],
  ])('%s', async (_mode, file, imports, options) => {
    expect(await complaints(file, imports + USE, options)).toEqual([])
  })

  // A test's project has the types of Node, of a page, or both.
  test.each([
    ['Node', 'mock.cts', { ...NODE_NEXT, ...BESIDE_NODE, lib: ['es2020'] }],
    ['a page', 'mock.mts', { ...NODE_NEXT, lib: ['es2022', 'dom'] }],
  ])('./mock beside the types of %s', async (_types, file, options) => {
    const code = `
      import { createClient } from 'gameserver-sidecar'
      import { createMock } from 'gameserver-sidecar/mock'
      const mock = createMock({ time: 'auto', gameServer: { spec: { health: { periodSeconds: 1 } } } })
      const client = createClient({ ...mock.options, autoHealth: true })
      const undo: () => void = mock.fail(['ready', 'health'], { network: 'reset', times: 2 })
      const name: string = mock.allocate({ labels: { mode: 'dm' } }).object_meta.name
      const state: 'Allocated' | 'UnAllocated' = mock.allocate({ kind: 'GameServerAllocation' }).status.state
      const status: number | undefined = mock.expect('setLabel', 1)[0]?.status
      // @ts-expect-error no such operation
      mock.fail('redy')
      // @ts-expect-error no such time
      createMock({ time: 'virtual' })
      export const used = [client, undo, name, state, status]`
    expect(await complaints(file, code, options)).toEqual([])
  })

  const imported = "import AgonesSDK, { type GameServer } from 'gameserver-sidecar/agones-sdk'"
  const required =
    "import AgonesSDK = require('gameserver-sidecar/agones-sdk')\nimport type { GameServer } from 'gameserver-sidecar/agones-sdk'"
  test.each([
    ['an import', 'sdk.mts', imported, NODE_NEXT],
    ['a require', 'sdk.cts', required, NODE_NEXT],
    ['an import that becomes a require', 'interop.cts', imported, { ...NODE_NEXT, esModuleInterop: true }],
    ['the oldest resolution', 'oldest-sdk.ts', imported, NODE_10],
    ['a bundler', 'sdk.ts', imported, BUNDLER],
  ])('./agones-sdk by %s', async (_mode, file, start, options) => {
    const code = `${start}
      const sdk: AgonesSDK = new AgonesSDK()
      sdk.watchGameServer((gameServer: GameServer) => void gameServer.status.countersMap, ({ grpcCode }) => void grpcCode.toFixed())
      sdk.health()
      const state: Promise<string> = sdk.getGameServer().then(({ status }) => status.state)
      const count: Promise<number> = sdk.beta.getCounterCount('rooms')
      sdk.client.on('ending', ({ reason }) => void reason)
      // @ts-expect-error seconds are a number
      void sdk.reserve('10')
      export const used = [state, count]`
    expect(await complaints(file, code, options)).toEqual([])
  })
})

describe('published declarations', () => {
  test('are found and right for every entry in every resolution mode', async () => {
    const { analysis } = JSON.parse(await judged) as {
      analysis: { problems: { kind: string; entrypoint: string }[]; entrypoints: object }
    }
    // Node requires ES modules, which all entries but the client's are.
    const problems = analysis.problems.filter(
      ({ kind, entrypoint }) => kind !== 'CJSResolvesToESM' || entrypoint === '.',
    )
    expect(problems).toEqual([])
    const { exports } = JSON.parse(read('package.json')) as { exports: object }
    expect(Object.keys(analysis.entrypoints)).toEqual(Object.keys(exports))
  })
})
