import { html, hashes } from '../../dashboard/index.html?page'

/** Path of the dashboard. */
export const DASHBOARD_PATH = '/_/'

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    `default-src 'none'`,
    `script-src '${hashes.script}'`,
    `style-src '${hashes.style}'`,
    `connect-src 'self'`,
    `img-src data:`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Answers a request for the dashboard. */
export const dashboardPage = (): Response => new Response(html, { headers })
