import { brotliDecompressSync } from 'node:zlib'
import { isLoopback, originOf } from '../http/address.js'
import type { RequestHead } from '../http/request-guard.js'

const DASHBOARD_PATH = '/_/'
const EMBEDDED = /^\/_\/\?(?:.*&)?embed(?:=|&|$)/

const pathOf = (target: string): string => target.split('?')[0]!

/** Whether links on other sites may lead to a target: opening the dashboard changes nothing. */
export const isDashboard = (target: string): boolean => ['/_', DASHBOARD_PATH].includes(pathOf(target))

/** Whether a target is the dashboard's strip, which other pages may show in a frame. */
export const isEmbedded = (target: string): boolean => EMBEDDED.test(target)

/**
 * The allowed origins whose pages may show the strip in a frame: those of this machine. A page from elsewhere could cover
 * the strip's buttons.
 */
export const frameOrigins = (allowOrigins: readonly string[]): readonly string[] =>
  allowOrigins.flatMap((text) => {
    const origin = originOf(text)
    return origin !== undefined && isLoopback(new URL(origin).hostname) ? [origin] : []
  })

/**
 * Answers requests for the dashboard, and redirects a browser there that opens the server's address. Undefined for every
 * other request, which the server answers.
 *
 * @param frames origins whose pages may show the page's strip in a frame
 */
export async function answerDashboard(
  { method = 'GET', headers }: RequestHead,
  target: string,
  load: () => Promise<{ readonly page: InlinedPage }>,
  frames?: readonly string[],
): Promise<Response | undefined> {
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
  return page(isEmbedded(target) ? frames : undefined)
}

/** The dashboard's address. A token stands in the fragment, which is neither sent nor logged. */
export function dashboardUrl(local: { readonly url: string; readonly controlToken: string | undefined }): string {
  return `${local.url}/_/${local.controlToken === undefined ? '' : `#token=${local.controlToken}`}`
}

/** A page as `build/inline-page.mjs` makes it. */
interface PageModule {
  readonly brotli: string
  readonly hashes: { readonly script: string; readonly style: string }
}

/** Answers requests for a page; `frames` are the origins whose pages may frame it beside its own, undefined for none. */
export type InlinedPage = (frames: readonly string[] | undefined) => Response

/** The page holds no secret: everything that it shows comes from the control interface. */
export function inlinedPage({ brotli, hashes }: PageModule): InlinedPage {
  const body = brotliDecompressSync(Buffer.from(brotli, 'base64'))
  return (frames) => {
    const policy = [
      `default-src 'none'`,
      `script-src '${hashes.script}'`,
      `style-src '${hashes.style}'`,
      `connect-src 'self'`,
      `frame-ancestors ${frames === undefined ? "'none'" : ["'self'", ...frames].join(' ')}`,
      `img-src data:`,
      `base-uri 'none'`,
      `form-action 'none'`,
    ]
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      ...(frames === undefined ? { 'x-frame-options': 'DENY' } : {}),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    }
    return new Response(body, { headers })
  }
}
