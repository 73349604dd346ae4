import { parseAuthority, parseOrigin, sameOrigin } from './authority.js'
import type { Authority, Origin } from './authority.js'
import { forbidden, malformed } from './refusal.js'
import type { Refusal } from './refusal.js'

/** The part of a request by which the guard decides. Node's `IncomingMessage` has this shape. */
export interface RequestHead {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** Names and values in turn, with duplicates. */
  readonly rawHeaders: readonly string[]
}

/** A request that may be served. */
export interface Admission {
  readonly refusal?: undefined
  /** Path and query as they came. The host of an absolute-form target is taken off. */
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
    const host = checkHost(head, hosts)
    if ('refusal' in host) return host
    const target = checkTarget(head.url ?? '', host, scheme)
    if (typeof target !== 'string') return { refusal: target }
    const own: Origin = { scheme, authority: host }
    const origin = checkOrigin(head, own, origins)
    if ('refusal' in origin) return origin
    const refusal = checkInitiator(head, own, origins, origin)
    const isMeant =
      (isNavigation(head, 'document') && isPage(target)) || (isNavigation(head, 'iframe') && isFrame(target))
    if (refusal !== undefined && !isMeant) return { refusal }
    return { target, host: host.text, foreignOrigin: origin.foreign }
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

function checkHost(
  head: RequestHead,
  hosts: ReadonlySet<string>,
): (Authority & { text: string }) | { refusal: Refusal } {
  const [text, ...more] = headerValues(head.rawHeaders, 'host')
  if (text === undefined || more.length > 0) {
    return { refusal: malformed('A request needs exactly one Host header') }
  }
  const authority = parseAuthority(text)
  if (authority === undefined) return { refusal: malformed('The Host header is malformed') }
  if (!hosts.has(authority.name)) {
    return {
      refusal: forbidden(
        `The host ${authority.name} is not served; if it should be, ${allowing('host', authority.name)}`,
      ),
    }
  }
  return { ...authority, text }
}

/** Reads the path of the target. RFC 9112 lets an absolute-form target override Host; here both must agree. */
function checkTarget(url: string, host: Authority, scheme: string): string | Refusal {
  if (url.startsWith('/') || url === '*') return url
  const match = /^(https?):\/\/([^/?#]*)(.*)$/i.exec(url)
  const authority = match?.[1]!.toLowerCase() === scheme ? parseAuthority(match[2]!) : undefined
  if (authority === undefined) return malformed('The request target is malformed')
  if (!sameOrigin({ scheme, authority }, { scheme, authority: host }))
    return forbidden('The request target names another host than the Host header')
  const path = match![3]!
  return path.startsWith('/') ? path : `/${path}`
}

function checkOrigin(
  head: RequestHead,
  own: Origin,
  allowed: readonly Origin[],
): { present: boolean; foreign: string | undefined } | { refusal: Refusal } {
  const [text, ...more] = headerValues(head.rawHeaders, 'origin')
  if (text === undefined) return { present: false, foreign: undefined }
  if (more.length > 0) return { refusal: malformed('A request has at most one Origin header') }
  // WebKit sends file:// where other browsers send null.
  if (text === 'null' || text === 'file://') return { refusal: WITHOUT_ORIGIN }
  const origin = parseOrigin(text)
  if (origin === undefined) return { refusal: malformed('The Origin header is malformed') }
  if (sameOrigin(origin, own)) return { present: true, foreign: undefined }
  if (allowed.some((other) => sameOrigin(origin, other))) return { present: true, foreign: text }
  return {
    refusal: forbidden(`Pages of ${text} are not served; if they should be, ${allowing('origin', text)}`),
  }
}

/** The fix to name in a refusal, for the command line and for code. */
const allowing = (what: 'host' | 'origin', value: string): string =>
  `add --allow-${what} ${value} (in code allow${what === 'host' ? 'Hosts' : 'Origins'}: ['${value}'])`

/** Whether a person followed a link. The site of the link can't read the page that opens. */
function isNavigation({ method, rawHeaders }: RequestHead, kind: 'document' | 'iframe'): boolean {
  const only = (name: string): string => headerValues(rawHeaders, name).join().trim().toLowerCase()
  return method === 'GET' && only('sec-fetch-mode') === 'navigate' && only('sec-fetch-dest') === kind
}

/**
 * Refuses requests that other sites start. A browser sends some without an Origin and without asking first: images and
 * scripts, and forms in old browsers. Their Sec-Fetch-Site or Referer tells where they come from.
 */
function checkInitiator(
  head: RequestHead,
  own: Origin,
  allowed: readonly Origin[],
  origin: { present: boolean; foreign: string | undefined },
): Refusal | undefined {
  const header = (name: string): string | undefined => headerValues(head.rawHeaders, name)[0]?.trim().toLowerCase()
  const site = header('sec-fetch-site')
  if (site === 'cross-site' && origin.foreign === undefined) {
    return forbidden('Requests that another site started are not served')
  }
  if (origin.present) return undefined
  const reads = head.method === 'GET' || head.method === 'HEAD'
  // A frame or an embedded object is a navigation too, but it stays inside the other page.
  const isLink = header('sec-fetch-mode') === 'navigate' && (header('sec-fetch-dest') ?? 'document') === 'document'
  if (site === 'same-site' && !(reads && isLink)) {
    return forbidden('Requests that another page started are not served')
  }
  const referer = header('referer')
  if (reads || referer === undefined) return undefined
  const from = parseOrigin(/^[^/]*\/\/[^/?#]*/.exec(referer)?.[0] ?? '')
  const known = from !== undefined && [own, ...allowed].some((other) => sameOrigin(from, other))
  return known ? undefined : forbidden('Requests that another page started are not served')
}
