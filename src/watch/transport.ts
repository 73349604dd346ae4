import { errorOfAnswer, parseObject } from '../client/answer.js'
import { fail, isSidecarError, type SidecarError } from '../client/errors.js'
import { pick } from '../client/host.js'
import { exchange } from '../client/http.js'
import type { ResolvedOptions } from '../client/options.js'
import type { Scope } from '../client/scope.js'
import type { Transport, WebSocketLike } from '../client/types.js'
import { createTextDecoder } from '../client/utf8.js'
import { createLineSplitter } from './lines.js'

/**
 * Opens one watch until its scope ends.
 *
 * @param onOpen the connection stands; nothing has come yet
 * @param onMessage one message of the watch, whatever it holds
 * @param onEnd once, when nothing more comes; not after the scope has ended
 */
export type Open = (
  options: ResolvedOptions,
  scope: Scope,
  url: string,
  onOpen: () => void,
  onMessage: (text: string) => void,
  onEnd: (reason: SidecarError) => void,
) => void

const operation = 'watchGameServer'

const lost = (message: string, cause: unknown): SidecarError => fail('UNAVAILABLE', message, operation, cause)
const tooLong = (): SidecarError => fail('LIMIT', 'A message is too long', operation, undefined, 'Raise limits.message.')

/** One watch over one WebSocket. Nothing is ever sent on it: some sidecars never end such a connection. */
const openWebSocket: Open = (options, scope, url, onOpen, onMessage, onEnd) => {
  const Socket = pick(options, 'WebSocket')
  if (!Socket) return onEnd(fail('CONFIG', 'No WebSocket here', operation, undefined, 'Give createClient({ WebSocket }).'))
  let trouble: unknown
  let socket: WebSocketLike & { terminate?(): void; binaryType?: string }
  const end = (reason: SidecarError): void => {
    if (scope._reason === undefined) onEnd(reason)
  }
  try {
    socket = new Socket(url.replace(/^http/, 'ws'))
  } catch (error) {
    return end(lost('The WebSocket was refused', error))
  }
  // The handlers stay, doing nothing: an error event of `ws` that nobody hears would be thrown.
  scope._onEnd(() => (socket.terminate ? socket.terminate() : socket.close()))
  socket.binaryType = 'arraybuffer'
  socket.onopen = onOpen
  socket.onmessage = ({ data }: { data: unknown }) => {
    if (scope._reason !== undefined) return
    try {
      const text = typeof data === 'string' ? data : createTextDecoder(options)(new Uint8Array(data as ArrayBuffer))
      if (text.length > options.limits.message) throw tooLong()
      onMessage(text)
    } catch (error) {
      end(isSidecarError(error) ? error : lost('The WebSocket broke', error))
    }
  }
  socket.onerror = (event: { error?: unknown; message?: unknown } | undefined) => {
    trouble = event && (event.error || event.message)
  }
  socket.onclose = (event: { code?: number } | undefined) =>
    end(lost('The WebSocket ended with ' + ((event && event.code) || 1006), trouble))
}

/** One watch over one HTTP answer, a JSON object a line. */
const openStream: Open = (options, scope, url, onOpen, onMessage, onEnd) => {
  const split = createLineSplitter(options.limits.message, onMessage)
  let status = 200
  let refused = false
  let text = ''
  exchange(
    options,
    scope,
    'GET',
    url,
    undefined,
    (code, header) => {
      status = code
      refused = code !== 200 || /html/.test(header('Content-Type') || '')
      if (!refused) onOpen()
    },
    (piece) => {
      if (refused) {
        text += piece
        if (text.length > 4096) throw errorOfAnswer(operation, status, text)
      } else if (!split(piece)) throw tooLong()
    },
  )
    .then(() => {
      throw refused ? errorOfAnswer(operation, status, text) : lost('The stream ended', undefined)
    })
    .catch((error: unknown) => {
      if (scope._reason === undefined) onEnd(isSidecarError(error) ? error : lost('The stream broke', error))
    })
}

export const transports: Record<Transport, Open> = { websocket: openWebSocket, stream: openStream }

/** The object that a message holds. Both transports wrap it in `result`. Throws what the message says instead. */
export function parseMessage(text: string): unknown {
  const { result, error } = parseObject(text) || {}
  if (result) return result
  const body = text.length > 0 && parseObject(text)
  throw body && (error || body.code)
    ? errorOfAnswer(operation, 500, JSON.stringify(error || body))
    : fail('PROTOCOL', 'Not a message of the watch: ' + text.slice(0, 1024), operation)
}
