import IsomorphicWebSocket from 'isomorphic-ws'
import { buildClient } from './client/create-client.js'
import { SidecarError } from './client/runtime/errors.js'
import { handleProcessSignals } from './client/runtime/process-signals.js'
import type { ClientOptions, SidecarClient, WebSocketConstructor } from './client/types.js'

export * from './index.js'

interface WsInstance extends InstanceType<WebSocketConstructor> {
  emit(event: string, ...values: unknown[]): boolean
}
type Ws = new (url: string, protocols: string[], options: object) => WsInstance

/** How `ws` says that a message is larger than `maxPayload`, or in too many pieces. */
const tooLong = /^WS_ERR_(UNSUPPORTED_MESSAGE_LENGTH|TOO_MANY_BUFFERED_PARTS)$/

/** `ws` with our limits, and without the offer to compress. */
function createWebSocketConstructor(maxPayload: number): WebSocketConstructor {
  return class NodeWebSocket extends (IsomorphicWebSocket as unknown as Ws) {
    constructor(url: string) {
      super(url, [], { perMessageDeflate: false, maxPayload, followRedirects: false })
    }

    /** Its errors come as they are, but for those about our limit. */
    override emit(event: string, ...values: unknown[]): boolean {
      const [error] = values
      if (event !== 'error' || !tooLong.test((error as { code: string }).code)) return super.emit(event, ...values)
      const details = { operation: 'watchGameServer', hint: 'Raise limits.message.', cause: error }
      return super.emit(event, new SidecarError('LIMIT', 'A message is too long', details))
    }
  }
}

/** The client, with a WebSocket also where Node has none of its own, and with the process's signals. */
export function createClient(options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
export function createClient(options?: ClientOptions): SidecarClient
export function createClient(options: ClientOptions = {}): SidecarClient | SidecarClient<bigint> {
  const { processSignals, limits, logger } = options
  // A character of text may take 3 bytes, but as many as that would hold more than three times the limit in memory.
  const maxPayload = 2 * ((limits && limits.message) ?? 16 * 1024 * 1024)
  return buildClient(
    { ...options, WebSocket: options.WebSocket ?? createWebSocketConstructor(maxPayload) },
    processSignals
      ? (client, emit) => handleProcessSignals(client, emit, processSignals === true ? {} : processSignals, logger)
      : undefined,
  )
}
