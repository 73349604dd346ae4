/** Host and port of a URL, a Host header or an Origin. */
export interface Authority {
  /** Lower case; an IPv6 address keeps its brackets. */
  readonly name: string
  readonly port: number | undefined
}

const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]+)(?::([0-9]{1,5}))?$/i

/**
 * Reads `name` or `name:port`; undefined for anything else, such as a user, a path or white space. Names are compared as
 * they are written and never resolved, so `0x7f.1` isn't an address here.
 */
export function parseAuthority(text: string): Authority | undefined {
  const match = AUTHORITY.exec(text)
  if (match === null) return undefined
  const port = match[2] === undefined ? undefined : Number(match[2])
  if (port !== undefined && (port === 0 || port > 65_535)) return undefined
  return { name: match[1]!.toLowerCase(), port }
}

/** Whether both name the same host and port, given the default for a missing port. */
const sameAuthority = (a: Authority, b: Authority, defaultPort: number): boolean =>
  a.name === b.name && (a.port ?? defaultPort) === (b.port ?? defaultPort)

/** An origin: scheme, host and port. */
export interface Origin {
  readonly scheme: string
  readonly authority: Authority
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

/** Reads a serialized origin such as `http://localhost:5173`; undefined for `null` and for anything with a path. */
export function parseOrigin(text: string): Origin | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\s]+)$/i.exec(text)
  const authority = match === null ? undefined : parseAuthority(match[2]!)
  return authority === undefined ? undefined : { scheme: match![1]!.toLowerCase(), authority }
}

/** Whether scheme, host and port are all the same. */
export const sameOrigin = (a: Origin, b: Origin): boolean =>
  a.scheme === b.scheme && sameAuthority(a.authority, b.authority, DEFAULT_PORTS[a.scheme] ?? 0)

/**
 * An address without brackets, in its short form, or a name in lower case. IPv4 addresses have four numbers, also those
 * that the system takes with fewer, such as `127.1`, or written as IPv6.
 */
export function plainAddress(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '')
  const url = `http://${bare}`
  if (/^[a-z\d.-]+$/i.test(bare)) return URL.canParse(url) ? new URL(url).hostname : bare.toLowerCase()
  const short = shortAddress(bare)
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short) ?? []
  if (high === undefined || low === undefined) return short
  return [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 0xff]).join('.')
}

/** An IPv6 address as browsers write it; anything else as it is. */
export function shortAddress(bare: string): string {
  const url = `http://[${bare}]`
  return bare.includes(':') && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : bare
}

/** Whether an address, to listen on or of a peer, can only be reached from this machine. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address)
  return plain === 'localhost' || plain === '::1' || /^127\.\d+\.\d+\.\d+$/.test(plain)
}
