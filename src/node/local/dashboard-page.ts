import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { brotli, hashes, id } from '../../dashboard/index.html?page'

/** Identity of the page: another one is served once the package is another. */
const ETAG = `W/"${id}"`

/** The page in each encoding that was asked for so far; `identity` for none. */
const bodies = new Map<string, Uint8Array>([['br', Buffer.from(brotli, 'base64')]])

export interface PageRequest {
  readonly method: string
  readonly acceptEncoding: string
  readonly ifNoneMatch: string
  /** Origins whose pages may show it in a frame, beside its own; undefined if no page may. */
  readonly frames: readonly string[] | undefined
}

/** Answers a request for the dashboard. Nothing in the page is a secret: all that it shows comes from the control interface. */
export function dashboardPage({ method, acceptEncoding, ifNoneMatch, frames }: PageRequest): Response {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      `default-src 'none'`,
      `script-src '${hashes.script}'`,
      `style-src '${hashes.style}'`,
      `connect-src 'self'`,
      `img-src data:`,
      `frame-ancestors ${frames === undefined ? "'none'" : ["'self'", ...frames].join(' ')}`,
      `base-uri 'none'`,
      `form-action 'none'`,
    ].join('; '),
    ...(frames === undefined ? { 'x-frame-options': 'DENY' } : {}),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    etag: ETAG,
    vary: 'accept-encoding',
  }
  if (ifNoneMatch.split(/, */).includes(ETAG)) return new Response(null, { status: 304, headers })
  const encoding = ['br', 'gzip'].find((name) => takes(acceptEncoding, name)) ?? 'identity'
  const body = bodyIn(encoding)
  const length = {
    'content-length': String(body.byteLength),
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
  }
  return new Response(method === 'HEAD' ? null : (body as Uint8Array<ArrayBuffer>), {
    headers: { ...headers, ...length },
  })
}

/** Of the script and the style inside the page, as a policy names them. */
export const pageHashes = hashes

export const pageText = (): string => Buffer.from(bodyIn('identity')).toString()

/** Whether a list of encodings names one, and not by a quality of 0. */
const takes = (acceptEncoding: string, name: string): boolean =>
  acceptEncoding.split(',').some((part) => {
    const [encoding, quality = ''] = part.split(';').map((text) => text.trim().toLowerCase())
    return encoding === name && !/^q=0(\.0*)?$/.test(quality)
  })

function bodyIn(encoding: string): Uint8Array {
  const known = bodies.get(encoding)
  if (known !== undefined) return known
  const page = brotliDecompressSync(bodies.get('br')!)
  const body = encoding === 'gzip' ? gzipSync(page, { level: 9 }) : page
  bodies.set(encoding, body)
  return body
}
