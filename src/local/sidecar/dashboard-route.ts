import { brotliDecompressSync } from 'node:zlib'
import { SAFE_HEADERS } from '../http/refusal.js'
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
  { method = 'GET', headers }: RequestHead,
  target: string,
  load: () => Promise<{ readonly page: InlinedPage }>,
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
  return page()
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

/** Answers a request for the page. The page holds no secret: everything that it shows comes from the control interface. */
export type InlinedPage = () => Response

export function inlinedPage({ brotli, id, hashes }: PageModule): InlinedPage {
  const body = brotliDecompressSync(Buffer.from(brotli, 'base64'))
  const policy = [
    `default-src 'none'`,
    `script-src '${hashes.script}'`,
    `style-src '${hashes.style}'`,
    `connect-src 'self'`,
    `frame-ancestors 'none'`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ]
  const headers = {
    ...SAFE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    // An open page that is connected again compares it with its own.
    etag: `W/"${id}"`,
  }
  return () => new Response(body, { headers })
}
