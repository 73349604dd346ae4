import { spawn } from 'node:child_process'
import { endGroup, guardGroup } from '../../exec/guardian.js'
import { readLines } from './line-reader.js'
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
  /** The last lines of its stderr. */
  readonly lastErrors: readonly string[]
}

/** A running program, with all the processes that it starts. */
export interface ProgramProcess {
  readonly pid: number
  /** Resolves when the program and its process group have ended, and all its output has been read. */
  readonly ended: Promise<ProgramEnd>
  /** Sends a signal to the program alone. What it has started is its own business. */
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
      // What the program has started and left behind would hold its output open, and outlive the host.
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
      // The number may be another group's by then.
      if (!hasEnded) endGroup(group)
    },
  }
}
