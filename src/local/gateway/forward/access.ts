import type { IncomingMessage, ServerResponse } from 'node:http'
import { operations, stablePath, type OperationName } from '../../../protocol/operations.js'
import { SAFE_HEADERS, forbidden, malformed, METHOD_NOT_ALLOWED, notFound, type Refusal } from '../../http/refusal.js'
import { bearerOf, isRead, tokensMatch } from '../../http/request-guard.js'
import type { GatewaySettings } from '../gateway-options.js'

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

function splitTarget(target: string): [path: string, query: string] {
  const [path = '', ...rest] = target.split('?')
  return [path, rest.join('?')]
}

/**
 * Finds the operation of a method and of a target behind the prefix. Other spellings of a path are refused with the
 * sidecar's own message, so that a denied operation stays denied and the sidecar reads each path as the gateway did.
 */
export function findSidecarRoute(method: string, target: string): SidecarRoute | { readonly refusal: Refusal } {
  const [path, query] = splitTarget(target.slice(SIDECAR_PREFIX.length))
  if (/%(?![\da-f]{2})/i.test(path)) return { refusal: malformed('The path has a malformed escape') }
  const found = patterns.filter((pattern) => pattern.path.test(path))
  const operation = found.find((pattern) => pattern.method === method)?.operation
  if (operation === undefined) return { refusal: found.length === 0 ? notFound('Not Found') : METHOD_NOT_ALLOWED }
  if (/^&*$/.test(query)) return { operation, path }
  if (method === 'PATCH' && maskQuery.test(query)) return { operation, path: `${path}?${query}` }
  return { refusal: malformed('The sidecar takes no query but updateMask, and that only with PATCH') }
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

/** Decides which of the clients that the guard admitted may use the sidecar, and serves what they need for it. */
export class Access {
  readonly #settings: GatewaySettings
  readonly #script: string

  constructor(settings: GatewaySettings) {
    const { platform, autoHealth } = settings
    this.#settings = settings
    this.#script = `globalThis.GAMESERVER_SIDECAR=${JSON.stringify({ baseUrl: SIDECAR_PREFIX, platform, autoHealth })}\n`
  }

  /** @param acts whether the request may change something or opens a WebSocket */
  check(message: IncomingMessage, acts: boolean): Refusal | undefined {
    const { token, exposed } = this.#settings
    if (token !== undefined) return tokensMatch(token, this.#tokenOf(message)) ? undefined : NEEDS_TOKEN
    if (!exposed || !acts || message.headers.origin !== undefined) return undefined
    return forbidden('Without a token, only pages of the gateway and of allowed origins may change something')
  }

  /** Whether a request is for the configuration script, or its address holds a token. */
  answers(message: IncomingMessage): boolean {
    const [path, query] = splitTarget(message.url ?? '')
    return isRead(message) && (path === CONFIG_PATH || (this.#settings.token !== undefined && tokenIn(query) !== null))
  }

  /**
   * Sends the configuration script, or moves the right token of an address into a cookie and redirects the browser to the
   * address without it. Returns the refusal of a wrong token.
   */
  serve(message: IncomingMessage, reply: ServerResponse): Refusal | undefined {
    const [path, query] = splitTarget(message.url ?? '')
    if (path === CONFIG_PATH) {
      reply.writeHead(200, {
        ...{ 'content-type': 'text/javascript; charset=utf-8', 'content-length': Buffer.byteLength(this.#script) },
        ...SAFE_HEADERS,
        'cross-origin-resource-policy': 'same-origin',
      })
      reply.end(this.#script)
      return undefined
    }
    const { token = '', scheme } = this.#settings
    if (!tokensMatch(token, tokenIn(query) ?? '')) return WRONG_TOKEN
    const secure = scheme === 'https' ? '; Secure' : ''
    const others = query.split('&').filter((pair) => tokenIn(pair) === null)
    reply.writeHead(303, {
      // A proxy in front may have another scheme and host, so both are left out. Two slashes would begin a host.
      location: path.replace(/^[/\\]+/, '/') + (others.length > 0 ? `?${others.join('&')}` : ''),
      'set-cookie': `${this.#cookieName(message)}=${token}; Path=/_/; HttpOnly; SameSite=Strict${secure}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-length': 0,
    })
    reply.end()
    return undefined
  }

  #tokenOf(message: IncomingMessage): string {
    const { headers } = message
    const start = `${this.#cookieName(message)}=`
    const cookie = headers.cookie?.split(/; */).find((pair) => pair.startsWith(start))
    return bearerOf(headers) ?? cookie?.slice(start.length) ?? ''
  }

  /**
   * A browser sends a host's cookies to all of its ports, so the name holds the port that the browser sees. Containers
   * that all listen on one port appear to the browser on different ones.
   */
  #cookieName({ headers }: IncomingMessage): string {
    return `gameserver_sidecar_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? this.#settings.scheme}`
  }
}
