/** What a request names inside the site. */
export interface SitePath {
  /** Decoded once; never empty, `.` or `..`, and without separators. */
  readonly segments: readonly string[]
  /** Whether it names a folder. */
  readonly isFolder: boolean
  /** As it came, `?` included; empty where there is none. */
  readonly query: string
}

/** Bytes that no name in a site has: they cut names short, or mean something on one system or another. */
const FORBIDDEN = /[\u0000-\u001f\u007f\\/]/

/** On Windows `:` begins a stream of a file or names a drive, and dots and blanks at the end are not seen. */
const FORBIDDEN_ON_WINDOWS = /:|[. ]$/

/**
 * Reads a request target; a text says why it can't be a path here. Decodes exactly once and never normalises: browsers
 * have removed dot segments already, so whoever still sends one is looking for something outside.
 */
export function readSitePath(target: string, windows = process.platform === 'win32'): SitePath | string {
  const { path, query } = splitTarget(target)
  if (path === undefined) return 'The request names no path.'
  const segments: string[] = []
  for (const raw of path.split('/').filter((part) => part !== '')) {
    const segment = decode(raw)
    if (segment === undefined) return 'The path has a broken percent encoding.'
    if (segment === '.' || segment === '..') return 'A path with "." or ".." in it is not served.'
    if (FORBIDDEN.test(segment) || (windows && FORBIDDEN_ON_WINDOWS.test(segment))) {
      return 'The path holds a character that no file here has.'
    }
    segments.push(segment)
  }
  return { segments, isFolder: path.endsWith('/'), query }
}

/** A path from the site's root, encoded. Begins with exactly one slash: two would name another host. */
export const encodeSitePath = (segments: readonly string[]): string => `/${segments.map(encodeURIComponent).join('/')}`

function splitTarget(target: string): { path: string | undefined; query: string } {
  const [, path, query = ''] = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)(\?[^#]*)?/i.exec(target) ?? []
  return { path, query }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
