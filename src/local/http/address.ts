import { once } from 'node:events'
import type { Server } from 'node:net'

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]+)(:[0-9]{1,5})?$/i

/**
 * The name in a Host header, in lower case and without the port; undefined for a malformed header. An IPv6 address keeps
 * its brackets. Names are compared as text and never resolved, so `0x7f.1` isn't an address here.
 */
export const hostName = (header: string): string | undefined => HOST.exec(header)?.[1]?.toLowerCase()

/**
 * A serialized origin such as `http://localhost:5173` in the one form in which origins are compared: lower case, without
 * the default port. Undefined for `null`, and for anything with a path or a user.
 */
export function originOf(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, host } = new URL(text)
  return `${protocol}//${host}`
}

/** @throws TypeError for an entry that is no origin; `what` begins the message */
export function readOrigin(text: string, what: string, example: string): string {
  const origin = originOf(text)
  // An asterisk is expected to match several origins, but it would match none.
  if (origin !== undefined && !text.includes('*')) return origin
  throw new TypeError(`${what} must look like ${example}, not ${JSON.stringify(text)}`)
}

/**
 * An address without brackets in its short form, or a name in lower case. An IPv4 address has four numbers, also where it
 * was given with fewer, such as `127.1`, or mapped into IPv6.
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

/** An IPv6 address as browsers write it; anything else stays as it is. */
function shortAddress(bare: string): string {
  const url = `http://[${bare}]`
  return bare.includes(':') && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : bare
}

/** Whether only this machine can reach an address to listen on, or whether a peer's address is of this machine. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address)
  return plain === 'localhost' || plain === '::1' || /^127\.\d+\.\d+\.\d+$/.test(plain)
}

/** Whether a server on this address listens on every address of the machine. */
export const isWildcard = (address: string): boolean => ['0.0.0.0', '::'].includes(plainAddress(address))

/** The names that a Host header may have for a server on this address. A wildcard allows none. */
export function ownHosts(address: string): string[] {
  const bare = address.replace(/^\[|\]$/g, '')
  return isWildcard(address) ? [] : [...new Set([bare, shortAddress(bare), plainAddress(bare)])]
}

/** The address as it stands in the server's URL. */
export function urlHost(address: string): string {
  const plain = plainAddress(address)
  if (plain === 'localhost' || isWildcard(address)) return '127.0.0.1'
  return plain.includes(':') ? `[${plain}]` : plain
}

/**
 * Resolves when the server listens. Rejects with the system's error if it can't.
 *
 * @param port `'usual'` for the usual port if that is free, else for any free one
 */
export async function listen(server: Server, port: number | 'usual', address: string, usual = 0): Promise<void> {
  const host = plainAddress(address)
  // The real sidecar, too, takes `localhost` for IPv4 only.
  server.listen({ port: port === 'usual' ? usual : port, host: host === 'localhost' ? '127.0.0.1' : host })
  try {
    await once(server, 'listening')
  } catch (error) {
    if (port !== 'usual' || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return listen(server, 0, address)
  }
}
