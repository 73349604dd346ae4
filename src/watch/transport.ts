import { errorOfAnswer, parseObject } from '../client/answer.js'
import type { Core } from '../client/core.js'
import { checkLength, fail, isMissing, toSidecarError } from '../client/errors.js'
import { pick } from '../client/host.js'
import { exchange, requestInit } from '../client/http.js'
import type { Scope } from '../client/scope.js'
import type { Transport, WebSocketLike } from '../client/types.js'
import { createTextDecoder } from '../client/utf8.js'
import type { GameServer } from '../protocol/game-server.js'
import { operations } from '../protocol/operations.js'
import { createLineSplitter } from './lines.js'
import { isGameServer } from './order.js'

/**
 * Keeps one watch open until its scope ends; rejects with the reason when nothing more comes. As soon as the connection
 * stands, the scope has its status.
 */
type Open = (core: Core, scope: Scope, onMessage: (text: string) => void) => Promise<never>

/** What `ws` and browsers have besides. */
interface Socket extends WebSocketLike {
  terminate?(): void
  binaryType?: string
}

const urlOf = ({ _baseUrl }: Core): string => _baseUrl + operations.watchGameServer[1]

/** One watch over one WebSocket. Nothing is ever sent on it: some sidecars never end such a connection. */
const openWebSocket: Open = (core, scope, onMessage) =>
  scope._wait((wait) => {
    const WebSocket = pick(core, 'WebSocket')
    if (!WebSocket) throw isMissing('WebSocket', scope)
    const socket: Socket = new WebSocket(urlOf(core).replace(/^http/, 'ws'))
    let trouble: unknown
    // The handlers stay, doing nothing: an error event of `ws` that nobody hears would be thrown.
    wait._onEnd(() => (socket.terminate ? socket.terminate() : socket.close()))
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      scope._status = 101
    }
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (wait._reason) return
      try {
        const decode = (): string => createTextDecoder(core, scope)(new Uint8Array(data as ArrayBuffer))
        const text = typeof data === 'string' ? data : decode()
        checkLength(core.limits, 'message', text, scope)
        onMessage(text)
      } catch (error) {
        wait._end(error)
      }
    }
    socket.onerror = (event: { error?: unknown; message?: unknown } | undefined) => {
      trouble = event && (event.error || event.message)
    }
    socket.onclose = (event: { code?: number; reason?: string } | undefined) => {
      const { code, reason } = event || {}
      const message = 'The WebSocket ended with ' + (code || 1006) + (reason ? ' (' + reason + ')' : '')
      wait._end(toSidecarError(trouble, 'UNAVAILABLE', message, scope))
    }
  })

/** One watch over one HTTP answer, a JSON object a line. */
const openStream: Open = async (core, scope, onMessage) => {
  const split = createLineSplitter((line) => checkLength(core.limits, 'message', line, scope), onMessage)
  let text = ''
  await exchange(core, scope, urlOf(core), requestInit('GET'), (piece) => {
    // The head has come before the first piece and stays as it is.
    if (scope._refused === undefined)
      scope._refused = scope._status !== 200 || /html/.test(scope._header!('Content-Type')!)
    if (!scope._refused) {
      split(piece)
    } else if ((text += piece).length > 4096) throw errorOfAnswer(scope, text)
  })
  scope._refused = scope._refused || scope._status !== 200
  throw scope._refused ? errorOfAnswer(scope, text) : fail('UNAVAILABLE', 'The watch ended', scope)
}

export const transports: Record<Transport, Open> = { websocket: openWebSocket, stream: openStream }

/** The object that a message holds. Both transports wrap it in `result`. Throws what the message says instead. */
export function parseMessage(scope: Scope, text: string): GameServer {
  const body = parseObject(text) || {}
  const { result, error } = body
  if (isGameServer(result)) return result
  if (error || body.code) {
    scope._status = 500
    throw errorOfAnswer(scope, JSON.stringify(error || body))
  }
  throw fail('PROTOCOL', 'Not a GameServer: ' + text.slice(0, 1024), scope)
}
