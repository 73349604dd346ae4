import type { Server } from 'node:net'
import { plainAddress, shortAddress } from './authority.js'

/** Whether a server on this address listens on all of the machine's. */
export const isWildcard = (address: string): boolean => ['0.0.0.0', '::'].includes(plainAddress(address))

/** The names that a Host header may have for a server on this address: the address itself, unless it means all. */
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

/** Resolves when the server listens. Rejects with the system's error if it can't. */
export const listen = (server: Server, port: number, address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    const host = plainAddress(address)
    // For the real sidecar, too, `localhost` is IPv4 only.
    server.listen({ port, host: host === 'localhost' ? '127.0.0.1' : host }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
