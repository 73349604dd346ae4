import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { operations } from '../../protocol/operations.js'
import { ConnectionDropped, lineOf } from '../../sidecar/index.js'
import type { Sidecar, WatchMessage, WatchSink } from '../../sidecar/index.js'
import { buildRequest } from './http-adapter.js'
import type { RawTarget } from './http-adapter.js'
import { answerRaw } from '../http/raw-response.js'
import { refusalBody, malformed } from '../http/refusal.js'
import type { Admission } from '../http/request-guard.js'
import { endAbruptly, sendFrame } from './websocket-server.js'
import type { Accept } from './websocket-server.js'

/** Bytes that may wait in a watcher's socket; further objects wait in its queue, which drops the oldest first. */
const MAX_BACKLOG = 64 * 1024

export interface UpgradeOptions {
  readonly sidecar: Sidecar
  readonly accept: Accept
  /** Who it is, for the log. */
  readonly client: string
  /** Bytes that a line and its line end may have; a longer line ends the connection unsent. Infinity for no limit. */
  readonly lineLimit: number
}

/** A handshake that is complete. */
interface Link {
  readonly accepted: WebSocket
  /** Sends a line, and resolves when it has left; one that is too long ends the connection instead. */
  send(line: Buffer): Promise<void> | undefined
  /** Ends the connection once everything was sent. */
  end(): void
}

/**
 * Serves the sidecar's paths over WebSocket as the real one does: a call without a body, by the method that `?method=`
 * names, answered by one text frame. No connection ends with a close frame.
 */
export async function serveUpgrade(
  { sidecar, accept, client, lineLimit }: UpgradeOptions,
  admission: Admission,
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const call = parseTarget(admission.target)
  if (call === 'malformed escape') {
    return answerRaw(socket, 400, '400 Bad Request', { 'Content-Type': 'text/plain; charset=utf-8' })
  }
  const accepted = await accept(message, socket, head)
  if (accepted === undefined) return
  const link: Link = {
    accepted,
    send(line) {
      if (line.byteLength < lineLimit) return sendFrame(accepted, line)
      accepted.terminate()
      return undefined
    },
    end: () => endAbruptly(accepted, socket),
  }
  if (call === 'no path') {
    await sendFrame(accepted, refusalBody(malformed('Bad Request')))
    link.end()
  } else if (isWatch(call)) {
    serveWatch(sidecar, client, link)
  } else {
    await serveCall(sidecar, link, admission.host, { ...call, client })
  }
}

function serveWatch(sidecar: Sidecar, client: string, { accepted, send, end }: Link): void {
  const sink: WatchSink = {
    onMessage(message) {
      const left = send(frameOf(message))
      return accepted.bufferedAmount > MAX_BACKLOG ? left : undefined
    },
    onEnd: () => accepted.terminate(),
    onError: ({ body }) => void sendFrame(accepted, body).then(end),
  }
  const watch = sidecar.watch(sink, client)
  if (accepted.readyState === accepted.CLOSED) watch.close()
  else accepted.once('close', () => watch.close())
}

/** The frame of a message: a part of its line, which all watchers share. */
function frameOf(message: WatchMessage): Buffer {
  const { buffer, byteOffset, byteLength } = lineOf(message)
  return Buffer.from(buffer, byteOffset, byteLength - 1)
}

async function serveCall(
  sidecar: Sidecar,
  { accepted, send, end }: Link,
  host: string,
  call: RawTarget & { readonly client: string },
): Promise<void> {
  const left = new AbortController()
  accepted.once('close', () => left.abort())
  try {
    const response = await sidecar.handle(buildRequest(host, call), { ...call, signal: left.signal })
    const line = Buffer.from(await response.arrayBuffer())
    if (line.byteLength > 0) await send(line)
    end()
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
function parseTarget(target: string): RawTarget | 'malformed escape' | 'no path' {
  const [path, query] = splitOnce(target, '?')
  if (/%(?![0-9a-f]{2})/i.test(path)) return 'malformed escape'
  const hosted = /^\/\/[^/]*(.*)$/.exec(target)
  const effective = hosted === null || path.startsWith('///') ? target : hosted[1]!
  if (!effective.startsWith('/')) return 'no path'
  return { method: new URLSearchParams(query).get('method') || 'GET', target: effective }
}

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
