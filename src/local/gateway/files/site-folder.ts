import { readdirSync, statSync, type Stats } from 'node:fs'
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

/** On Windows, `:` names a drive or a stream of a file, and dots and blanks at the end are ignored. */
const FORBIDDEN_ON_WINDOWS = /:|[. ]$/

/**
 * Reads a request target. Returns a text that says why if the target can't be a path here. Decodes exactly once and never
 * normalises: browsers remove dot segments, so a client that sends one looks for something outside.
 */
export function readSitePath(target: string, windows = process.platform === 'win32'): SitePath | string {
  const [, path, query = ''] = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)(\?[^#]*)?/i.exec(target) ?? []
  if (path === undefined) return 'The request names no path.'
  let segments: string[]
  try {
    segments = path.split('/').flatMap((part) => (part === '' ? [] : [decodeURIComponent(part)]))
  } catch {
    return 'The path has a broken percent encoding.'
  }
  for (const segment of segments) {
    if (segment === '.' || segment === '..') return 'A path with "." or ".." in it is not served.'
    if (FORBIDDEN.test(segment) || (windows && FORBIDDEN_ON_WINDOWS.test(segment))) {
      return 'The path holds a character that no file here has.'
    }
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

/**
 * The hidden folder with the files of a ConfigMap or another volume of Kubernetes. Every visible name is a link into this
 * folder, which Kubernetes replaces as a whole.
 */
const MOUNTED = /(?<=^|[/\\])\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+[/\\]/

/** Codes of errors that mean that there is no such file. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL']

/**
 * Opens a folder to be served.
 *
 * @throws TypeError if there is no such folder, or nothing in it to serve
 */
export function openSiteFolder(dir: string): FindInSite {
  const folder = checkFolder(dir)
  return async (segments) => {
    if (isHidden(segments)) return undefined
    try {
      // Resolved for each request, since a build may replace the folder or a link to it.
      const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, ...segments))])
      const inside = relative(root, path)
      if (isAbsolute(inside) || isHidden(inside.replace(MOUNTED, '').split(sep))) return undefined
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

function checkFolder(dir: string): string {
  const folder = resolve(dir)
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) throw new TypeError(`There is no folder ${folder} to serve`)
  if (!stat.isDirectory()) throw new TypeError(`${folder} is not a folder: name the one that holds index.html`)
  if (readdirSync(folder).every((name) => isHidden([name]))) {
    throw new TypeError(`The folder ${folder} holds nothing to serve: was the game built?`)
  }
  return folder
}
