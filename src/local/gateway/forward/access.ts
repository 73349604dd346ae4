import type { IncomingMessage, ServerResponse } from 'node:http'
import { forbidden } from '../../http/refusal.js'
import type { Refusal } from '../../http/refusal.js'
import type { Admission } from '../../http/request-guard.js'
import { bearerOf, tokensMatch } from '../../http/token.js'

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
const WRONG_TOKEN: Refusal = { ...NEEDS_TOKEN, message: 'That is not the token that was printed at the start' }

const tokenIn = (query: string): string | null => new URLSearchParams(query).get('token')

/** Decides which of the clients that the guard admitted may use the sidecar. */
export type Access = ReturnType<typeof createAccess>

export function createAccess({ token, exposed, scheme }: AccessOptions) {
  const secure = scheme === 'https' ? '; Secure' : ''
  /**
   * A browser sends a host's cookies to all of its ports, so the name holds the port that the browser sees. Containers
   * that all listen on one port appear to the browser on different ones.
   */
  const cookieName = ({ headers }: IncomingMessage): string =>
    `gameserver_sidecar_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? scheme}`

  const tokenOf = (message: IncomingMessage): string => {
    const { headers } = message
    const start = `${cookieName(message)}=`
    const cookie = headers.cookie?.split(/; */).find((pair) => pair.startsWith(start))
    return bearerOf(headers) ?? cookie?.slice(start.length) ?? ''
  }

  return {
    /** @param acts whether the request may change something or opens a WebSocket */
    check(message: IncomingMessage, acts: boolean): Refusal | undefined {
      if (token !== undefined) return tokensMatch(token, tokenOf(message)) ? undefined : NEEDS_TOKEN
      if (!exposed || !acts || message.headers.origin !== undefined) return undefined
      return forbidden('Without a token, only pages of the gateway and of allowed origins may change something')
    },

    /**
     * Answers a request whose address holds a token: the right token moves into a cookie, and the browser is redirected
     * to the address without it. Returns false, with nothing sent, for every other request.
     */
    enter(
      message: IncomingMessage,
      reply: ServerResponse,
      { target }: Admission,
      refuse: (refusal: Refusal) => void,
    ): boolean {
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
        // A proxy in front may have another scheme and host, so both are left out. Two slashes would begin a host.
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
