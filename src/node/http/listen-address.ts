import type { Server } from 'node:net'

const WILDCARDS = ['0.0.0.0', '::', '[::]']

/** An address without the brackets that it has in a URL. */
const bare = (address: string): string => address.replace(/^\[|\]$/g, '')

/** The names that a Host header may have for a server on this address: the address itself, unless it means all. */
export const ownHosts = (address: string): string[] => (WILDCARDS.includes(address) ? [] : [address])

/** The address as it stands in the server's URL. */
export function urlHost(address: string): string {
  if (address === 'localhost' || WILDCARDS.includes(address)) return '127.0.0.1'
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address
}

/** Resolves when the server listens. Rejects with the system's error if it can't. */
export const listen = (server: Server, port: number, address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    // For the real sidecar, too, `localhost` is IPv4 only.
    server.listen({ port, host: address === 'localhost' ? '127.0.0.1' : bare(address) }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
