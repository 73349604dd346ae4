import type { GameServer } from '../protocol/game-server.js'
import { checkLength, missingGlobal, SidecarError, toSidecarError } from './errors.js'
import type { WebSocketConstructor, WebSocketLike } from './globals.js'
import { requestInit } from './http.js'
import { type Access, errorOfAnswer, isGameServer, parseObject, urlOf } from './request.js'
import type { Task, Time } from './time.js'

export const WATCH = 'watchGameServer'

export interface WatchListener {
  /** The other side accepted the connection. */
  onOpen(): void
  onGameServer(gameServer: GameServer): void
  /** A malformed message is skipped. */
  onProblem(problem: SidecarError): void
}

/** One watch over one transport. Rejects with the reason for the watch's end, or with the task's. */
export type OpenWatch = (task: Task, listener: WatchListener) => Promise<never>

/**
 * Passes on the GameServer in a message. Both transports wrap it in `result`.
 *
 * @throws SidecarError the error that the other side has sent instead, which ends the watch
 */
function readMessage(text: string, limit: number, { onGameServer, onProblem }: WatchListener): void {
  checkLength(text, limit, 'message')
  const message = parseObject(text)
  const { result, error, code } = message ?? {}
  if (isGameServer(result)) return onGameServer(result)
  if (error || code) throw errorOfAnswer(500, JSON.stringify(error || message))
  onProblem(new SidecarError('PROTOCOL', 'This message is not a GameServer: ' + text.slice(0, 1024)))
}

/** The most characters read from an answer that isn't a watch. */
const MOST_OF_REFUSAL = 4096

/**
 * One watch over one HTTP answer, a JSON object a line.
 *
 * @param limit characters of a line
 */
export const createStreamWatch =
  ({ http, baseUrl }: Access, time: Time, limit: number): OpenWatch =>
  (task, listener) =>
    time.wait<never>(task, (_resolve, reject) => {
      let status: number
      let isRefusal: boolean
      let rest = ''
      return http(urlOf(baseUrl, WATCH), requestInit('GET'), {
        onHead(code, header) {
          status = code
          if (status < 300) listener.onOpen()
          isRefusal = status !== 200 || /html/.test(header('Content-Type') || '')
        },
        onText(text) {
          if (isRefusal) {
            rest += text
            if (rest.length > MOST_OF_REFUSAL) throw errorOfAnswer(status, rest)
            return
          }
          // Searches only the new piece, since a long line comes in many pieces.
          const lines = text.split('\n')
          lines[0] = rest + lines[0]!
          rest = lines.pop()!
          for (const line of lines) if (line.trim()) readMessage(line, limit, listener)
          checkLength(rest, limit, 'message')
        },
        onEnd: () =>
          reject(isRefusal ? errorOfAnswer(status, rest) : new SidecarError('UNAVAILABLE', 'The watch ended')),
        onError: (cause) => reject(toSidecarError(cause, 'UNAVAILABLE', 'No answer from ' + baseUrl)),
      })
    })

/** The class of WebSocket that a watch is opened with, if the host has one. */
export type LoadWebSocket = () => WebSocketConstructor | undefined | Promise<WebSocketConstructor | undefined>

/**
 * One watch over one WebSocket. Nothing is ever sent on it: some sidecars never end such a connection.
 *
 * @param limit characters of a message
 */
export const createWebSocketWatch =
  (load: LoadWebSocket, baseUrl: string, time: Time, limit: number): OpenWatch =>
  async (task, listener) => {
    const WebSocket = await load()
    if (!WebSocket) throw missingGlobal('WebSocket')
    return time.wait<never>(task, (_resolve, reject) => {
      const socket: WebSocketLike & { terminate?(): void } = new WebSocket(urlOf(baseUrl, WATCH).replace(/^http/, 'ws'))
      const fail = (error: unknown): void => reject(toSidecarError(error, 'UNAVAILABLE', 'The WebSocket failed'))
      socket.onopen = () => listener.onOpen()
      socket.onmessage = ({ data }: { data: unknown }) => {
        try {
          readMessage(String(data), limit, listener)
        } catch (error) {
          fail(error)
        }
      }
      socket.onerror = (event: { error?: unknown; message?: unknown } | undefined) => {
        // If the host gives a reason, nothing more can come; a browser gives it only in the `close` event.
        const { error, message } = event ?? {}
        if (error || message) fail(error || message)
      }
      socket.onclose = (event: { code?: number; reason?: string } | undefined) => {
        const { code = 1006, reason } = event ?? {}
        fail(new SidecarError('UNAVAILABLE', `The WebSocket ended with ${code}` + (reason ? ` (${reason})` : '')))
      }
      return () => {
        // Keep no-op handlers for the others: `ws` throws an error event without a listener.
        socket.onmessage = null
        if (socket.terminate) socket.terminate()
        else socket.close()
      }
    })
  }
