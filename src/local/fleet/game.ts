import { stripVTControlCharacters } from 'node:util'
import { startTalking } from '../game/start-command.js'
import { plainLines } from '../game/lines.js'
import type { ConsoleLine } from '../game/lines.js'

/** The game of a GameServer: a program, or a page in its browser. It stands for the container of a pod. */
export interface Game {
  readonly pid: number
  /** Resolves when the game has ended with everything that it had started, and its output was read. */
  readonly exited: Promise<GameExit>
  /** Asks the game to end, as by SIGTERM. */
  terminate(): void
  /** Kills the game at once. */
  kill(): void
}

export interface GameExit {
  readonly exitCode: number
  /** How it ended, such as `exit code 1` or `SIGKILL`. */
  readonly how: string
}

/** What a game is started with. */
export interface GameStart {
  /** What the environment of a program gets. */
  readonly variables: Readonly<Record<string, string>>
  readonly platform: string
  /** Address of the GameServer's sidecar. */
  readonly sidecarUrl: string
  /** The first port for players. */
  readonly port: number
  /** ms from SIGTERM to SIGKILL. */
  readonly graceMs: number
  /** Gives up the start: the GameServer has ended meanwhile. */
  readonly signal: AbortSignal
  readonly onOutput: (line: ConsoleLine) => void
}

export type StartGame = (start: GameStart) => Promise<Game>

/**
 * Returns the function that starts a program for each GameServer.
 *
 * @throws CommandError, when called, if the program can't be started
 */
export const programGame =
  (command: readonly [string, ...string[]], env: NodeJS.ProcessEnv = process.env): StartGame =>
  async ({ variables, onOutput }) => {
    const running = await startTalking(command, { ...env, ...variables }, (level, line) =>
      onOutput({ level, text: plainLines(stripVTControlCharacters(line)) }),
    )
    return {
      pid: running.pid,
      exited: running.exited.then(({ exitCode, signal }) => ({ exitCode, how: signal ?? `exit code ${exitCode}` })),
      terminate: () => running.signal('SIGTERM'),
      kill: () => void running.kill(),
    }
  }
