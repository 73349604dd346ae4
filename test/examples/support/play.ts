import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalSidecar, type LocalSidecar } from '../../../src/node/index.js'
import type { GameServer } from '../../../src/protocol/game-server.js'
import type { AnsweredAllocation, GameServerAllocation } from '../../../src/sidecar/index.js'
import { calls, untilLogged } from '../../support/with-sidecar.js'
import { startProcess, type GameProcess } from './game-process.js'
import { allocationOf, exampleFolder, type Cleanup } from './example-folder.js'
import { connectPlayer, type Player } from './player.js'

/** A running `server.mjs`. */
export interface Game extends GameProcess {
  /** Where players come in. */
  readonly url: string
  player(name: string, query?: Readonly<Record<string, string>>): Promise<Player>
}

/** One example for one test: a local sidecar with its Fleet, and its server as often as it is started. */
export interface Example {
  readonly folder: string
  readonly sidecar: LocalSidecar
  /** The GameServer as the platform has it now. */
  readonly gameServer: () => GameServer
  /** Starts another program of the example. */
  run(script: string, env?: NodeJS.ProcessEnv): GameProcess
  /** Starts the server and resolves once it says where players come in. */
  start(env?: NodeJS.ProcessEnv): Promise<Game>
  /** Allocates by the example's own manifest, with changes of its spec. */
  allocate(changes?: GameServerAllocation['spec']): AnsweredAllocation
  /** Resolves once the GameServer is in this state or fulfils this condition. */
  until(condition: string | ((gameServer: GameServer) => boolean)): Promise<void>
  /** The states that the GameServer has been in since the sidecar's start, in order, without those it passes through. */
  readonly states: () => readonly string[]
  /** The operations that reached the sidecar, in order. */
  readonly calls: () => readonly string[]
}

export interface PlayOptions {
  /** The port that players come in at, in the manifest as well; default: any, and the manifest's own stays there */
  readonly port?: number
}

/** Everything ends with the test, which gives its context. To restart the sidecar: `sidecar.restart({ downMs })`. */
export async function playExample(test: Cleanup, name: string, { port }: PlayOptions = {}): Promise<Example> {
  const folder = await exampleFolder(test, name)
  const file = join(folder, 'fleet.yaml')
  if (port !== undefined) {
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('containerPort: 7777', `containerPort: ${port}`))
  }
  const sidecar = await createLocalSidecar({ port: 0, file, onWarning: () => {} })
  test.onTestFinished(() => sidecar.close())
  const gameServer = (): GameServer => sidecar.sidecar.snapshot().gameServer
  const states = [gameServer().status.state]
  sidecar.sidecar.log.subscribe(() => {
    const { state } = gameServer().status
    if (state !== 'RequestReady' && state !== states.at(-1)) states.push(state)
  })
  return {
    folder,
    sidecar,
    gameServer,
    states: () => states,
    calls: () => calls(sidecar),
    run: (script, env = {}) => startProcess(test, folder, [process.execPath, script], env),
    start: async (env = {}) => {
      const game = startProcess(test, folder, [process.execPath, 'server.mjs'], {
        PORT: String(port ?? 0),
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

/** Such an example, whose server is Ready. */
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
