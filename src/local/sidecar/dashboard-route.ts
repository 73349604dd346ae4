import { brotliDecompressSync } from 'node:zlib'
import type { RequestHead } from '../http/request-guard.js'

const DASHBOARD_PATH = '/_/'

const pathOf = (target: string): string => target.split('?')[0]!

/** Whether links on other sites may lead to a target: opening the dashboard changes nothing. */
export const isDashboard = (target: string): boolean => ['/_', DASHBOARD_PATH].includes(pathOf(target))

/**
 * Answers requests for the dashboard, and redirects a browser there that opens the server's address. Undefined for every
 * other request, which the server answers.
 */
export async function answerDashboard(
  head: RequestHead,
  target: string,
  load: () => Promise<{ readonly page: InlinedPage }>,
): Promise<Response | undefined> {
  const { method = 'GET', headers } = head
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const path = pathOf(target)
  const leads = path === '/_' || (path === '/' && method === 'GET' && /\btext\/html\b/i.test(headers.accept ?? ''))
  if (leads) {
    return new Response(null, {
      status: 302,
      headers: { location: DASHBOARD_PATH, vary: 'accept', 'content-length': '0' },
    })
  }
  if (path !== DASHBOARD_PATH) return undefined
  // Loaded on demand: the page is large, and many servers are never looked at.
  const { page } = await load()
  return page.answer(head)
}

/** The dashboard's address. A token stands in the fragment, which is neither sent nor logged. */
export function dashboardUrl(local: { readonly url: string; readonly controlToken: string | undefined }): string {
  return `${local.url}/_/${local.controlToken === undefined ? '' : `#token=${local.controlToken}`}`
}

/** A page as `build/inline-page.mjs` makes it. */
interface PageModule {
  readonly brotli: string
  readonly id: string
  readonly hashes: { readonly script: string; readonly style: string }
}

export type InlinedPage = ReturnType<typeof inlinedPage>

export function inlinedPage({ brotli, id, hashes }: PageModule) {
  /** Identity of the page, which changes with the package. */
  const etag = `W/"${id}"`
  const packed = Buffer.from(brotli, 'base64')
  let unpacked: Buffer | undefined
  const plain = (): Buffer => (unpacked ??= brotliDecompressSync(packed))

  /** A Content-Security-Policy that lets in the page's own script and style, and what `others` say. */
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
    text: (): string => plain().toString(),
    policy,
    /** Answers a request for the page. The page holds no secret: everything that it shows comes from the control interface. */
    answer({ headers: asked }: RequestHead): Response {
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy(`connect-src 'self'`, `frame-ancestors 'none'`),
        'x-frame-options': 'DENY',
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
