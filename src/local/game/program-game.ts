import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { Game } from './game-life.js'
import { plainText } from '../../protocol/plain-text.js'
import { startCommand } from './start-command.js'

export type ConsoleLevel = 'debug' | 'info' | 'warn' | 'error'

/** What a game's console shows; `text` may have several lines, such as those of a stack. */
export interface ConsoleLine {
  readonly level: ConsoleLevel
  readonly text: string
}

/** The game of a Fleet's GameServer. `exited` waits until its output was read. */
export interface FleetGame extends Game<GameExit> {
  readonly pid: number
}

export interface GameExit {
  readonly exitCode: number
  /** How it ended, such as `exit code 1` or `SIGKILL`. */
  readonly how: string
}

export interface GameStart {
  /** What the environment of a program gets. */
  readonly variables: Readonly<Record<string, string>>
  readonly platform: string
  readonly sidecarUrl: string
  /** The first port for players. */
  readonly port: number
  /** ms from SIGTERM to SIGKILL. */
  readonly graceMs: number
  /** Gives up the start: the GameServer has ended meanwhile. */
  readonly signal: AbortSignal
  readonly onOutput: (line: ConsoleLine) => void
}

export type StartGame = (start: GameStart) => Promise<FleetGame>

/** Longest wait for output after the end. */
const OUTPUT_MS = 1_000
/** Most characters of a line that are kept. The rest of the line is dropped. */
const MAX_LINE = 16_384

/**
 * Returns the function that starts a program for each GameServer.
 *
 * @throws ProgramError, when called, if the program can't be started
 */
export const programGame =
  (command: readonly [string, ...string[]], env: NodeJS.ProcessEnv = process.env): StartGame =>
  async ({ variables, onOutput }) => {
    const stdio: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe']
    const running = await startCommand(command, { env: { ...env, ...variables }, stdio })
    const streams = [running.stdout!, running.stderr!]
    const read = Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))))
    for (const [index, stream] of streams.entries()) {
      const level = index === 0 ? 'info' : 'error'
      readLines(stream, (line) => onOutput({ level, text: plainLines(stripVTControlCharacters(line)) }))
    }
    const exited = running.exited.then(async ({ exitCode, signal }) => {
      await Promise.race([read, sleep(OUTPUT_MS, undefined, { ref: false })])
      for (const stream of streams) stream.destroy()
      return { exitCode, how: signal ?? `exit code ${exitCode}` }
    })
    return { pid: running.pid, exited, terminate: () => running.terminate('SIGTERM'), kill: () => running.kill() }
  }

/** Calls `onLine` for each line of a stream, the last one too if it has no end. A line without end takes no memory. */
function readLines(stream: Readable, onLine: (line: string) => void): void {
  let start = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = chunk.split('\n')
    const rest = lines.pop()!
    for (const line of lines) {
      onLine((start + line).replace(/\r$/, ''))
      start = ''
    }
    start = (start + rest).slice(0, MAX_LINE)
  })
  stream.on('end', () => {
    if (start !== '') onLine(start)
  })
  // Ignore broken pipes: the program holds the other end, and its exit tells more.
  stream.on('error', () => undefined)
}

/** Most characters of one line, and most lines and characters of a text. */
const LINE = 2_000
const LINES = 40
const TEXT = 8_000

/** A game's text as lines without control characters. */
export function plainLines(text: string): string {
  const lines = text
    .slice(0, TEXT)
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .split('\n', LINES + 1)
  while (lines.length > 1 && lines.at(-1)!.trim() === '') lines.pop()
  const isCut = text.length > TEXT || lines.length > LINES
  const shown = lines.slice(0, LINES).map((line) => plainText(line, LINE))
  return shown.join('\n') + (isCut && !shown.at(-1)!.endsWith('…') ? '…' : '')
}
