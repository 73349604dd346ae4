import { errorOfAnswer, parseObject } from '../client/answer.js'
import { SidecarError } from '../client/errors.js'
import { exchange } from '../client/http.js'
import { host } from '../client/host.js'
import type { Scope } from '../client/scope.js'
import type { ClientOptions, Transport, WebSocketConstructor } from '../client/types.js'
import { createTextDecoder } from '../client/utf8.js'
import { createLineSplitter } from './lines.js'

export interface TransportEvents {
  /** The connection stands; nothing has come yet. */
  _onOpen(): void
  /** One message of the watch, whatever it holds. */
  _onMessage(text: string): void
  /** Once, when nothing more comes; not after the scope ended. */
  _onEnd(reason: SidecarError): void
}

const operation = 'watchGameServer'
const defaultLimit = 16 * 1024 * 1024

function tooLong(limit: number): SidecarError {
  return new SidecarError('LIMIT', 'A message of the watch is longer than ' + limit + ' characters', {
    operation,
    hint: 'Raise limits.message.',
  })
}

export function hasWebSocket(options: ClientOptions): WebSocketConstructor | undefined {
  return options.WebSocket ?? host().WebSocket
}

/** One watch over one WebSocket. Nothing is ever sent on it: some sidecars never end such a connection. */
export function openWebSocket(options: ClientOptions, scope: Scope, url: string, events: TransportEvents): void {
  const limit = (options.limits && options.limits.message) ?? defaultLimit
  const Socket = hasWebSocket(options)
  if (!Socket)
    return events._onEnd(
      new SidecarError('CONFIG', 'This host has no WebSocket', { hint: 'Give createClient({ WebSocket }).' }),
    )
  let ended = false
  let trouble: unknown
  let socket: InstanceType<WebSocketConstructor> & { terminate?(): void; binaryType?: string }
  const end = (reason?: SidecarError): void => {
    if (ended) return
    ended = true
    forget()
    if (!scope._reason) events._onEnd(reason!)
    // Listeners stay, doing nothing: an error event of `ws` that nobody hears would be thrown.
    if (socket) {
      if (socket.terminate) socket.terminate()
      else socket.close()
    }
  }
  const forget = scope._onEnd(end)
  if (scope._reason) return
  try {
    socket = new Socket(url.replace(/^http/, 'ws'))
  } catch (error) {
    return end(new SidecarError('UNAVAILABLE', 'The WebSocket was refused', { operation, cause: error }))
  }
  socket.binaryType = 'arraybuffer'
  socket.onopen = () => {
    if (!ended) events._onOpen()
  }
  socket.onmessage = (event: { data: unknown }) => {
    if (ended) return
    const { data } = event
    const text =
      typeof data === 'string'
        ? data
        : data instanceof ArrayBuffer
          ? createTextDecoder(options.TextDecoder)(new Uint8Array(data))
          : ''
    if (text.length > limit) end(tooLong(limit))
    else events._onMessage(text)
  }
  socket.onerror = (event: { error?: unknown; message?: unknown } | undefined) => {
    trouble = event && (event.error ?? event.message)
  }
  socket.onclose = (event: { code?: number } | undefined) => {
    end(
      new SidecarError('UNAVAILABLE', 'The WebSocket ended (' + ((event && event.code) ?? 1006) + ')', {
        operation,
        cause: trouble,
      }),
    )
  }
}

/** One watch over one HTTP answer, a JSON object a line. */
export function openStream(options: ClientOptions, scope: Scope, url: string, events: TransportEvents): void {
  const limit = (options.limits && options.limits.message) ?? defaultLimit
  const split = createLineSplitter(limit, events._onMessage)
  let status = 200
  let refused = false
  let text = ''
  exchange(options, scope, {
    _method: 'GET',
    _url: url,
    _onHead(head) {
      status = head._status
      refused = status !== 200 || /html/.test(head._header('content-type') ?? '')
      if (!refused) events._onOpen()
    },
    _onText(piece) {
      if (refused) {
        text += piece
        if (text.length > 4096) throw errorOfAnswer(operation, status, text)
      } else if (!split(piece)) throw tooLong(limit)
    },
  })
    .then(() => {
      throw refused
        ? errorOfAnswer(operation, status, text)
        : new SidecarError('UNAVAILABLE', 'The stream ended', { operation })
    })
    .catch((error: unknown) => {
      if (!scope._reason)
        events._onEnd(
          error instanceof SidecarError
            ? error
            : new SidecarError('UNAVAILABLE', 'The stream broke', { operation, cause: error }),
        )
    })
}

export type Opener = typeof openStream
export const transports: Record<Transport, Opener> = { websocket: openWebSocket, stream: openStream }

/** What a message holds: an object, or an error to report. Both transports wrap objects in `result`. */
export function parseMessage(text: string): { _object?: unknown; _error?: SidecarError } {
  const body = parseObject(text)
  if (!body) return { _error: new SidecarError('PROTOCOL', 'Not JSON: ' + text.slice(0, 1024), { operation }) }
  if (body.result !== undefined) return { _object: body.result }
  const error = (body.error ?? body) as { message?: unknown }
  return {
    _error: errorOfAnswer(operation, 500, JSON.stringify(typeof error === 'object' && error ? error : { message: error })),
  }
}
