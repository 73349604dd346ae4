import type { IncomingMessage, ServerResponse } from 'node:http'
import { operations, stablePath, type OperationName } from '../../../protocol/operations.js'
import { SAFE_HEADERS, forbidden, malformed, METHOD_NOT_ALLOWED, notFound, type Refusal } from '../../http/refusal.js'
import { bearerOf, tokensMatch, type Admission } from '../../http/request-guard.js'

/** Prefix of the sidecar's paths on the origin of the pages. */
export const SIDECAR_PREFIX = '/_/sidecar'

export const isForSidecar = (target: string): boolean => target.startsWith(`${SIDECAR_PREFIX}/`)

export interface SidecarRoute {
  readonly refusal?: undefined
  readonly operation: OperationName
  /** Path and query, as the sidecar gets them. */
  readonly path: string
}

interface Pattern {
  readonly operation: OperationName
  readonly method: string
  readonly path: RegExp
}

const ESCAPE = '%[\\da-fA-F]{2}'
/** A name as `encodeURIComponent` writes it, and all other characters that RFC 3986 allows in a segment. */
const NAME = `(?:[\\w.~!$&'()*+,;=:@-]|${ESCAPE})+`
const MASK = `updateMask(?:=(?:[\\w.~*,+-]|${ESCAPE})*)?`

const patterns: readonly Pattern[] = (Object.keys(operations) as OperationName[]).flatMap((operation) => {
  const [method, beta] = operations[operation]
  return [beta, stablePath(beta)].map((path) => {
    return { operation, method, path: new RegExp(`^${path.replace('{key}', () => NAME)}$`) }
  })
})
const maskQuery = new RegExp(`^${MASK}(?:&${MASK})*$`)

/**
 * Finds the operation of a method and of a target behind the prefix. Other spellings of a path are refused with the
 * sidecar's own message, so that a denied operation stays denied and the sidecar reads each path as the gateway did.
 */
export function findSidecarRoute(method: string, target: string): SidecarRoute | { readonly refusal: Refusal } {
  const [path = '', ...rest] = target.slice(SIDECAR_PREFIX.length).split('?')
  const query = rest.join('?')
  if (/%(?![\da-f]{2})/i.test(path)) return { refusal: malformed('The path has a malformed escape') }
  const found = patterns.filter((pattern) => pattern.path.test(path))
  const operation = found.find((pattern) => pattern.method === method)?.operation
  if (operation === undefined) return { refusal: found.length === 0 ? notFound('Not Found') : METHOD_NOT_ALLOWED }
  if (/^&*$/.test(query)) return { operation, path }
  if (method === 'PATCH' && maskQuery.test(query)) return { operation, path: `${path}?${query}` }
  return { refusal: malformed('The sidecar takes no query but updateMask, and that only with PATCH') }
}

export interface AccessOptions {
  readonly token: string | undefined
  /** Whether other machines can reach the gateway. */
  readonly exposed: boolean
  readonly platform: string
  readonly autoHealth: boolean | undefined
}

/**
 * Path of a script that tells clients in a page where the sidecar is. The script is a file of its own because the
 * policies of many pages forbid scripts within HTML.
 */
export const CONFIG_PATH = '/_/config.js'

const NEEDS_TOKEN: Refusal = {
  status: 401,
  code: 16,
  message:
    'The sidecar needs the token that was printed at the start: ' +
    'open the page with ?token=, or send it as Authorization: Bearer',
}
const WRONG_TOKEN: Refusal = { ...NEEDS_TOKEN, message: 'That is not the token that was printed at the start' }

const tokenIn = (query: string): string | null => new URLSearchParams(query).get('token')

export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

/** Decides which of the clients that the guard admitted may use the sidecar, and serves what they need for it. */
export type Access = ReturnType<typeof createAccess>

export function createAccess({ token, exposed, platform, autoHealth }: AccessOptions, scheme: 'http' | 'https') {
  const secure = scheme === 'https' ? '; Secure' : ''
  const script = `globalThis.GAMESERVER_SIDECAR=${JSON.stringify({ baseUrl: SIDECAR_PREFIX, platform, autoHealth })}\n`
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
     * Answers a request for the configuration script, and one whose address holds a token: the right token moves into a
     * cookie, and the browser is redirected to the address without it. Returns the refusal of a wrong token, and false,
     * nothing sent, for every other request.
     */
    serve(message: IncomingMessage, reply: ServerResponse, { target }: Admission): boolean | Refusal {
      if (!isRead(message)) return false
      const [path = '', ...rest] = target.split('?')
      if (path === CONFIG_PATH) {
        reply.writeHead(200, {
          ...{ 'content-type': 'text/javascript; charset=utf-8', 'content-length': Buffer.byteLength(script) },
          ...SAFE_HEADERS,
          'cross-origin-resource-policy': 'same-origin',
        })
        reply.end(script)
        return true
      }
      const query = rest.join('?')
      const offered = tokenIn(query)
      if (token === undefined || offered === null) return false
      if (!tokensMatch(token, offered)) return WRONG_TOKEN
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
