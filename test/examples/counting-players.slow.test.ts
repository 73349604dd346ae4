import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { parse } from 'yaml'
import { createLocalSidecar, type LocalSidecar } from '../../src/node.js'
import type { GameServerAllocation } from '../../src/platform/sidecar.js'
import { freePort } from '../support/free-port.js'
import { proseOf, snippetsOf } from '../support/markdown.js'
import { root } from '../support/source.js'
import { untilLogged } from '../support/with-sidecar.js'
import { startProcess, type GameProcess } from './support/game-process.js'
import { connectPlayer, type Player } from './support/player.js'

const PAGE = 'docs/guides/seats.md'
const server = snippetsOf(PAGE).find(({ code }) => code.startsWith('import '))!.code

/** The pieces of manifests that stand in the guide's sentences. */
const [template, demand, priorities] = [...proseOf(PAGE).matchAll(/`((?:counters|priorities): [^`]+)`/g)].map(
  ([, text]) => parse(text!) as object,
)

const fleet = {
  apiVersion: 'agones.dev/v1',
  kind: 'Fleet',
  metadata: { name: 'lobby' },
  spec: {
    template: {
      spec: { ...template, template: { spec: { containers: [{ name: 'lobby', image: 'lobby:1.0.0' }] } } },
    },
  },
}

const allocation = {
  apiVersion: 'allocation.agones.dev/v1',
  kind: 'GameServerAllocation',
  spec: { selectors: ['Allocated', 'Ready'].map((gameServerState) => ({ gameServerState, ...demand })), ...priorities },
} as GameServerAllocation

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
  await writeFile(file, JSON.stringify(fleet))
  const sidecar = await createLocalSidecar({ port: 0, file, onWarning: () => {} })
  context.onTestFinished(() => sidecar.close())
  const count = (): number => Number(sidecar.sidecar.snapshot().gameServer.status.counters!['players']!.count)
  let url = ''
  const start = async (): Promise<GameProcess> => {
    const port = await freePort()
    url = `ws://127.0.0.1:${port}`
    const env = { PORT: String(port), AGONES_SDK_HTTP_PORT: String(sidecar.port) }
    return startProcess(context, root, [process.execPath, '--input-type=module', '--eval', server], env)
  }
  const game = await start()
  await untilLogged(sidecar, () => sidecar.sidecar.snapshot().gameServer.status.state === 'Ready')
  const untilCount = (wanted: number): Promise<void> => untilLogged(sidecar, () => count() === wanted)
  const allocate = (): string => sidecar.allocate(allocation).status.state
  return { sidecar, game, allocate, start, player: (name) => connectPlayer(context, url, name), untilCount }
}

const welcomed = async (player: Promise<Player>): Promise<Player> => {
  const here = await player
  await here.message('welcome')
  return here
}

test.concurrent(
  'the counter follows players who join and leave, and the server refuses the fifth player',
  async (context) => {
    const { game, allocate, player, untilCount } = await startLobby(context)
    expect(allocate()).toBe('Allocated')
    const [ada] = await Promise.all(['ada', 'bob', 'cid', 'dan'].map((name) => welcomed(player(name))))
    await game.line(/^full: the match of 4 begins$/)
    await expect(player('eve')).rejects.toThrow('503')
    await untilCount(4)
    expect(allocate()).toBe('UnAllocated')
    await ada!.leave()
    await untilCount(3)
    expect(allocate()).toBe('Allocated')
    await welcomed(player('eve'))
    await untilCount(4)
  },
)
