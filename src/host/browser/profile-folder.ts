import { createHash } from 'node:crypto'
import { readlinkSync, rmSync } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../local/game.js'
import { HostError } from '../host-error.js'

/** Errors that another folder may avoid. */
const OF_THE_PLACE = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EROFS', 'ENOSPC', 'EDQUOT']

/** Radix of the process id in the folder's name, to keep the name short. */
const BASE = 36

/**
 * Makes the folder of a browser's profile. Its name holds this process's id, so
 * that a later host can remove it if this process is killed.
 *
 * @throws HostError LAUNCH_FAILED if there is no place for it
 */
export async function makeProfile(): Promise<string> {
  const folder = tmpdir()
  try {
    return await mkdtemp(join(folder, `${prefix()}${process.pid.toString(BASE)}-`))
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const hint = OF_THE_PLACE.includes(code)
      ? 'Set TMPDIR to a folder that can be written; in a container, mount one at /tmp.'
      : undefined
    throw new HostError('LAUNCH_FAILED', `The browser gets no profile in ${folder}: ${message}.`, hint, {
      cause: error,
    })
  }
}

/** Chromium makes a socket of this name among its temporary files. */
const SOCKET = '/.org.chromium.Chromium.abcdef/SingletonSocket'
/** Longest path of a socket: a longer one crashes Chromium. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

/**
 * Where the browser has its temporary files: in its profile, so that they are deleted with
 * the profile, or in a folder with a shorter path, if the socket's path became too long.
 */
export const temporaryFor = (profile: string): string =>
  [profile, tmpdir()].find((folder) => folder.length + SOCKET.length <= LONGEST_PATH) ?? '/tmp'

/** A child of the browser may outlive it briefly and still write there. */
export const removeProfile = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined)

export function removeProfileNow(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Somebody still writes there.
  }
}

/** Removes the profiles left by killed hosts of this user. */
export async function removeAbandonedProfiles(): Promise<void> {
  const folder = tmpdir()
  const ours = prefix()
  const names = await readdir(folder).catch(() => [])
  const abandoned = names.filter((name) => {
    const pid = name.startsWith(ours) ? Number.parseInt(name.slice(ours.length), BASE) : NaN
    return pid > 0 && !isAlive(pid)
  })
  for (const name of abandoned) {
    const path = join(folder, name)
    const found = await lstat(path).catch(() => undefined)
    if (found?.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) await removeProfile(path)
  }
}

/** A pid is unique only on one machine or in one container, but containers may share their temporary files. */
function prefix(): string {
  const place = createHash('sha256').update(`${hostname()} ${namespaceOfProcesses()}`).digest('hex')
  return `gameserver-host-${place.slice(0, 4)}-`
}

function namespaceOfProcesses(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Only Linux has them.
    return ''
  }
}
