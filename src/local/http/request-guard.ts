import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { hostName, originOf, readOrigin } from './address.js'
import { forbidden, malformed, type Refusal } from './refusal.js'

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** Whether a request only reads. */
export const isRead = ({ method }: RequestHead): boolean => method === 'GET' || method === 'HEAD'

export interface Admission {
  readonly refusal?: undefined
  /** Path and query as they came. */
  readonly target: string
  readonly host: string
  /** The Origin header, if it is an allowed one and not the server's own. */
  readonly foreignOrigin: string | undefined
}

export type Verdict = Admission | { readonly refusal: Refusal }

export interface GuardOptions {
  /** Host names served beside `localhost`, `127.0.0.1` and `[::1]`. */
  readonly allowHosts?: readonly string[] | undefined
  /** Origins of pages that may call beside the server's own. */
  readonly allowOrigins?: readonly string[] | undefined
  /** The server's protocol, which is a part of its own origin. Default `http`. */
  readonly scheme?: 'http' | 'https' | undefined
  /** Tells whether links on other sites may lead to a target. Default: to none. */
  readonly isPage?: ((target: string) => boolean) | undefined
}

const WITHOUT_ORIGIN = forbidden(
  'Pages without an origin of their own, such as opened files, are not served; ' +
    'open them from a server, such as npx gameserver-sidecar serve',
)

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Decides which requests are served, so that foreign web pages can't reach a server on this machine. The Host must be on
 * a list, which keeps out names that were re-bound to 127.0.0.1. The Origin of a page must be the server's own or an
 * allowed one. A client that sends no Origin isn't a page and passes.
 *
 * @throws TypeError for an entry that is no host name or no origin
 */
export function createGuard(options: GuardOptions = {}): (head: RequestHead) => Verdict {
  const hosts = new Set([...LOOPBACK_NAMES, ...(options.allowHosts ?? []).map(readHost)])
  const origins = new Set(
    (options.allowOrigins ?? []).map((text) => readOrigin(text, 'An allowed origin', 'http://localhost:5173')),
  )
  const { scheme = 'http', isPage = () => false } = options

  return (head) => {
    const { url = '', headers } = head
    const { host, origin } = headers
    if (host === undefined) return { refusal: malformed('A request needs a Host header') }
    const name = hostName(host)
    if (name === undefined) return { refusal: malformed('The Host header is malformed') }
    if (!hosts.has(name)) {
      return { refusal: forbidden(`The host ${name} is not served; if it should be, ${allowing('host', name)}`) }
    }
    if (!url.startsWith('/') && url !== '*') return { refusal: malformed('The request target is malformed') }
    const own = originOf(`${scheme}://${host}`)
    const isOwn = origin === undefined || (own !== undefined && originOf(origin) === own)
    const refusal = isOwn ? undefined : refuseOrigin(origin, origins)
    if (refusal !== undefined) return { refusal }
    const admission = { target: url, host, foreignOrigin: isOwn ? undefined : origin }
    const isLink = isNavigation(head)
    if (isLink && isPage(url)) return admission
    // A browser sends some requests, such as those of images and scripts, without an Origin and without a preflight.
    const site = headers['sec-fetch-site']
    const isStarted = site === 'cross-site' ? isOwn : site === 'same-site' && origin === undefined && !isLink
    return isStarted ? { refusal: forbidden('Requests that another page started are not served') } : admission
  }
}

function readHost(text: string): string {
  const bracketed = (text.includes(':') && !text.startsWith('[') ? `[${text}]` : text).toLowerCase()
  // An asterisk is expected to match several names, but it would match none.
  if (hostName(bracketed) === bracketed && !text.includes('*')) return bracketed
  throw new TypeError(`An allowed host must be a bare name or address, not ${JSON.stringify(text)}`)
}

/** Why pages of a foreign origin aren't served; undefined for an allowed one. */
function refuseOrigin(text: string, allowed: ReadonlySet<string>): Refusal | undefined {
  // WebKit sends file:// where other browsers send null.
  if (text === 'null' || text === 'file://') return WITHOUT_ORIGIN
  const origin = originOf(text)
  if (origin === undefined) return malformed('The Origin header is malformed')
  if (allowed.has(origin)) return undefined
  return forbidden(`Pages of ${text} are not served; if they should be, ${allowing('origin', text)}`)
}

/** The fix to name in a refusal, for the command line and for code. */
const allowing = (what: 'host' | 'origin', value: string): string =>
  `add --allow-${what} ${value} (in code allow${what === 'host' ? 'Hosts' : 'Origins'}: ['${value}'])`

/** Whether a person followed a link. The site of the link can't read the page that opens. */
const isNavigation = ({ method, headers }: RequestHead): boolean =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'

export const CORS_METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const

/**
 * Lets a page of an allowed origin read the answer, and answers its preflight; returns whether the request was one. The
 * real sidecar sends no such headers.
 *
 * @param allowed the headers and methods of requests that such a page may send
 */
export function allowOrigin(
  { method, headers }: IncomingMessage,
  reply: ServerResponse,
  { foreignOrigin }: Admission,
  allowed: { readonly headers?: readonly string[]; readonly methods?: readonly string[] } = {},
): boolean {
  if (foreignOrigin === undefined) return false
  reply.setHeader('access-control-allow-origin', foreignOrigin)
  reply.setHeader('access-control-allow-methods', (allowed.methods ?? CORS_METHODS).join(', '))
  reply.setHeader('access-control-allow-headers', (allowed.headers ?? ['content-type']).join(', '))
  reply.setHeader('access-control-max-age', '600')
  reply.setHeader('vary', 'Origin')
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
  reply.writeHead(204).end()
  return true
}

export const createToken = (): string => randomBytes(24).toString('base64url')

/** Compares two tokens in a time that tells nothing about either. */
export function tokensMatch(expected: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(expected), digest(given))
}

/** The token in a header `Authorization: Bearer`; undefined without one. */
export const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization)?.[1]
