import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The first and the last port of a range. */
export type PortRange = readonly [first: number, last: number]

export type PlayersPorts = ReturnType<typeof createPlayersPorts>

/**
 * The ports for players that a Fleet gives to its GameServers, each to one at a time. They are given in turn: a client that
 * still knows a former GameServer doesn't reach its successor. The platform's allocator draws them at random for that
 * (pkg/portallocator).
 */
export function createPlayersPorts([first, last]: PortRange) {
  const taken = new Set<number>()
  let next = first
  let turn = Promise.resolve(0)

  const takeNext = async (): Promise<number> => {
    for (let tries = first; tries <= last; tries++) {
      const port = next
      next = port === last ? first : port + 1
      if (taken.has(port) || !(await isFree(port))) continue
      taken.add(port)
      return port
    }
    const held = taken.size === 0 ? 'other programs use all of it' : `this Fleet uses ${taken.size} of it`
    throw new RangeError(
      `The range of ports ${first}-${last} has no free port left: ${held}; give a larger --players-port`,
    )
  }

  return {
    /** How many the Fleet holds. */
    get held(): number {
      return taken.size
    },
    /**
     * Takes a port that no program on this machine uses, for TCP and UDP. One after the other: a port that is being tried is
     * taken for a moment.
     *
     * @throws RangeError if the range has none
     */
    take: (): Promise<number> => (turn = turn.then(takeNext, takeNext)),
    release: (port: number): void => void taken.delete(port),
  }
}

/** Whether both a TCP and a UDP socket can have this port on all addresses. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const socket = createSocket('udp4')
  try {
    server.listen({ port, host: '0.0.0.0', exclusive: true })
    await once(server, 'listening')
    socket.bind({ port, exclusive: true })
    await once(socket, 'listening')
    return true
  } catch {
    return false
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve))
    await new Promise<void>((resolve) => {
      // A socket that could not be bound has no handle, or closes as usual.
      socket.once('close', resolve).close()
    })
  }
}
