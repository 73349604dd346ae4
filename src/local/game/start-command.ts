import { spawn } from 'node:child_process'
import type { SpawnOptions } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { endGroup, guardFamily, isFamilyAlive, markedEnv, readLines, signalFamily, signalGroup } from './processes.js'
import type { Family } from './processes.js'

const LEFTOVERS_MS = 5_000
/** Longest wait for killed processes to go. */
const KILLED_MS = 1_000
/** Longest wait for output after the end. */
const OUTPUT_MS = 1_000
/** Interval of checks whether a process of the group is left. */
const LOOK_MS = 20

export interface CommandEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** As in a shell: the command's exit code, or 128 plus the number of the signal that ended it. */
  readonly exitCode: number
}

/** A running command, with all the processes that it starts. */
export interface RunningCommand {
  readonly pid: number
  /** null if stdout isn't piped. */
  readonly stdout: Readable | null
  /** null if stderr isn't piped. */
  readonly stderr: Readable | null
  /** Resolves when the command and every process that it has started have ended. */
  readonly exited: Promise<CommandEnd>
  /** Sends a signal only to the command, as in a container; the command has to signal its own children. */
  signal(name: NodeJS.Signals): void
  /** Sends a signal to every process of the group, as a terminal does. */
  signalAll(name: NodeJS.Signals): void
  /** Sends SIGTERM to the command, and kills the whole group if it hasn't ended within `graceMs`. */
  terminate(graceMs: number): Promise<CommandEnd>
  /** Kills the command and everything that it has started at once. */
  kill(): Promise<CommandEnd>
}

export interface StartOptions extends Pick<SpawnOptions, 'env' | 'stdio'> {
  /** How long processes that the command has left behind may take to end by SIGTERM, in ms. Default 5,000. */
  readonly leftoversMs?: number
}

/** A command that can't be started. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
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
 * @throws CommandError if it can't be started
 */
export async function startCommand(
  [program, ...args]: readonly [string, ...string[]],
  { leftoversMs = LEFTOVERS_MS, ...options }: StartOptions,
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
  // Once the group has ended, another group may get its number.
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null

  const exited = new Promise<CommandEnd>((resolve) =>
    child.once('exit', (code, signal) => {
      void endLeftovers(family, leftoversMs, () => killed).then(() => {
        dismiss()
        resolve({ code, signal, exitCode: code ?? 128 + constants.signals[signal!] })
      })
    }),
  )
  const kill = (): Promise<CommandEnd> => {
    killed = true
    if (!hasEnded()) endGroup(pid)
    return exited
  }
  const signal = (name: NodeJS.Signals): void => void child.kill(name)
  return {
    pid,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    signal,
    signalAll: (name) => {
      if (!hasEnded()) signalGroup(pid, name)
    },
    terminate: (graceMs) => {
      signal('SIGTERM')
      const timer = setTimeout(() => void kill(), graceMs)
      return exited.finally(() => clearTimeout(timer))
    },
    kill,
  }
}

/**
 * Starts a command like `startCommand()` and reads its output. `exited` also waits until the output was read.
 *
 * @param onLine takes each line: of stdout as `info`, of stderr as `error`
 * @throws CommandError if it can't be started
 */
export async function startTalking(
  command: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  onLine: (level: 'info' | 'error', line: string) => void,
  options: Pick<StartOptions, 'leftoversMs'> = {},
): Promise<RunningCommand> {
  const running = await startCommand(command, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const streams = [running.stdout!, running.stderr!]
  const read = Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))))
  streams.forEach((stream, index) => readLines(stream, (line) => onLine(index === 0 ? 'info' : 'error', line)))
  const exited = running.exited.then(async (end) => {
    await Promise.race([read, sleep(OUTPUT_MS, undefined, { ref: false })])
    for (const stream of streams) stream.destroy()
    return end
  })
  return { ...running, exited }
}

/**
 * Ends the processes that the command left behind. A shell that ends by SIGTERM
 * doesn't signal its game, so the game gets its own SIGTERM and time to end.
 */
async function endLeftovers(family: Family, ms: number, isKilled: () => boolean): Promise<void> {
  if (!isFamilyAlive(family)) return
  signalFamily(family, 'SIGTERM')
  await until(() => isKilled() || !isFamilyAlive(family), ms)
  signalFamily(family, 'SIGKILL')
  await until(() => !isFamilyAlive(family), KILLED_MS)
}

async function until(isDone: () => boolean, ms: number): Promise<void> {
  const deadline = performance.now() + ms
  while (!isDone() && performance.now() < deadline) await sleep(LOOK_MS)
}

function startError(program: string, cause: NodeJS.ErrnoException): CommandError {
  const name = JSON.stringify(program)
  if (cause.code === 'ENOENT') {
    const fix = program.includes('/') ? 'check its path' : 'check its name, or give its path, such as ./game'
    return new CommandError(`There is no command ${name}; ${fix}`, 127, { cause })
  }
  if (cause.code === 'EACCES' || cause.code === 'ENOEXEC') {
    const fix = `make it executable (chmod +x), or give what runs it, such as node ${program}`
    return new CommandError(`${name} can't be executed; ${fix}`, 126, { cause })
  }
  return new CommandError(`${name} can't be started: ${cause.message}; check the command`, 126, { cause })
}
