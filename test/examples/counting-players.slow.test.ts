import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { createLocalSidecar, type LocalSidecar } from '../../src/node/index.js'
import type { GameServerAllocation } from '../../src/sidecar/index.js'
import { documentsOf } from '../deploy/support/variants.js'
import { snippetsOf } from '../support/markdown.js'
import { root } from '../support/source.js'
import { untilLogged } from '../support/with-sidecar.js'
import { startProcess, type GameProcess } from './support/game-process.js'
import { connectPlayer, type Player } from './support/player.js'

const snippets = snippetsOf('docs/guides/counting-players.md')
const fleet = snippets.find(({ code }) => code.includes('kind: Fleet\n'))!.code
const allocation = documentsOf(snippets.find(({ code }) => code.includes('kind: GameServerAllocation'))!.code)[0]
const server = snippets.find(({ language }) => language === 'js')!.code

interface Lobby {
  readonly sidecar: LocalSidecar
  readonly game: GameProcess
  start(): Promise<GameProcess>
  player(name: string): Promise<Player>
  untilCount(count: number): Promise<void>
}

/** The guide's server beside a local sidecar with the guide's Fleet. */
async function startLobby(context: TestContext): Promise<Lobby> {
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'fleet.yaml')
  await writeFile(file, fleet)
  const sidecar = await createLocalSidecar({ port: 0, file, onWarning: () => {} })
  context.onTestFinished(() => sidecar.close())
  const count = (): number => Number(sidecar.sidecar.snapshot().gameServer.status.counters!['players']!.count)
  let url = ''
  const start = async (): Promise<GameProcess> => {
    const env = { PORT: '0', AGONES_SDK_HTTP_PORT: String(sidecar.port) }
    const game = startProcess(context, root, [process.execPath, '--input-type=module', '--eval', server], env)
    url = (await game.line(/players come in at (ws:\S+)/))[1]!
    return game
  }
  const game = await start()
  await untilLogged(sidecar, () => sidecar.sidecar.snapshot().gameServer.status.state === 'Ready')
  const untilCount = (wanted: number): Promise<void> => untilLogged(sidecar, () => count() === wanted)
  return { sidecar, game, start, player: (name) => connectPlayer(context, url, name), untilCount }
}

const welcomed = async (player: Promise<Player>): Promise<Player> => {
  const here = await player
  await here.message('welcome')
  return here
}

test.concurrent('the counter follows those who come and go, and the fifth is refused', async (context) => {
  const { sidecar, game, player, untilCount } = await startLobby(context)
  const allocate = (): string => sidecar.allocate(allocation as GameServerAllocation).status.state
  expect(allocate()).toBe('Allocated')
  const [ada] = await Promise.all(['ada', 'bob', 'cid', 'dan'].map((name) => welcomed(player(name))))
  await game.line(/^full: the match of 4 begins$/)
  expect(await (await player('eve')).closed).toEqual({ code: 4000, reason: 'OUT_OF_RANGE' })
  await untilCount(4)
  expect(allocate()).toBe('UnAllocated')
  await ada!.leave()
  await untilCount(3)
  expect(allocate()).toBe('Allocated')
  await welcomed(player('eve'))
  await untilCount(4)
})

test.concurrent(
  'players who come by themselves keep their server: it is Allocated, also after a new start of its process',
  async (context) => {
    const { sidecar, game, start, player, untilCount } = await startLobby(context)
    const state = (): string => sidecar.sidecar.snapshot().gameServer.status.state
    const allocate = (): string => sidecar.allocate(allocation as GameServerAllocation).status.state
    await Promise.all(['ada', 'bob', 'cid', 'dan'].map((name) => welcomed(player(name))))
    await untilLogged(sidecar, () => state() === 'Allocated')
    await untilCount(4)
    expect(allocate()).toBe('UnAllocated')
    await game.end('SIGKILL')
    await start()
    await untilCount(0)
    expect(state()).toBe('Allocated')
  },
)

test.concurrent(
  'the count is right after lost answers, lost writes, restarts and from a new process',
  async (context) => {
    const { sidecar, game, start, player, untilCount } = await startLobby(context)
    sidecar.control({ type: 'failCalls', operations: ['updateCounter'], drop: true, apply: true, count: 1 })
    const ada = await welcomed(player('ada'))
    await welcomed(player('bob'))
    await untilCount(2)
    sidecar.control({ type: 'loseWrites' })
    await ada.leave()
    await sidecar.restart({ downMs: 200 })
    await untilCount(1)
    // Whoever else writes it is corrected.
    sidecar.control({ type: 'setCounter', name: 'players', count: 3 })
    await untilCount(1)
    await game.end('SIGKILL')
    await start()
    await untilCount(0)
  },
)
