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
const manifestOf = (kind: string) => documentsOf(snippets.find(({ code }) => code.includes(`kind: ${kind}\n`))!.code)[0]
const server = snippets.find(({ language }) => language === 'js')!.code

interface Lobby {
  readonly sidecar: LocalSidecar
  readonly game: GameProcess
  /** The state of the guide's allocation. */
  allocate(): string
  start(): Promise<GameProcess>
  player(name: string): Promise<Player>
  untilCount(count: number): Promise<void>
}

/** The guide's server beside a local sidecar with the guide's Fleet. */
async function startLobby(context: TestContext): Promise<Lobby> {
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'fleet.yaml')
  await writeFile(file, JSON.stringify(manifestOf('Fleet')))
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
  const allocate = (): string =>
    sidecar.allocate(manifestOf('GameServerAllocation') as GameServerAllocation).status.state
  return { sidecar, game, allocate, start, player: (name) => connectPlayer(context, url, name), untilCount }
}

const welcomed = async (player: Promise<Player>): Promise<Player> => {
  const here = await player
  await here.message('welcome')
  return here
}

test.concurrent('the counter follows those who come and go, and the fifth is refused', async (context) => {
  const { game, allocate, player, untilCount } = await startLobby(context)
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
    const { sidecar, game, allocate, start, player, untilCount } = await startLobby(context)
    const state = (): string => sidecar.sidecar.snapshot().gameServer.status.state
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
