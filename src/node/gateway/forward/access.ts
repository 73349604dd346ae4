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

/** Decides who may use the sidecar, among the clients that the guard admitted. */
export interface Access {
  /** @param acts whether the request may change something or opens a WebSocket */
  check(message: IncomingMessage, acts: boolean): Refusal | undefined
  /**
   * Answers a request for a page whose address holds a token: a right one moves into a cookie, and the browser is sent
   * to the address without it. Returns false, with nothing sent, for every other request.
   */
  enter(
    message: IncomingMessage,
    reply: ServerResponse,
    admission: Admission,
    refuse: (refusal: Refusal) => void,
  ): boolean
}

export function createAccess({ token, exposed, scheme }: AccessOptions): Access {
  const secure = scheme === 'https' ? '; Secure' : ''
  /**
   * A browser sends cookies to all ports of a host, so the name holds the port. It is the one that the browser sees:
   * containers that all listen on one port are on different ones for it.
   */
  const cookieName = ({ headers }: IncomingMessage): string =>
    `gameserver_sidecar_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? scheme}`

  const tokenOf = (message: IncomingMessage): string => {
    const bearer = /^bearer +(\S+)$/i.exec(headerValues(message.rawHeaders, 'authorization')[0] ?? '')?.[1]
    if (bearer !== undefined) return bearer
    const cookies = headerValues(message.rawHeaders, 'cookie').join('; ').split(/; */)
    const start = `${cookieName(message)}=`
    return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) ?? ''
  }

  return {
    check(message, acts) {
      if (token !== undefined) return tokensMatch(token, tokenOf(message)) ? undefined : NEEDS_TOKEN
      const isPage = headerValues(message.rawHeaders, 'origin').length > 0
      if (!exposed || !acts || isPage) return undefined
      return forbidden('Without a token, only pages of the gateway and of allowed origins may change something')
    },

    enter(message, reply, { target }, refuse) {
      const [path = '', ...rest] = target.split('?')
      const query = rest.join('?')
      const offered = tokenIn(query)
      if (token === undefined || offered === null) return false
      if (!tokensMatch(token, offered)) {
        refuse(WRONG_TOKEN)
        return true
      }
      const others = query.split('&').filter((pair) => tokenIn(pair) === null)
      reply.writeHead(303, {
        // Scheme and host are left out, because a proxy in front may have others. Two slashes would begin a host.
        location: path.replace(/^[/\\]+/, '/') + (others.length > 0 ? `?${others.join('&')}` : ''),
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
