import { isLoopback, originOf } from '../http/address.js'
import type { RequestHead } from '../http/request-guard.js'
import type { InlinedPage } from './inlined-page.js'

/** Path of the dashboard. */
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
  head: RequestHead,
  target: string,
  load: () => Promise<{ readonly page: InlinedPage }>,
  frames?: readonly string[],
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
  return page.answer(head, isEmbedded(target) ? frames : undefined)
}

/** The dashboard's address. A token stands in the fragment, which is neither sent nor logged. */
export function dashboardUrl(local: { readonly url: string; readonly controlToken: string | undefined }): string {
  return `${local.url}/_/${local.controlToken === undefined ? '' : `#token=${local.controlToken}`}`
}
