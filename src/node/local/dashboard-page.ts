import { gunzipSync } from 'node:zlib'
import { gzip, hashes, id } from '../../dashboard/index.html?page'

/** Identity of the page: another one is served once the package is another. */
const ETAG = `W/"${id}"`

const compressed: Uint8Array = Buffer.from(gzip, 'base64')

export interface PageRequest {
  readonly method: string
  readonly acceptEncoding: string
  readonly ifNoneMatch: string
  /** Origins whose pages may show it in a frame, beside its own. */
  readonly frames: readonly string[]
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
      `frame-ancestors ${["'self'", ...frames].join(' ')}`,
      `base-uri 'none'`,
      `form-action 'none'`,
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    etag: ETAG,
    vary: 'accept-encoding',
  }
  if (ifNoneMatch.split(/, */).includes(ETAG)) return new Response(null, { status: 304, headers })
  const zips = /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[\d.]+)?\s*(,|$)/.test(acceptEncoding)
  const body = zips ? compressed : gunzipSync(compressed)
  const length = { 'content-length': String(body.byteLength), ...(zips ? { 'content-encoding': 'gzip' } : {}) }
  return new Response(method === 'HEAD' ? null : (body as Uint8Array<ArrayBuffer>), {
    headers: { ...headers, ...length },
  })
}
