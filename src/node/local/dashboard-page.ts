import { brotliDecompressSync } from 'node:zlib'
import { brotli, hashes, id } from '../../dashboard/index.html?page'
import type { ReportLine } from '../../sidecar/index.js'
import type { RequestHead } from '../http/request-guard.js'

/** Identity of the page, which changes with the package. */
const ETAG = `W/"${id}"`

const packed = Buffer.from(brotli, 'base64')
let unpacked: Buffer | undefined
const plain = (): Buffer => (unpacked ??= brotliDecompressSync(packed))

const policyOf = (...others: readonly string[]): string =>
  [
    `default-src 'none'`,
    `script-src '${hashes.script}'`,
    `style-src '${hashes.style}'`,
    ...others,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')

/**
 * Answers a request for the dashboard. The page holds no secret: everything that it shows comes from the control interface.
 *
 * @param frames origins whose pages may show the page in a frame, beside its own origin; undefined if no page may
 */
export function dashboardPage({ headers: asked }: RequestHead, frames: readonly string[] | undefined): Response {
  const ancestors = frames === undefined ? "'none'" : ["'self'", ...frames].join(' ')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyOf(`connect-src 'self'`, `frame-ancestors ${ancestors}`),
    ...(frames === undefined ? { 'x-frame-options': 'DENY' } : {}),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    etag: ETAG,
    vary: 'accept-encoding',
  }
  if (asked['if-none-match'] === ETAG) return new Response(null, { status: 304, headers })
  // Browsers accept Brotli over HTTP only from this machine, where the page is mostly read.
  const isPacked = /\bbr\b/i.test(asked['accept-encoding'] ?? '')
  const body = (isPacked ? packed : plain()) as Uint8Array<ArrayBuffer>
  return new Response(body, { headers: { ...headers, ...(isPacked ? { 'content-encoding': 'br' } : {}) } })
}

/** A session as one HTML file: the dashboard's page with the lines inside it, which opens from a disk. */
export function* reportTexts(lines: Iterable<ReportLine>): Generator<string, void> {
  const page = plain().toString()
  const head = page.indexOf('<head>') + '<head>'.length
  const body = page.indexOf('<body>', head) + '<body>'.length
  // A file has no headers, so its policy is inside: the page loads nothing and connects to nobody.
  yield `${page.slice(0, head)}<meta http-equiv="Content-Security-Policy" content="${policyOf()}" />`
  yield `${page.slice(head, body)}<script id="recording" type="application/x-ndjson">\n`
  for (const line of lines) yield `${inertJson(line)}\n`
  yield `</script>${page.slice(body)}`
}

/** JSON as the text of a script element: without a `<`, nothing ends the element or begins a comment in it. */
export const inertJson = (value: object): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`)
