import type { IncomingMessage, ServerResponse } from 'node:http'
import { forbidden } from '../../http/refusal.js'
import type { Refusal } from '../../http/refusal.js'
import { headerValues } from '../../http/request-guard.js'
import type { Admission } from '../../http/request-guard.js'
import { tokensMatch } from '../../http/token.js'

export interface AccessOptions {
  readonly token: string | undefined
  /** Whether other machines can reach the gateway. */
  readonly exposed: boolean
  readonly scheme: 'http' | 'https'
}

const NEEDS_TOKEN: Refusal = {
  status: 401,
  code: 16,
  message:
    'The sidecar needs the token that was printed at the start: ' +
    'open the page with ?token=, or send it as Authorization: Bearer',
}
const WRONG_TOKEN: Refusal = {
  status: 401,
  code: 16,
  message: 'That is not the token that was printed at the start',
}

const tokenIn = (query: string): string | null => new URLSearchParams(query).get('token')

/** Who may use the sidecar, of those whom the guard admitted. */
export interface Access {
  /** @param acts whether something may change, or a WebSocket open */
  check(message: IncomingMessage, acts: boolean): Refusal | undefined
  /**
   * Takes the token from a page's address, where there is one: remembers it in a cookie and sends the browser
   * to the address without it. Gives whether that was the answer.
   */
  enter(message: IncomingMessage, reply: ServerResponse, admission: Admission): boolean | Refusal
}

export function createAccess({ token, exposed, scheme }: AccessOptions): Access {
  const secure = scheme === 'https' ? '; Secure' : ''
  /**
   * Cookies are shared by all ports of a host. The one that counts is the browser's: containers that all listen on the
   * same port are on others for it.
   */
  const cookieName = ({ headers }: IncomingMessage): string =>
    `gameserver_sidecar_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? scheme}`

  const given = (message: IncomingMessage): string => {
    const bearer = /^bearer +(\S+)$/i.exec(headerValues(message.rawHeaders, 'authorization')[0] ?? '')?.[1]
    if (bearer !== undefined) return bearer
    const cookies = headerValues(message.rawHeaders, 'cookie').join('; ').split(/; */)
    const start = `${cookieName(message)}=`
    return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) ?? ''
  }

  return {
    check(message, acts) {
      if (token !== undefined) return tokensMatch(token, given(message)) ? undefined : NEEDS_TOKEN
      const isPage = headerValues(message.rawHeaders, 'origin').length > 0
      if (!exposed || !acts || isPage) return undefined
      return forbidden('Without a token, only pages of the gateway and of allowed origins may change something')
    },

    enter(message, reply, { target }) {
      const at = target.indexOf('?')
      if (token === undefined || at < 0) return false
      const offered = tokenIn(target.slice(at + 1))
      if (offered === null) return false
      if (!tokensMatch(token, offered)) return WRONG_TOKEN
      const rest = target
        .slice(at + 1)
        .split('&')
        .filter((pair) => tokenIn(pair) === null)
      const path = target.slice(0, at) + (rest.length > 0 ? `?${rest.join('&')}` : '')
      reply.writeHead(303, {
        // Without scheme and host, which may be others in front of a proxy. Two slashes would begin another's.
        location: path.replace(/^[/\\]+/, '/'),
        'set-cookie': `${cookieName(message)}=${token}; Path=/_/; HttpOnly; SameSite=Strict${secure}`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-length': 0,
      })
      reply.end()
      return true
    },
  }
}
