import { constants, readdirSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { lstat, open, readlink, realpath } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/** A file or folder that may be served. */
export interface SiteEntry {
  /** Its real path, with every link followed. */
  readonly path: string
  readonly stat: Stats
}

/** A folder whose files are served. */
export interface SiteFolder {
  /**
   * Resolves with the file or folder that these names lead to; with undefined if there is none, or if it is outside,
   * hidden, or of another kind.
   */
  find(segments: readonly string[]): Promise<SiteEntry | undefined>
}

/**
 * The hidden folder that holds the files of a ConfigMap or of another volume of Kubernetes. Every visible name is a link
 * into it, and it is exchanged as a whole.
 */
const MOUNTED = /(?<=^|[/\\])\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+[/\\]/

/** Errors of a look-up that mean only that there is no such file. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL']

/**
 * Opens a folder to be served.
 *
 * @throws TypeError if there is no such folder, or nothing in it to serve
 */
export function openSiteFolder(dir: string): SiteFolder {
  const folder = checkFolder(dir)
  return {
    async find(segments) {
      if (isHidden(segments)) return undefined
      try {
        // Resolved anew each time, since a build may replace the folder or the link that leads to it.
        const root = await realpath(folder)
        const path = await realpath(join(root, ...segments))
        const inside = relative(root, path)
        if (isAbsolute(inside) || isHidden(inside.replace(MOUNTED, '').split(sep))) return undefined
        const stat = await lstat(path)
        return stat.isFile() || stat.isDirectory() ? { path, stat } : undefined
      } catch (error) {
        if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
        throw error
      }
    },
  }
}

/** An open file, and its state when it was opened. */
export interface OpenedFile {
  readonly file: FileHandle
  readonly stat: Stats
}

/**
 * Opens a file that was found. A link on its path may have been exchanged meanwhile, so it is checked that the opened
 * file is the one that was found.
 *
 * @throws NodeJS.ErrnoException, with `code` ENOENT if another file was opened
 */
export async function openFound({ path }: SiteEntry): Promise<OpenedFile> {
  // Opening a named pipe would wait for its other end; with this flag it doesn't.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stat = await file.stat().catch(() => undefined)
  if (stat?.isFile() && (await isThere(file, stat, path).catch(() => false))) return { file, stat }
  await file.close()
  throw Object.assign(new Error('The file was exchanged while it was opened'), { code: 'ENOENT' })
}

async function isThere(file: FileHandle, opened: Stats, path: string): Promise<boolean> {
  // Linux tells where an open file is, or where it was until a newer one replaced it.
  const link = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
  if (link !== undefined) return link === path || link === `${path} (deleted)`
  const { dev, ino } = await lstat(path)
  return dev === opened.dev && ino === opened.ino && (await realpath(path)) === path
}

/** Names with a dot in front are hidden, `..` among them. `.well-known` is there to be asked for. */
const isHidden = (segments: readonly string[]): boolean =>
  segments.some((name, i) => name.startsWith('.') && !(i === 0 && name === '.well-known'))

function checkFolder(dir: unknown): string {
  if (typeof dir !== 'string' || dir === '') {
    throw new TypeError('dir must be the path of the folder that holds the page')
  }
  const folder = resolve(dir)
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) throw new TypeError(`There is no folder ${folder} to serve`)
  if (!stat.isDirectory()) throw new TypeError(`${folder} is not a folder: name the one that holds index.html`)
  if (readdirSync(folder).every((name) => isHidden([name]))) {
    throw new TypeError(`The folder ${folder} holds nothing to serve: was the game built?`)
  }
  return folder
}
