import {
  createClient,
  type AutoHealthOptions,
  type ClientOptions,
  type ProcessSignalOptions,
  type SidecarClient,
} from '../index.js'

export interface ServerClient {
  client: SidecarClient
  /** Closes the client, unless it was passed in. */
  release(): void
}

/** @param end awaited before the process exits, if the client's `processSignals` end it */
export function clientOf(
  given: SidecarClient | ClientOptions,
  maxDelay: number,
  end: () => Promise<void>,
): ServerClient {
  if ('getGameServer' in given) return { client: given, release() {} }
  const { autoHealth, processSignals, now = Date.now } = given
  const { check } = Object(autoHealth) as AutoHealthOptions
  const { onSignal } = Object(processSignals) as ProcessSignalOptions
  const client = createClient({
    ...given,
    // Beats are timers of the same event loop, so they stop when it does. But a loop that takes two seconds for each
    // turn sends them all, while nobody can play.
    autoHealth: autoHealth !== false && {
      ...(autoHealth as object),
      async check() {
        const asked = now()
        await pause(client, 1)
        return now() - asked <= maxDelay && (!check || check())
      },
    },
    processSignals: !!processSignals && {
      ...(processSignals as object),
      async onSignal(signal: string) {
        await onSignal?.(signal)
        await end()
      },
    },
  })
  // With `processSignals`, the client has a last call to make, and closes itself.
  return { client, release: () => processSignals || client.close() }
}

/** By the client's own timers. Ends early when the client is closed. */
export function pause(client: SidecarClient, ms: number): Promise<unknown> {
  return client.waitFor(() => false, { timeout: Math.max(1, ms) }).catch(() => {})
}
