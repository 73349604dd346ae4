import IsomorphicWebSocket from 'isomorphic-ws'
import { buildClient } from './client/create-client.js'
import { handleProcessSignals } from './client/process-signals.js'
import type { ClientOptions, SidecarClient, WebSocketConstructor } from './client/types.js'

export * from './index.js'

type Ws = new (url: string, protocols: string[], options: object) => InstanceType<WebSocketConstructor>

/** `ws` with our limits, and without the offer to compress. */
function createWebSocketConstructor(maxPayload: number): WebSocketConstructor {
  return class NodeWebSocket extends (IsomorphicWebSocket as unknown as Ws) {
    constructor(url: string) {
      super(url, [], { perMessageDeflate: false, maxPayload, followRedirects: false })
    }
  }
}

/** The client, with a WebSocket also where Node has none of its own, and with the process's signals. */
export function createClient(options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
export function createClient(options?: ClientOptions): SidecarClient
export function createClient(options: ClientOptions = {}): SidecarClient | SidecarClient<bigint> {
  const { processSignals, limits, logger } = options
  // A character of text is 3 bytes at most in UTF-8 (4 for a pair).
  const maxPayload = 3 * ((limits && limits.message) ?? 16 * 1024 * 1024)
  return buildClient(
    { ...options, WebSocket: options.WebSocket ?? createWebSocketConstructor(maxPayload) },
    processSignals
      ? (client, emit) => handleProcessSignals(client, emit, processSignals === true ? {} : processSignals, logger)
      : undefined,
  )
}
