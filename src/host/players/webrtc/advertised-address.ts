import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isLoopback, isWildcard } from '../../../local/http.js'
import type { GameServer } from '../../../protocol/game-server.js'
import { writeCandidate } from './session-description.js'

/** Where players reach a port of this server. */
export interface Reachable {
  readonly address: string
  readonly port: number
}

/**
 * Where players reach a GameServer: the node's address, and the node's port that leads to the container's. A local sidecar
 * has a loopback address and an invented port, so the result is undefined there.
 */
export function readReachable({ status: { address, ports } }: GameServer): Reachable | undefined {
  if (!address || isLoopback(address) || isWildcard(address) || !ports) return undefined
  const chosen =
    ports.find(({ name }) => name === 'players-udp') ??
    ports.find(({ name }) => name === 'players') ??
    ports.find(({ name }) => name.endsWith('-udp')) ??
    ports[0]
  return chosen && { address, port: chosen.port }
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
      .then(async (answer) => readReachable((await answer.json()) as GameServer))
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
