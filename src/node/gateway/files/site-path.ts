/** A path inside the site, as a request names it. */
export interface SitePath {
  /** Decoded once; never empty, `.` or `..`, and without separators. */
  readonly segments: readonly string[]
  /** Whether it names a folder. */
  readonly isFolder: boolean
  /** As it came, with its `?`; empty if there is none. */
  readonly query: string
}

/** Characters that no name in a site has. They cut names short, or separate names on one system or another. */
const FORBIDDEN = /[\u0000-\u001f\u007f\\/]/

/** On Windows, `:` names a drive or a stream of a file, and dots and blanks at the end are ignored. */
const FORBIDDEN_ON_WINDOWS = /:|[. ]$/

/**
 * Reads a request target. Returns a text if it can't be a path here, which says why. Decodes exactly once and never
 * normalises: browsers have removed dot segments, so a client that still sends one looks for something outside.
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

/** A path from the site's root, encoded. It begins with exactly one slash, because two would begin a host. */
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
