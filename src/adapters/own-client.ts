import { createClient, type ClientOptions, type ProcessSignalOptions, type SidecarClient } from '../index.js'

/** ms: the time that `processSignals` gives by itself. */
const SIGNAL_TIMEOUT = 10_000

export interface ServerClient {
  readonly client: SidecarClient
  /** ms that the end may take: what `processSignals` gives. */
  readonly budget: number
  /** Whether the client was told to end the process: then `shutdown()` and its own end come after ours. */
  endsProcess(): boolean
  /** Closes the client, unless it was passed in or ends the process. */
  release(): void
}

/** @param ended what a signal waits for */
export function clientOf(given: SidecarClient | ClientOptions, ended: Promise<void>): ServerClient {
  if ('getGameServer' in Object(given))
    return { client: given as SidecarClient, budget: Infinity, endsProcess: () => false, release() {} }
  const { processSignals = true } = given as ClientOptions
  const { onSignal, timeout = SIGNAL_TIMEOUT } = Object(processSignals) as ProcessSignalOptions
  let hasSignal = false
  const client = createClient({
    autoHealth: true,
    ...(given as ClientOptions),
    processSignals: processSignals && {
      timeout,
      async onSignal(signal) {
        hasSignal = true
        await onSignal?.(signal)
        await ended
      },
    },
  })
  return {
    client,
    budget: processSignals ? timeout : Infinity,
    endsProcess: () => hasSignal,
    release: () => hasSignal || client.close(),
  }
}

/** By the client's own timers. Ends early when the client is closed. */
export function pause(client: SidecarClient, ms: number): Promise<unknown> {
  return client.waitFor(() => false, { timeout: Math.max(1, ms) }).catch(() => {})
}
