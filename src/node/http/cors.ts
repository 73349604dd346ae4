import type { Admission, RequestHead } from './request-guard.js'

/** Headers that let a page of an allowed origin read an answer. The real sidecar never sends any. */
export const corsHeaders = (
  { foreignOrigin }: Admission,
  requestHeaders: readonly string[] = ['content-type'],
): Record<string, string> | undefined =>
  foreignOrigin === undefined
    ? undefined
    : {
        'access-control-allow-origin': foreignOrigin,
        'access-control-allow-methods': 'GET, POST, PUT, PATCH',
        'access-control-allow-headers': requestHeaders.join(', '),
        'access-control-max-age': '600',
        vary: 'Origin',
      }

/** Whether a browser asks if a page of an allowed origin may send a request. */
export const isPreflight = (head: RequestHead, { foreignOrigin }: Admission): boolean =>
  foreignOrigin !== undefined &&
  head.method === 'OPTIONS' &&
  head.headers['access-control-request-method'] !== undefined
