import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { endGroup } from '../../exec/processes.js'
import { HostError } from '../host-error.js'
import {
  makeProfile,
  temporaryFor,
  removeAbandonedProfiles,
  removeProfile,
  removeProfileNow,
} from './profile-folder.js'

/** The process of a browser, with a profile of its own. */
export interface BrowserProcess {
  readonly pid: number
  /** What the browser says, and what is said to it. */
  readonly input: Readable
  readonly output: Writable
  /** Resolves with how the process ended, such as `exit code 1` or `SIGKILL`. */
  readonly ended: Promise<string>
  /** The end of what it has written to stderr. */
  messages(): string
  /** Ends it with all its processes, which are one group. */
  kill(): void
  /** Once the process has ended, takes away what is left of it: other processes of its group, and its profile. */
  cleanUp(): Promise<void>
}

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
 * Starts a browser.
 *
 * @param flags makes its flags for a folder of its profile
 * @throws EndedEarly if there can't be such a process
 * @throws HostError LAUNCH_FAILED if there is no place for the profile
 */
export async function startBrowserProcess(
  path: string,
  flags: (profileDir: string) => readonly string[],
): Promise<BrowserProcess> {
  const profileDir = await makeProfile()
  let child: ChildProcess
  try {
    child = spawn(path, flags(profileDir), {
      // The terminal's Ctrl+C must not end the browser before the page was told.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      // The user of a container often has no home directory, and the browser needs one. What it leaves among temporary
      // files when it is killed goes with its profile.
      env: { ...process.env, HOME: profileDir, TMPDIR: temporaryFor(profileDir) },
    })
    // Some reasons are told by an event, and others, such as that a file is no program, at once.
    if (child.pid === undefined) await once(child, 'spawn')
  } catch (error) {
    removeProfileNow(profileDir)
    throw error instanceof HostError ? error : new EndedEarly((error as Error).message)
  }
  void removeAbandonedProfiles()
  const pid = child.pid!
  const kill = (): void => endGroup(pid)
  const endNow = (): void => {
    kill()
    removeProfileNow(profileDir)
  }
  // A second Ctrl+C, which ends this process at once, leaves nothing behind either.
  process.once('exit', endNow)

  let messages = ''
  child.stderr!.on('data', (text: Buffer) => {
    messages = (messages + text.toString()).slice(-KEPT_MESSAGES)
  })
  return {
    pid,
    input: child.stdio[4] as Readable,
    output: child.stdio[3] as Writable,
    ended: new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    }),
    messages: () => messages,
    kill,
    async cleanUp() {
      // A renderer that is stopped doesn't notice that its browser has gone.
      kill()
      await removeProfile(profileDir)
      process.off('exit', endNow)
    },
  }
}
