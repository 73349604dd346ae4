import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { atExit, endGroup } from '../../local/game.js'
import { HostError } from '../host-error.js'

/** The browser ended before it answered. */
export class EndedEarly extends Error {
  readonly isAboutSandbox: boolean

  constructor(how: string, messages = '') {
    const reason = messages
      .split('\n')
      .filter((line) => /\b(FATAL|ERROR)\b|error while/.test(line))
      .at(-1)
    super([how, reason?.trim()].filter(Boolean).join(', '))
    this.isAboutSandbox = /sandbox/i.test(messages)
  }
}

/** Of the browser's messages, only the last ones tell why it didn't start. */
const KEPT_MESSAGES = 2_048

/**
 * Starts the process of a browser, with a profile of its own.
 *
 * @param flags makes its flags for a folder of its profile
 * @throws EndedEarly if the process can't be started
 * @throws HostError LAUNCH_FAILED if there is no place for the profile
 */
export async function startBrowserProcess(path: string, flags: (profileDir: string) => readonly string[]) {
  const profileDir = await makeProfile()
  let child: ChildProcess
  try {
    child = spawn(path, flags(profileDir), {
      // The terminal's Ctrl+C must not end the browser before the page gets its `shutdown` event.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      // The user of a container often has no home directory, and the browser needs one.
      env: { ...process.env, HOME: profileDir, TMPDIR: temporaryFor(profileDir) },
    })
    // Some errors come as an event. Others are thrown at once, such as for a file that is no program.
    if (child.pid === undefined) await once(child, 'spawn')
  } catch (error) {
    removeNow(profileDir)
    throw new EndedEarly((error as Error).message)
  }
  const pid = child.pid!
  const kill = (): void => endGroup(pid)
  // A second Ctrl+C, which ends this process at once, leaves nothing behind either.
  const takeBack = atExit(() => {
    kill()
    removeNow(profileDir)
  })

  let messages = ''
  child.stderr!.on('data', (text: Buffer) => {
    messages = (messages + text.toString()).slice(-KEPT_MESSAGES)
  })
  return {
    pid,
    /** The pipes from and to the browser. */
    input: child.stdio[4] as Readable,
    output: child.stdio[3] as Writable,
    /** Resolves with how the process ended, such as `exit code 1` or `SIGKILL`. */
    ended: new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    }),
    /** The last part of the browser's stderr. */
    messages: () => messages,
    /** Ends the browser with its whole process group. */
    kill,
    /** After the process has ended, removes its remains: other processes of its group, and its profile. */
    async cleanUp(): Promise<void> {
      // A stopped renderer doesn't notice that its browser has ended.
      kill()
      // A child of the browser may outlive it briefly and still write there.
      await rm(profileDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined)
      takeBack()
    },
  }
}

/** @throws HostError LAUNCH_FAILED */
async function makeProfile(): Promise<string> {
  const folder = tmpdir()
  try {
    return await mkdtemp(join(folder, 'gameserver-host-'))
  } catch (error) {
    throw new HostError(
      'LAUNCH_FAILED',
      `The browser gets no profile in ${folder}: ${(error as Error).message}.`,
      'Set TMPDIR to a folder that can be written; in a container, mount one at /tmp.',
      { cause: error },
    )
  }
}

/** Chromium makes a socket of this name among its temporary files. A longer path crashes it. */
const SOCKET = '/.org.chromium.Chromium.abcdef/SingletonSocket'
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

/** Temporary files are in the profile, to be deleted with it, unless the path of the socket became too long. */
export const temporaryFor = (profile: string): string =>
  profile.length + SOCKET.length <= LONGEST_PATH ? profile : '/tmp'

/** Most attempts to remove a profile at the exit of this process, with 50 ms after each that found new files. */
const MOST_REMOVALS = 10

/**
 * A child of the browser may outlive its SIGKILL briefly and still write there. Each attempt looks for new files: in
 * Node 20, a retry of `rmSync()` itself doesn't.
 */
function removeNow(folder: string): void {
  for (let attempt = 1; attempt <= MOST_REMOVALS; attempt += 1) {
    try {
      return rmSync(folder, { recursive: true, force: true, maxRetries: 1, retryDelay: 50 })
    } catch {
      // The next attempt follows.
    }
  }
}
