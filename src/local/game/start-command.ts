import { spawn, type SpawnOptions } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Game } from './game-life.js'
import {
  guardFamily,
  isFamilyAlive,
  isProcessStarting,
  markedEnv,
  signalFamily,
  signalGroup,
  type Family,
} from './processes.js'

/** How long processes that the command has left behind may take to end by SIGTERM. */
const LEFTOVERS_MS = 5_000
/** Longest wait for killed processes to go. */
const KILLED_MS = 1_000
/** Longest wait for the environment of a process that is just being started, by which the process is known. */
const SHOWN_MS = 50
/** Interval of checks whether a process of the group is left. */
const LOOK_MS = 20

export interface CommandEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** As in a shell: the command's exit code, or 128 plus the number of the signal that ended it. */
  readonly exitCode: number
}

/** A running command. `exited` waits for every process that it has started, and `kill()` kills them all. */
export interface RunningCommand extends Game<CommandEnd> {
  readonly pid: number
  /** null if stdout isn't piped. */
  readonly stdout: Readable | null
  /** null if stderr isn't piped. */
  readonly stderr: Readable | null
  /** Sends SIGTERM only to the command, as in a container; other signals to every process of its group, as a terminal does. */
  terminate(signal: NodeJS.Signals): void
  signalAll(name: NodeJS.Signals): void
}

/** A program that can't be started. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError'
  /** As in a shell: 127 if there is no such command, 126 if it can't be executed. */
  readonly exitCode: 126 | 127

  constructor(message: string, exitCode: 126 | 127, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/**
 * Starts a command in a process group of its own. So a terminal's Ctrl-C reaches only this process,
 * which passes it on once. Whatever the command starts ends with it, even if this process is killed.
 *
 * @throws ProgramError if it can't be started
 */
export async function startCommand(
  [program, ...args]: readonly [string, ...string[]],
  options: Pick<SpawnOptions, 'env' | 'stdio'>,
): Promise<RunningCommand> {
  const { mark, env } = markedEnv(options.env)
  const child = spawn(program, args, { ...options, env, detached: true })
  const { pid } = child
  // An error after the start, such as a signal that wasn't delivered, must not end this process.
  child.on('error', () => undefined)
  if (pid === undefined) {
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve))
    throw startError(program, error)
  }
  const family = { group: pid, mark }
  const dismiss = guardFamily(family)
  let killed = false
  const exited = new Promise<CommandEnd>((resolve) =>
    child.once('exit', (code, signal) => {
      void endLeftovers(family, () => killed).then(() => {
        dismiss()
        resolve({ code, signal, exitCode: code ?? 128 + constants.signals[signal!] })
      })
    }),
  )
  const signalAll = (name: NodeJS.Signals): void => {
    // Once the group has ended, another group may get its number.
    if (child.exitCode === null && child.signalCode === null) signalGroup(pid, name)
  }
  return {
    ...{ pid, stdout: child.stdout, stderr: child.stderr, exited, signalAll },
    terminate: (name) => (name === 'SIGTERM' ? void child.kill(name) : signalAll(name)),
    kill() {
      killed = true
      signalAll('SIGKILL')
    },
  }
}

/**
 * Ends the processes that the command left behind. A shell that ends by SIGTERM
 * doesn't signal its game, so the game gets its own SIGTERM and time to end.
 */
async function endLeftovers(family: Family, isKilled: () => boolean): Promise<void> {
  await until(() => isFamilyAlive(family) || !isProcessStarting(), SHOWN_MS)
  if (isFamilyGone(family)) return
  signalFamily(family, 'SIGTERM')
  await until(() => isKilled() || isFamilyGone(family), LEFTOVERS_MS)
  signalFamily(family, 'SIGKILL')
  await until(() => isFamilyGone(family), KILLED_MS)
}

/** Looks twice: a process that forks and ends during one look hides its child. */
const isFamilyGone = (family: Family): boolean => !isFamilyAlive(family) && !isFamilyAlive(family)

async function until(isDone: () => boolean, ms: number): Promise<void> {
  const deadline = performance.now() + ms
  while (!isDone() && performance.now() < deadline) await sleep(LOOK_MS)
}

function startError(program: string, cause: NodeJS.ErrnoException): ProgramError {
  const name = JSON.stringify(program)
  if (cause.code === 'ENOENT') {
    const fix = program.includes('/') ? 'check its path' : 'check its name, or give its path, such as ./game'
    return new ProgramError(`There is no command ${name}; ${fix}`, 127, { cause })
  }
  if (cause.code === 'EACCES' || cause.code === 'ENOEXEC') {
    const fix = `make it executable (chmod +x), or give what runs it, such as node ${program}`
    return new ProgramError(`${name} can't be executed; ${fix}`, 126, { cause })
  }
  return new ProgramError(`${name} can't be started: ${cause.message}; check the command`, 126, { cause })
}
