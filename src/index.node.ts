import IsomorphicWebSocket from 'isomorphic-ws'
import { buildClient } from './client/create-client.js'
import { SidecarError } from './client/runtime/errors.js'
import { checkSignalOptions, handleProcessSignals } from './client/runtime/process-signals.js'
import type { ClientOptions, SidecarClient, WebSocketConstructor } from './client/types.js'

export * from './index.js'

interface WsInstance extends InstanceType<WebSocketConstructor> {
  emit(event: string, ...values: unknown[]): boolean
}
type Ws = new (url: string, protocols: string[], options: object) => WsInstance

/** How `ws` says that a message is larger than `maxPayload`, or in too many pieces. */
const TOO_LONG = /^WS_ERR_(UNSUPPORTED_MESSAGE_LENGTH|TOO_MANY_BUFFERED_PARTS)$/

/** The error of `ws` as one of ours, where it is about what the other side has sent. */
function toOurs(error: unknown): unknown {
  const { code = '' } = Object(error) as { code?: string }
  if (!code.startsWith('WS_ERR_')) return error
  // Until its stack is read, an error keeps alive what ran then: here, the receiver and all that it has buffered.
  void (error as Error).stack
  const details = { operation: 'watchGameServer', cause: error }
  return TOO_LONG.test(code)
    ? new SidecarError('LIMIT', 'The message is longer than limits.message', {
        ...details,
        hint: 'Raise limits.message if this is right',
      })
    : new SidecarError('PROTOCOL', `The watch breaks the WebSocket protocol: ${(error as Error).message}`, details)
}

/** `ws` with our limits, and without the offer to compress. */
function createWebSocketConstructor(maxPayload: number): WebSocketConstructor {
  return class NodeWebSocket extends (IsomorphicWebSocket as unknown as Ws) {
    constructor(url: string) {
      super(url, [], { perMessageDeflate: false, maxPayload, followRedirects: false })
    }

    /** With named values, as no event of `ws` has more: an array of them for every message would cost time. */
    override emit(event: string, first?: unknown, second?: unknown): boolean {
      return super.emit(event, event === 'error' ? toOurs(first) : first, second)
    }
  }
}

/** The client, with a WebSocket also where Node has none of its own, and with the process's signals. */
export function createClient(options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
export function createClient(options?: ClientOptions): SidecarClient
export function createClient(options?: ClientOptions): SidecarClient | SidecarClient<bigint> {
  // What is no object is refused below.
  if (typeof options !== 'object') return buildClient(options)
  const given: ClientOptions = options ?? {}
  const { processSignals, limits, logger } = given
  if (typeof processSignals === 'object') checkSignalOptions(processSignals)
  // A character of text may take 3 bytes, but as many as that would hold more than three times the limit in memory.
  const maxPayload = 2 * (limits?.message ?? 16 * 1024 * 1024)
  return buildClient(
    { ...given, WebSocket: given.WebSocket ?? createWebSocketConstructor(maxPayload) },
    processSignals
      ? (client, emit, end) =>
          handleProcessSignals(client, emit, end, processSignals === true ? {} : processSignals, logger)
      : undefined,
  )
}
