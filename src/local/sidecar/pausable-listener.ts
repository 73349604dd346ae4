import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../http/address.js'

/** A listening server that can stop listening for a while. */
export type PausableListener = Awaited<ReturnType<typeof startListening>>

/** The real sidecar's port, which clients and commands try by default. */
const USUAL_PORT = 9358

/**
 * Lets a server listen. Port 0 takes a free port, which stays the same after a pause.
 *
 * @param report called when a server could not listen again after a pause
 */
export async function startListening(
  server: Server,
  port: number | 'usual',
  address: string,
  report: (problem: string) => void,
) {
  await listen(server, port, address, USUAL_PORT)
  const bound = (server.address() as AddressInfo).port
  const closing = new AbortController()
  let pause: Promise<void> | undefined

  async function listenAfter(ms: number): Promise<void> {
    server.close()
    await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined)
    if (!closing.signal.aborted) await listen(server, bound, address)
  }

  return {
    port: bound,
    /** Resolves when the server listens again; rejects if the port was taken meanwhile. Undefined while it listens. */
    get pause(): Promise<void> | undefined {
      return pause
    },
    /** Stops listening for this many milliseconds, unless the server is paused already. */
    pauseFor(ms: number): void {
      if (pause !== undefined) return
      pause = listenAfter(ms).finally(() => (pause = undefined))
      pause.catch((error: unknown) => report(`The sidecar could not start again: ${(error as Error).message}`))
    },
    /** Stops listening for good. `cutConnections` is called once no new connection can come. */
    async close(cutConnections: () => void): Promise<void> {
      closing.abort()
      // The server may just be about to listen again.
      await pause?.catch(() => undefined)
      if (!server.listening) return
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        cutConnections()
      })
    },
  }
}
