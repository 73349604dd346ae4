import { brotliDecompressSync } from 'node:zlib'
import { brotli, hashes, id } from '../../dashboard/index.html?page'

/** Identity of the page: another one is served once the package is another. */
const ETAG = `W/"${id}"`

const packed = Buffer.from(brotli, 'base64')
let unpacked: Buffer | undefined
const plain = (): Buffer => (unpacked ??= brotliDecompressSync(packed))

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
  // A browser takes Brotli from this machine, where the page is looked at.
  const isPacked = /\bbr\b/i.test(acceptEncoding)
  const body = isPacked ? packed : plain()
  return new Response(method === 'HEAD' ? null : (body as Uint8Array<ArrayBuffer>), {
    headers: {
      ...headers,
      'content-length': String(body.byteLength),
      ...(isPacked ? { 'content-encoding': 'br' } : {}),
    },
  })
}

/** Of the script and the style inside the page, as a policy names them. */
export const pageHashes = hashes

export const pageText = (): string => plain().toString()
