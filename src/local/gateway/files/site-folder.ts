import { statSync, type Stats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/** A path inside the site, as a request names it. */
export interface SitePath {
  /** Decoded once; never empty, `.` or `..`, and without separators. */
  readonly segments: readonly string[]
  readonly isFolder: boolean
  /** As it came, with its `?`; empty if there is none. */
  readonly query: string
}

/** Characters that no name in a site has: on some system they end a name or separate two. */
const FORBIDDEN = /[\u0000-\u001f\u007f\\/]/

/**
 * Reads a request target. Returns a text that says why if the target can't be a path here. Decodes exactly once and never
 * normalises: browsers remove dot segments, so a client that sends one looks for something outside.
 */
export function readSitePath(target: string): SitePath | string {
  const [, path = '', query = ''] = /^([^?]*)(\?.*)?$/s.exec(target)!
  let segments: string[]
  try {
    segments = path.split('/').flatMap((part) => (part === '' ? [] : [decodeURIComponent(part)]))
  } catch {
    return 'The path has a broken percent encoding.'
  }
  for (const segment of segments) {
    if (segment === '.' || segment === '..') return 'A path with "." or ".." in it is not served.'
    if (FORBIDDEN.test(segment)) return 'The path holds a character that no file here has.'
  }
  return { segments, isFolder: path.endsWith('/'), query }
}

/** A file or folder that may be served. */
export interface SiteEntry {
  /** Its real path, with every link followed. */
  readonly path: string
  readonly stat: Stats
}

/** Resolves with the file or folder at these names; undefined if it is absent, outside, hidden, or of another kind. */
export type FindInSite = (segments: readonly string[]) => Promise<SiteEntry | undefined>

/** Codes of errors that mean that there is no such file. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL']

/**
 * Opens a folder to be served.
 *
 * @throws TypeError if there is no such folder
 */
export function openSiteFolder(dir: string): FindInSite {
  const folder = resolve(dir)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new TypeError(`There is no folder ${folder} to serve: was the game built?`)
  }
  return async (segments) => {
    if (isHidden(segments)) return undefined
    try {
      // Resolved for each request, since a build may replace the folder or a link to it.
      const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, ...segments))])
      const inside = relative(root, path)
      if (isAbsolute(inside) || isHidden(inside.split(sep))) return undefined
      const stat = await lstat(path)
      return stat.isFile() || stat.isDirectory() ? { path, stat } : undefined
    } catch (error) {
      if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
      throw error
    }
  }
}

/** Names that begin with a dot are hidden, `..` among them, except `.well-known`. */
const isHidden = (segments: readonly string[]): boolean =>
  segments.some((name, i) => name.startsWith('.') && !(i === 0 && name === '.well-known'))
