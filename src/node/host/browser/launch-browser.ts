import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostError } from '../host-error.js'
import { browserFlags } from './browser-flags.js'
import type { BrowserFlagOptions } from './browser-flags.js'
import { createDevtoolsPipe } from './devtools-pipe.js'
import type { DevtoolsPipe } from './devtools-pipe.js'

export interface LaunchOptions {
  readonly path: string
  readonly flags: Omit<BrowserFlagOptions, 'sandbox' | 'profileDir'>
  /** ms within which the browser must answer. */
  readonly deadline: number
  readonly onWarning: (message: string) => void
}

/** A browser that runs, until it ends or is ended. */
export interface Browser {
  readonly pid: number
  /** For example `HeadlessChrome/156.0.8078.79`. */
  readonly version: string
  readonly sandbox: boolean
  readonly devtools: DevtoolsPipe
  /** Resolves with how the process ended, such as `exit code 1` or `SIGKILL`. */
  readonly ended: Promise<string>
  /**
   * Ends the browser, by force if it takes longer than a second, and removes its profile. Can be called again.
   *
   * @param atOnce by force from the start: its page has failed, so nothing in it is worth the wait
   */
  close(atOnce?: boolean): Promise<void>
}

/** Time that a browser has to close by itself. */
const CLOSE_MS = 1_000
/** Of the browser's messages, only the last ones tell why it didn't start. */
const KEPT_MESSAGES = 2_048

/**
 * Starts a browser that is steered over a pipe: it ends when this process does, and no port is open. It runs in its
 * sandbox if it can.
 *
 * @throws HostError LAUNCH_FAILED
 */
export async function launchBrowser(options: LaunchOptions): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  const deadline = performance.now() + options.deadline
  let why = 'it refuses to run as root in its sandbox'
  if (!isRoot) {
    try {
      return await launch(options, true, deadline)
    } catch (error) {
      if (!(error instanceof EndedEarly)) throw error
      why = error.isAboutSandbox ? 'this system offers it none' : `it ended (${error.message})`
    }
  }
  try {
    const browser = await launch(options, false, deadline)
    options.onWarning(`The browser runs without its sandbox, since ${why}`)
    return browser
  } catch (error) {
    if (!(error instanceof EndedEarly)) throw error
    throw new HostError('LAUNCH_FAILED', `The browser ${options.path} doesn't start: ${error.message}`, undefined, {
      cause: error,
    })
  }
}

/** The browser ended before it answered. */
class EndedEarly extends Error {
  readonly isAboutSandbox: boolean

  constructor(how: string, messages: string) {
    const reason = messages
      .split('\n')
      .filter((line) => /\b(FATAL|ERROR)\b|error while/.test(line))
      .at(-1)
    super([how, reason?.trim()].filter(Boolean).join(', '))
    this.isAboutSandbox = /sandbox/i.test(messages)
  }
}

async function launch(options: LaunchOptions, sandbox: boolean, deadline: number): Promise<Browser> {
  const profileDir = await mkdtemp(join(tmpdir(), 'gameserver-host-'))
  const child = spawn(options.path, browserFlags({ ...options.flags, sandbox, profileDir }), {
    // The terminal's Ctrl+C must not end the browser before the page was told.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // The user of a container often has no home directory, and the browser needs one.
    env: { ...process.env, HOME: profileDir },
  })
  let messages = ''
  child.stderr!.on('data', (text: Buffer) => {
    messages = (messages + text.toString()).slice(-KEPT_MESSAGES)
  })
  const devtools = createDevtoolsPipe(child.stdio[4] as Readable, child.stdio[3] as Writable)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  void ended.then((how) => devtools.end(`the browser has ended: ${how}`))

  let closing: Promise<void> | undefined
  const end = async (atOnce: boolean): Promise<void> => {
    if (!atOnce) {
      devtools.send('Browser.close', {}, CLOSE_MS).catch(() => undefined)
      await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })])
    }
    if (child.exitCode === null && child.signalCode === null) killGroup(child)
    await ended
    // A child of the browser that dies a little later may still write there.
    await rm(profileDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined)
  }
  const close = (atOnce = false): Promise<void> => (closing ??= end(atOnce))

  try {
    const early = ended.then((how) => {
      throw new EndedEarly(how, messages)
    })
    const version = devtools.send<{ product: string }>(
      'Browser.getVersion',
      {},
      Math.max(1, deadline - performance.now()),
    )
    // A browser that ends closes its pipe first. How it ended comes a moment later and tells why.
    const orHowItEnded = version.catch(async (error: unknown) => {
      const left = Math.max(1, deadline - performance.now())
      await Promise.race([early, sleep(Math.min(left, CLOSE_MS), undefined, { ref: false })])
      throw error
    })
    const { product } = await Promise.race([orHowItEnded, early])
    early.catch(() => undefined)
    return { pid: child.pid!, version: product, sandbox, devtools, ended, close }
  } catch (error) {
    killGroup(child)
    await close()
    if (error instanceof EndedEarly) throw error
    throw new HostError('LAUNCH_FAILED', `The browser ${options.path} has not answered within ${options.deadline} ms.`)
  }
}

/** Ends the browser with all its processes, which are one group. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // They have ended by themselves.
  }
}
