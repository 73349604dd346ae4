import type { IncomingMessage } from 'node:http'
import { parseAuthority, parseOrigin, sameOrigin } from './authority.js'
import type { Authority, Origin } from './authority.js'
import { forbidden, malformed } from './refusal.js'
import type { Refusal } from './refusal.js'

/** The part of a request by which the guard decides. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** A request that may be served. */
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
  /** Tells whether a target may be shown in a frame of another site, as far as its own policy allows. Default: none. */
  readonly isFrame?: ((target: string) => boolean) | undefined
}

const WITHOUT_ORIGIN = forbidden(
  'Pages without an origin of their own, such as opened files, are not served; ' +
    'open them from a server, such as npx gameserver-sidecar serve',
)

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Decides which requests are served, so that foreign web pages can't reach a server on this machine. The Host must be on
 * a list, which keeps out names that were re-bound to 127.0.0.1. The Origin of a page must be the server's own or an
 * allowed one. Clients that send no Origin aren't pages and pass.
 *
 * @throws TypeError for an entry that is no host name or no origin
 */
export function createGuard(options: GuardOptions = {}): (head: RequestHead) => Verdict {
  const hosts = new Set([...LOOPBACK_NAMES, ...(options.allowHosts ?? []).map(readHost)])
  const origins = (options.allowOrigins ?? []).map(readOrigin)
  const { scheme = 'http', isPage = () => false, isFrame = () => false } = options

  return (head) => {
    const { url = '', headers } = head
    if (headers.host === undefined) return { refusal: malformed('A request needs a Host header') }
    const host = parseAuthority(headers.host)
    if (host === undefined) return { refusal: malformed('The Host header is malformed') }
    if (!hosts.has(host.name)) {
      const advice = allowing('host', host.name)
      return { refusal: forbidden(`The host ${host.name} is not served; if it should be, ${advice}`) }
    }
    if (!url.startsWith('/') && url !== '*') return { refusal: malformed('The request target is malformed') }
    const origin = checkOrigin(headers.origin, { scheme, authority: host }, origins)
    if (typeof origin === 'object') return { refusal: origin }
    const foreignOrigin = origin === 'own' ? undefined : origin
    const admission = { target: url, host: headers.host, foreignOrigin }
    const isLink = isNavigation(head, 'document')
    if ((isLink && isPage(url)) || (isNavigation(head, 'iframe') && isFrame(url))) return admission
    // A browser sends some requests without an Origin and without asking first, such as those of images and scripts.
    const site = headers['sec-fetch-site']
    const isStarted =
      site === 'cross-site'
        ? foreignOrigin === undefined
        : site === 'same-site' && headers.origin === undefined && !isLink
    return isStarted ? { refusal: forbidden('Requests that another page started are not served') } : admission
  }
}

/** All values of a header, in order. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() === name) values.push(rawHeaders[i + 1]!)
  }
  return values
}

function readHost(text: string): string {
  const bracketed = text.includes(':') && !text.startsWith('[') ? `[${text}]` : text
  const authority = parseAuthority(bracketed)
  if (authority === undefined || authority.port !== undefined || isPattern(authority)) {
    throw new TypeError(`An allowed host must be a bare name or address, not ${JSON.stringify(text)}`)
  }
  return authority.name
}

/** Whether an entry has an asterisk. Its author expects it to match several names, but it would match none. */
const isPattern = ({ name }: Authority): boolean => name.includes('*')

function readOrigin(text: string): Origin {
  const origin = parseOrigin(text)
  if (origin === undefined || isPattern(origin.authority)) {
    throw new TypeError(`An allowed origin must look like http://localhost:5173, not ${JSON.stringify(text)}`)
  }
  return origin
}

/** A foreign origin that may call, `own` for the server's own and for none, or why its requests are refused. */
function checkOrigin(text: string | undefined, own: Origin, allowed: readonly Origin[]): string | Refusal {
  if (text === undefined) return 'own'
  // WebKit sends file:// where other browsers send null.
  if (text === 'null' || text === 'file://') return WITHOUT_ORIGIN
  const origin = parseOrigin(text)
  if (origin === undefined) return malformed('The Origin header is malformed')
  if (sameOrigin(origin, own)) return 'own'
  if (allowed.some((other) => sameOrigin(origin, other))) return text
  return forbidden(`Pages of ${text} are not served; if they should be, ${allowing('origin', text)}`)
}

/** The fix to name in a refusal, for the command line and for code. */
const allowing = (what: 'host' | 'origin', value: string): string =>
  `add --allow-${what} ${value} (in code allow${what === 'host' ? 'Hosts' : 'Origins'}: ['${value}'])`

/** Whether a person followed a link, or a frame shows its page. The site of the link can't read the page that opens. */
const isNavigation = ({ method, headers }: RequestHead, kind: 'document' | 'iframe'): boolean =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === kind
