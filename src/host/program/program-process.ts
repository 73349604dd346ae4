import { stripVTControlCharacters } from 'node:util'
import { startTalking } from '../../local/game.js'
import type { CommandEnd, RunningCommand } from '../../local/game.js'
import { plainLines } from '../../local/game.js'

/** Lines of stderr that are kept for the reason of a crash: Node lists each file of a "require stack" twice. */
const KEPT_LINES = 100
const KEPT_LENGTH = 300

export interface ProgramProcess extends RunningCommand {
  /** The last lines of its stderr. */
  readonly lastErrors: readonly string[]
}

/**
 * Starts a program, and keeps its last words.
 *
 * @throws CommandError if it can't be started
 */
export async function startProgram(
  command: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  onLine: (level: 'info' | 'error', line: string) => void,
): Promise<ProgramProcess> {
  const lastErrors: string[] = []
  const note = (level: 'info' | 'error', line: string): void => {
    if (level === 'error' && line.trim() !== '') lastErrors.push(line.slice(0, KEPT_LENGTH))
    if (lastErrors.length > KEPT_LINES) lastErrors.shift()
    onLine(level, line)
  }
  // The end of the program is the end of the server, whatever it has left behind.
  return { ...(await startTalking(command, env, note, { leftoversMs: 0 })), lastErrors }
}

/** How an error begins in Node, Deno and Bun. */
const ERROR = /^(error:|(uncaught )?[\w.$]*(error|exception)\b)/i
/** The message of Node when its heap is full, right before SIGABRT. */
const HEAP_FULL = /^FATAL ERROR: .*out of memory/
/** The line of Node and Bun below the stack. */
const VERSION = /^(Node\.js|Bun) v\d/
const MAX_SENTENCE = 300
const MAX_DETAILS = 8

/**
 * Why a program has crashed: in one sentence, and the lines of its stderr that say more.
 *
 * @param whyKilled the system's reason for a kill in words, if known
 */
export function describeProgramEnd(
  { code, signal }: CommandEnd,
  lastErrors: readonly string[],
  whyKilled: string,
): { sentence: string; details: string[] } {
  const how = `The program ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}`
  const lines = lastErrors.map(stripVTControlCharacters).filter((line) => !VERSION.test(line))
  const last = lines.slice(-MAX_DETAILS).map((line) => plainLines(line))
  // A shell ends with 137 after a program that was killed.
  if (signal === 'SIGKILL' || code === 137) return { sentence: how + whyKilled, details: last }
  const found = lines.map((line) => (signal === null ? ERROR : HEAP_FULL).test(line)).lastIndexOf(true)
  // Output before a signal may have nothing to do with the end.
  if (signal !== null && found === -1) return { sentence: how, details: last }
  const start = found === -1 ? lines.length - 1 : found
  const message = lines[start]
  if (message === undefined) return { sentence: how, details: [] }
  return {
    sentence: plainLines(`${how}: ${message.trim().slice(0, MAX_SENTENCE)}`),
    details: lines.slice(start + 1, start + 1 + MAX_DETAILS).map((line) => plainLines(line)),
  }
}
