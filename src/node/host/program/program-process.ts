import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { endGroup, guardGroup, readLines } from '../../exec/processes.js'
import { plainLines } from '../lines.js'
import type { ProgramCommand } from './runtimes.js'

/** Lines of stderr that are kept for the reason of a crash: Node lists each file of a "require stack" twice. */
const KEPT_LINES = 100
const KEPT_LENGTH = 300
/** Longest wait for output after the program's end. */
const OUTPUT_MS = 1_000

/** How a program has ended. */
export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last lines of the program's stderr. */
  readonly lastErrors: readonly string[]
}

/** A running program, with all the processes that it starts. */
export interface ProgramProcess {
  readonly pid: number
  /** Resolves when the program and its process group have ended, and all its output has been read. */
  readonly ended: Promise<ProgramEnd>
  /** Sends a signal only to the program, which has to signal its own children. */
  signal(name: NodeJS.Signals): void
  /** Ends the program and everything in its process group at once. */
  kill(): void
}

/**
 * Starts a program in a process group of its own, so that Ctrl-C reaches only the host, which passes it on.
 *
 * @throws NodeJS.ErrnoException if it can't be started
 */
export async function startProgram(
  { command, args }: ProgramCommand,
  env: NodeJS.ProcessEnv,
  onLine: (level: 'info' | 'error', line: string) => void,
): Promise<ProgramProcess> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const { pid } = child
  // An error after the start, such as a signal that wasn't delivered, is no reason to end the host.
  child.on('error', () => undefined)
  if (pid === undefined) await new Promise<void>((_, reject) => child.once('error', reject))
  const group = pid!
  const dismiss = guardGroup(group)
  const lastErrors: string[] = []
  readLines(child.stdout, (line) => onLine('info', line))
  readLines(child.stderr, (line) => {
    if (line.trim() !== '') lastErrors.push(line.slice(0, KEPT_LENGTH))
    if (lastErrors.length > KEPT_LINES) lastErrors.shift()
    onLine('error', line)
  })

  let hasEnded = false
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      hasEnded = true
      // Processes that the program left behind would keep its output open, and outlive the host.
      endGroup(group)
      dismiss()
      const finish = (): void => {
        clearTimeout(timer)
        child.stdout.destroy()
        child.stderr.destroy()
        resolve({ code, signal, lastErrors })
      }
      const timer = setTimeout(finish, OUTPUT_MS)
      child.once('close', finish)
    })
  })
  return {
    pid: group,
    ended,
    signal: (name) => void child.kill(name),
    kill: () => {
      // Another group may have got the number by then.
      if (!hasEnded) endGroup(group)
    },
  }
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
  { code, signal, lastErrors }: ProgramEnd,
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
