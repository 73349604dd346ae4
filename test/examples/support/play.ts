import { join } from 'node:path'
import { createLocalSidecar, type LocalSidecar } from '../../../src/node.js'
import type { GameServer } from '../../../src/protocol/game-server.js'
import type { AnsweredAllocation, GameServerAllocation } from '../../../src/platform/sidecar.js'
import { calls, untilLogged } from '../../support/with-sidecar.js'
import { startProcess, type Cleanup, type GameProcess } from '../../support/start-process.js'
import { allocationOf, exampleFolder } from './example-folder.js'
import { connectPlayer, type Player } from './player.js'

/** A running `server.mjs`. */
export interface Game extends GameProcess {
  /** The address for players. */
  readonly url: string
  player(name: string, query?: Readonly<Record<string, string>>): Promise<Player>
}

/** One example for one test: a local sidecar with the example's Fleet, and the servers that the test starts. */
export interface Example {
  readonly sidecar: LocalSidecar
  /** The present GameServer. */
  readonly gameServer: () => GameServer
  /** Starts the server, and resolves once it prints the address for players. */
  start(env?: NodeJS.ProcessEnv): Promise<Game>
  /** Allocates by the example's manifest, with a changed spec. */
  allocate(changes?: GameServerAllocation['spec']): AnsweredAllocation
  /** Resolves once the GameServer is in a state or meets a condition. */
  until(condition: string | ((gameServer: GameServer) => boolean)): Promise<void>
  /** The GameServer's states since the sidecar's start, in order, without transient states. */
  readonly states: () => readonly string[]
  /** The operations that reached the sidecar, in order. */
  readonly calls: () => readonly string[]
}

/**
 * Starts an example, which ends with the test of the given context. `sidecar.restart({ downMs })` restarts the sidecar.
 */
async function playExample(test: Cleanup, name: string): Promise<Example> {
  const folder = await exampleFolder(test, name)
  const file = join(folder, 'fleet.yaml')
  const sidecar = await createLocalSidecar({ port: 0, file, onWarning: () => {} })
  test.onTestFinished(() => sidecar.close())
  const gameServer = (): GameServer => sidecar.sidecar.snapshot().gameServer
  const states = [gameServer().status.state]
  sidecar.sidecar.log.subscribe(() => {
    const { state } = gameServer().status
    if (state !== 'RequestReady' && state !== states.at(-1)) states.push(state)
  })
  return {
    sidecar,
    gameServer,
    states: () => states,
    calls: () => calls(sidecar),
    start: async (env = {}) => {
      const game = startProcess(test, folder, [process.execPath, 'server.mjs'], {
        PORT: '0',
        AGONES_SDK_HTTP_PORT: String(sidecar.port),
        ...env,
      })
      const [, url = ''] = await game.line(/players come in at (ws:\S+)/)
      return { ...game, url, player: (player, query) => connectPlayer(test, url, player, query) }
    },
    allocate: (changes = {}) => {
      const manifest = allocationOf(name)
      return sidecar.allocate({ ...manifest, spec: { ...manifest.spec, ...changes } })
    },
    until: (condition) =>
      untilLogged(sidecar, () =>
        typeof condition === 'string' ? gameServer().status.state === condition : condition(gameServer()),
      ),
  }
}

/** Starts an example, and resolves once its server is Ready. */
export async function beginExample(
  test: Cleanup,
  name: string,
  env?: NodeJS.ProcessEnv,
): Promise<{ readonly example: Example; readonly game: Game }> {
  const example = await playExample(test, name)
  const game = await example.start(env)
  await example.until('Ready')
  return { example, game }
}
