import type { GameServerState, SidecarClient, SidecarError, SidecarErrorCode } from './index.js'
import { type OperationName, operations } from './protocol/operations.js'

/** Calls of one operation that ended with one code. */
export interface CallFigure {
  count: number
  /** s that all of them took together. */
  seconds: number
}

/** Calls by operation and by the code of the outcome: `OK`, or the `code` of a SidecarError. */
export type CallFigures = Partial<Record<OperationName, Partial<Record<SidecarErrorCode | 'OK', CallFigure>>>>

/** What a client has counted since `measure()` was called: a copy, which doesn't change any more. */
export interface ClientMetrics {
  /** The GameServer's state when it was last seen; undefined until it was seen. */
  state: GameServerState | undefined
  /** s since the client first saw that state; undefined without one. */
  stateAge: number | undefined
  heartbeats: {
    /** Beats that the sidecar has taken, by `autoHealth` or `health()`. */
    ok: number
    /** Beats that failed, or that the game's silence or `check` held back. */
    failed: number
    /** s since the last good beat; undefined before the first. */
    age: number | undefined
    /** s after which the platform counts this server as Unhealthy; 0 where it doesn't, or before the first beat. */
    limit: number
  }
  watch: {
    /** Watches that are connected: 0 or 1. */
    connections: number
    /** How often the watch was connected again after it was lost. */
    reconnects: number
  }
  /** The calls of the client's methods, with their retries. */
  calls: CallFigures
}

type Method = (...parameters: unknown[]) => unknown

/**
 * Counts from now on what a client does, which opens its watch. `formatMetrics()` of `gameserver-sidecar/node` writes the
 * figures for Prometheus. It replaces the client's methods: a method that was taken out of the client before, as by
 * `const { ready } = client`, isn't counted.
 *
 * @returns the function that reads the figures
 */
export function measure(client: SidecarClient<never> | SidecarClient | SidecarClient<bigint>): () => ClientMetrics {
  const { on, status } = client as SidecarClient
  const calls: CallFigures = {}
  const beats = { ok: 0, failed: 0, limit: 0 }
  let connected = status.transport ? 1 : 0
  let isConnected = !!connected
  let since: number | undefined

  function count(operation: OperationName, code: SidecarErrorCode | 'OK', start: number): void {
    const figure = ((calls[operation] ??= {})[code] ??= { count: 0, seconds: 0 })
    figure.count++
    figure.seconds += (Date.now() - start) / 1000
  }

  const methods = client as unknown as Record<OperationName, Method>
  for (const operation of Object.keys(operations) as OperationName[]) {
    const method = methods[operation]
    if (operation === 'watchGameServer') continue
    methods[operation] = async (...parameters) => {
      const start = Date.now()
      try {
        const result = await method(...parameters)
        count(operation, 'OK', start)
        return result
      } catch (error) {
        count(operation, (error as SidecarError).code, start)
        throw error
      }
    }
  }

  on('health', ({ ok, reason, limit = 0 }) => {
    beats.limit = limit / 1000
    if (!ok) beats.failed++
    else if (reason === undefined) beats.ok++
  })
  on('connection', ({ transport }) => {
    if (transport && !isConnected) connected++
    isConnected = !!transport
  })
  on('state', () => (since = Date.now()))

  const age = (from: number | undefined): number | undefined => from && (Date.now() - from) / 1000
  return () => ({
    state: client.gameServer?.status.state,
    stateAge: age(since),
    heartbeats: { ...beats, age: age(client.status.lastBeat) },
    watch: { connections: isConnected ? 1 : 0, reconnects: Math.max(0, connected - 1) },
    calls: JSON.parse(JSON.stringify(calls)) as CallFigures,
  })
}
