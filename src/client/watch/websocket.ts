import type { Endpoint } from '../connection/endpoint.js'
import { urlOf } from '../connection/attempt.js'
import { checkLength, missingGlobal, SidecarError, toSidecarError } from '../runtime/errors.js'
import { pick } from '../runtime/host.js'
import { createTextDecoder } from '../runtime/text-decoder.js'
import type { ClientOptions, WebSocketLike } from '../types.js'
import { readMessage, signalIn, WATCH, type OpenWatch } from './message.js'

/** A WebSocket with the members that `ws` and browsers add. */
interface Socket extends WebSocketLike {
  terminate?(): void
  binaryType?: string
}

const GOING_AWAY = 1001
const ABNORMAL = 1006

/**
 * One watch over one WebSocket. Nothing is ever sent on it: some sidecars never end such a connection.
 * @param limit characters of a message
 */
export function createWebSocketWatch(
  options: Pick<ClientOptions, 'WebSocket' | 'TextDecoder'>,
  endpoint: Endpoint,
  limit: number,
): OpenWatch {
  return (scope, listener) =>
    scope.wait((resolve, wait) => {
      const end = (reason: SidecarError, signal?: string): void => resolve({ reason, signal })
      const fail = (error: unknown, summary: string): void =>
        end(toSidecarError(error, 'UNAVAILABLE', summary, endpoint.hint()))

      const WebSocket = pick(options, 'WebSocket')
      if (!WebSocket) return end(missingGlobal('WebSocket'))
      let socket: Socket
      try {
        socket = new WebSocket(urlOf(endpoint, WATCH).replace(/^http/, 'ws'))
      } catch (error) {
        return fail(error, 'The WebSocket could not be opened')
      }
      // The handlers stay, doing nothing: an error event of `ws` that nobody hears would be thrown.
      wait.onEnd(() => (socket.terminate ? socket.terminate() : socket.close()))
      socket.binaryType = 'arraybuffer'
      socket.onopen = () => listener.onOpen()
      socket.onmessage = ({ data }: { data: unknown }) => {
        if (wait.reason) return
        try {
          const text = typeof data === 'string' ? data : createTextDecoder(options)(new Uint8Array(data as ArrayBuffer))
          checkLength(text, limit, 'message')
          readMessage(text, listener)
        } catch (error) {
          fail(error, 'The message could not be read')
        }
      }
      socket.onerror = (event: { error?: unknown; message?: unknown } | undefined) => {
        // Where the host says what was wrong nothing more can come; a browser says so only when it closes.
        const { error, message } = event ?? {}
        const cause = error || message
        if (cause) fail(cause, 'The WebSocket failed')
      }
      socket.onclose = (event: { code?: number; reason?: string } | undefined) => {
        const { code = ABNORMAL, reason } = event ?? {}
        end(
          new SidecarError('UNAVAILABLE', `The WebSocket ended with ${code}` + (reason ? ` (${reason})` : ''), {
            hint: endpoint.hint(),
          }),
          code === GOING_AWAY ? signalIn(reason) : undefined,
        )
      }
    })
}
