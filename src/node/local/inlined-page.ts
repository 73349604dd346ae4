import { brotliDecompressSync } from 'node:zlib'
import type { RequestHead } from '../http/request-guard.js'

/** A page as `build/inline-page.mjs` makes it. */
interface PageModule {
  readonly brotli: string
  readonly id: string
  readonly hashes: { readonly script: string; readonly style: string }
}

/** A page with its script and style inside. */
export interface InlinedPage {
  /** The HTML. */
  text(): string
  /** A Content-Security-Policy that lets in the page's own script and style, and what `others` say. */
  policy(...others: readonly string[]): string
  /**
   * Answers a request for the page. The page holds no secret: everything that it shows comes from the control interface.
   *
   * @param frames origins whose pages may show the page in a frame, beside its own origin; undefined if no page may
   */
  answer(head: RequestHead, frames: readonly string[] | undefined): Response
}

export function inlinedPage({ brotli, id, hashes }: PageModule): InlinedPage {
  /** Identity of the page, which changes with the package. */
  const etag = `W/"${id}"`
  const packed = Buffer.from(brotli, 'base64')
  let unpacked: Buffer | undefined
  const plain = (): Buffer => (unpacked ??= brotliDecompressSync(packed))

  const policy = (...others: readonly string[]): string =>
    [
      `default-src 'none'`,
      `script-src '${hashes.script}'`,
      `style-src '${hashes.style}'`,
      ...others,
      `img-src data:`,
      `base-uri 'none'`,
      `form-action 'none'`,
    ].join('; ')

  return {
    text: () => plain().toString(),
    policy,
    answer({ headers: asked }, frames) {
      const ancestors = frames === undefined ? "'none'" : ["'self'", ...frames].join(' ')
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy(`connect-src 'self'`, `frame-ancestors ${ancestors}`),
        ...(frames === undefined ? { 'x-frame-options': 'DENY' } : {}),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
        etag,
        vary: 'accept-encoding',
      }
      if (asked['if-none-match'] === etag) return new Response(null, { status: 304, headers })
      // Browsers accept Brotli over HTTP only from this machine, where the page is mostly read.
      const isPacked = /\bbr\b/i.test(asked['accept-encoding'] ?? '')
      const body = (isPacked ? packed : plain()) as Uint8Array<ArrayBuffer>
      return new Response(body, { headers: { ...headers, ...(isPacked ? { 'content-encoding': 'br' } : {}) } })
    },
  }
}
