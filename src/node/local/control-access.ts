import { tokensMatch } from '../http/token.js'
import { forbidden } from '../http/refusal.js'
import type { Refusal } from '../http/refusal.js'
import type { Admission, RequestHead } from '../http/request-guard.js'

/** Prefix of the control interface's paths; no path of the sidecar begins with it. */
export const CONTROL_PREFIX = '/_/api'

/** Header that every changing request needs: a page can't send it to another origin without a CORS preflight. */
const CONTROL_HEADER = 'x-sidecar-control'

export const isControlTarget = (target: string): boolean =>
  target === CONTROL_PREFIX || target.startsWith(`${CONTROL_PREFIX}/`) || target.startsWith(`${CONTROL_PREFIX}?`)

/**
 * Whether an admitted request may use the control interface: from the server's own pages or from no page, and
 * with the token where there is one, as `Authorization: Bearer` or, for a WebSocket, as `?token=`.
 */
export function checkControlAccess(
  head: RequestHead,
  admission: Admission,
  token: string | undefined,
): Refusal | undefined {
  if (admission.foreignOrigin !== undefined) {
    return forbidden('The control interface is only for pages of this server')
  }
  if (token !== undefined && !tokensMatch(token, givenToken(head, admission.target))) {
    return {
      status: 401,
      code: 16,
      message: 'The control interface needs the token that was printed at the start',
    }
  }
  if (head.method !== 'GET' && head.headers[CONTROL_HEADER] !== '1') {
    return forbidden('Requests that change something need the header X-Sidecar-Control: 1')
  }
  return undefined
}

function givenToken(head: RequestHead, target: string): string {
  const bearer = /^bearer +(\S+)$/i.exec(head.headers.authorization ?? '')?.[1]
  return bearer ?? new URLSearchParams(target.split('?')[1] ?? '').get('token') ?? ''
}
