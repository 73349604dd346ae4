import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { operations } from '../../protocol/operations.js'
import { ConnectionDropped } from '../../sidecar/index.js'
import type { Sidecar, WatchMessage } from '../../sidecar/index.js'
import { buildRequest } from './http-adapter.js'
import type { RawTarget } from './http-adapter.js'
import { answerRaw } from '../http/raw-response.js'
import { refusalBody, malformed } from '../http/refusal.js'
import type { Admission } from '../http/request-guard.js'
import { endAbruptly, sendFrame } from './websocket-server.js'
import type { Accept } from './websocket-server.js'

/** Bytes that may wait in a watcher's socket; further objects wait in its queue, which drops the oldest first. */
const MAX_BACKLOG = 64 * 1024

/**
 * Serves the sidecar's paths over WebSocket as the real one does: a call without a body, by the method that `?method=`
 * names, answered by one text frame per line. No connection ends with a close frame.
 *
 * @param lineLimit bytes that a line and its line end may have; a longer line ends the connection unsent. Infinity for
 *   no limit.
 */
export async function serveUpgrade(
  sidecar: Sidecar,
  accept: Accept,
  lineLimit: number,
  admission: Admission,
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const call = parseTarget(admission.target)
  if (call === 'malformed escape') {
    answerRaw(socket, 400, '400 Bad Request', { 'Content-Type': 'text/plain; charset=utf-8' })
    return
  }
  const accepted = await accept(message, socket, head)
  if (accepted === undefined) return
  const fits = (line: string | Buffer): boolean => lineLimit === Infinity || Buffer.byteLength(line) < lineLimit
  if (call === 'no answer') {
    endAbruptly(accepted, socket)
  } else if (call === 'no path') {
    await sendFrame(accepted, refusalBody(malformed('Bad Request')))
    endAbruptly(accepted, socket)
  } else if (isWatch(call)) {
    serveWatch(sidecar, accepted, socket, fits)
  } else {
    await serveCall(sidecar, accepted, socket, fits, admission.host, call)
  }
}

/** Frames of watches, which all watchers share: each would take as much memory as the GameServer. */
const frames = new WeakMap<WatchMessage, Buffer>()

function frameOf(message: WatchMessage): Buffer {
  const known = frames.get(message)
  if (known !== undefined) return known
  const frame = Buffer.from(message.json)
  frames.set(message, frame)
  return frame
}

function serveWatch(sidecar: Sidecar, accepted: WebSocket, socket: Duplex, fits: (line: Buffer) => boolean): void {
  const watch = sidecar.watch({
    onMessage(message) {
      const frame = frameOf(message)
      if (!fits(frame)) {
        accepted.terminate()
        return undefined
      }
      const left = sendFrame(accepted, frame)
      return accepted.bufferedAmount > MAX_BACKLOG ? left : undefined
    },
    onEnd: () => accepted.terminate(),
    onError: ({ body }) => void sendFrame(accepted, body).then(() => endAbruptly(accepted, socket)),
  })
  if (accepted.readyState === accepted.CLOSED) watch.close()
  else accepted.once('close', () => watch.close())
}

async function serveCall(
  sidecar: Sidecar,
  accepted: WebSocket,
  socket: Duplex,
  fits: (line: string) => boolean,
  host: string,
  call: RawTarget,
): Promise<void> {
  try {
    const response = await sidecar.handle(buildRequest(host, call), call)
    for (const line of (await response.text()).split('\n')) {
      if (line === '') continue
      if (!fits(line)) {
        accepted.terminate()
        return
      }
      await sendFrame(accepted, line)
    }
    endAbruptly(accepted, socket)
  } catch (error) {
    accepted.terminate()
    if (!(error instanceof ConnectionDropped)) throw error
  }
}

function isWatch({ method, target }: RawTarget): boolean {
  // An escaped slash separates as a plain one does.
  return method === 'GET' && decode(splitOnce(target, '?')[0]) === operations.watchGameServer[1]
}

/** Reads the call that a WebSocket's target asks for. `//host/path` is a path with a host, as in the real sidecar. */
function parseTarget(target: string): RawTarget | 'malformed escape' | 'no path' | 'no answer' {
  const [path, query] = splitOnce(target, '?')
  if (/%(?![0-9a-f]{2})/i.test(path)) return 'malformed escape'
  const hosted = /^\/\/[^/]*(.*)$/.exec(target)
  const effective = hosted === null || path.startsWith('///') ? target : hosted[1]!
  if (!effective.startsWith('/')) return 'no path'
  // Unlike over plain HTTP, a query ends at its fragment, and a malformed fragment ends the connection.
  const [passedOn, fragment] = query === undefined ? [effective, undefined] : cutFragment(effective)
  if (fragment !== undefined && /%(?![0-9a-f]{2})/i.test(fragment)) return 'no answer'
  return { method: methodOf(query ?? '') || 'GET', target: passedOn }
}

function cutFragment(target: string): [string, string | undefined] {
  const [path, query = ''] = splitOnce(target, '?')
  const [kept, fragment] = splitOnce(query, '#')
  return [`${path}?${kept}`, fragment]
}

/** The first `method` of a query; malformed pairs are skipped. */
function methodOf(query: string): string {
  for (const pair of query.split('&')) {
    const [name, value] = splitOnce(pair, '=')
    const method = decodeParameter(value ?? '')
    if (decodeParameter(name) === 'method' && method !== undefined && !pair.includes(';')) return method
  }
  return ''
}

const decodeParameter = (text: string): string | undefined => decode(text.replace(/\+/g, ' '))

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
