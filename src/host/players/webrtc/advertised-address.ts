import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isLoopback, isWildcard } from '../../../local/http.js'
import { writeCandidate } from './session-description.js'

/** Where players reach a port of this server. */
export interface Reachable {
  readonly address: string
  readonly port: number
}

/**
 * Reads from the GameServer where players reach it: the node's address, and the node's port that leads to the container's.
 * A local sidecar has a loopback address and an invented port, so the result is undefined there.
 */
export function readReachable(gameServer: unknown): Reachable | undefined {
  const { address, ports } = (gameServer as { status?: { address?: unknown; ports?: unknown } } | null)?.status ?? {}
  if (typeof address !== 'string' || address === '' || isLoopback(address) || isWildcard(address)) return undefined
  const named = (Array.isArray(ports) ? ports : []) as { name?: unknown; port?: unknown }[]
  const chosen =
    named.find(({ name }) => name === 'players-udp') ??
    named.find(({ name }) => name === 'players') ??
    named.find(({ name }) => typeof name === 'string' && name.endsWith('-udp')) ??
    named[0]
  const port = chosen?.port
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  return { address, port }
}

/**
 * The address for players, read from the sidecar once it is there. Until then,
 * each call reads again, one at a time.
 */
export function createAdvertisedAddress(sidecarUrl: string): () => Promise<Reachable | undefined> {
  let reading: Promise<Reachable | undefined> | undefined
  const read = async (): Promise<Reachable | undefined> => {
    const signal = AbortSignal.timeout(5_000)
    const found = await fetch(`${sidecarUrl}/gameserver`, { signal })
      .then((answer) => answer.json())
      .then(readReachable)
      .catch(() => undefined)
    if (!found) reading = undefined
    return found
  }
  return () => (reading ??= read())
}

/**
 * The candidates for a player. Some browsers reject a name, so the name's addresses follow. They come
 * last, because within a cloud a node's name may resolve to an address that players can't reach.
 *
 * @param own the address that the player's WebSocket has reached, and the port here; for a server without an address
 */
export async function candidatesFor(reachable: Reachable | undefined, own: Reachable): Promise<string[]> {
  const { address, port } = reachable ?? own
  const addresses = [address]
  if (!isIP(address)) {
    const found = await lookup(address, { all: true }).catch(() => [])
    addresses.push(...found.map((each) => each.address))
  }
  return addresses.map((each, index) => writeCandidate(each.replace(/^::ffff:/i, ''), port, index))
}
