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
  /**
   * Bytes that a line and its line end may have; a longer line ends the connection unsent. Infinity for no limit.
   */
  readonly lineLimit: number
}

/**
 * Serves the sidecar's paths over WebSocket as the real one does: a call without a body, by the method that `?method=`
 * names, answered by one text frame per line. No connection ends with a close frame.
 */
export async function serveUpgrade(
  options: UpgradeOptions,
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
  const { sidecar, accept, client, lineLimit } = options
  const accepted = await accept(message, socket, head)
  if (accepted === undefined) return
  const send: Send = (line) => {
    if (line.byteLength < lineLimit) return sendFrame(accepted, line)
    accepted.terminate()
    return undefined
  }
  if (call === 'no path') {
    await sendFrame(accepted, refusalBody(malformed('Bad Request')))
    endAbruptly(accepted, socket)
  } else if (isWatch(call)) {
    serveWatch(sidecar, client, accepted, socket, send)
  } else {
    await serveCall(sidecar, accepted, socket, send, admission.host, { ...call, client })
  }
}

/** Sends a line that is not too long, and resolves when it has left; a longer one ends the connection. */
type Send = (line: Buffer) => Promise<void> | undefined

/** The frame of a message: a part of its line, which all watchers share. */
function frameOf(message: WatchMessage): Buffer {
  const { buffer, byteOffset, byteLength } = lineOf(message)
  return Buffer.from(buffer, byteOffset, byteLength - 1)
}

function serveWatch(sidecar: Sidecar, client: string, accepted: WebSocket, socket: Duplex, send: Send): void {
  const sink: WatchSink = {
    onMessage(message) {
      const left = send(frameOf(message))
      return accepted.bufferedAmount > MAX_BACKLOG ? left : undefined
    },
    onEnd: () => accepted.terminate(),
    onError: ({ body }) => void sendFrame(accepted, body).then(() => endAbruptly(accepted, socket)),
  }
  const watch = sidecar.watch(sink, client)
  if (accepted.readyState === accepted.CLOSED) watch.close()
  else accepted.once('close', () => watch.close())
}

async function serveCall(
  sidecar: Sidecar,
  accepted: WebSocket,
  socket: Duplex,
  send: Send,
  host: string,
  call: RawTarget & { readonly client: string },
): Promise<void> {
  const left = new AbortController()
  accepted.once('close', () => left.abort())
  try {
    const response = await sidecar.handle(buildRequest(host, call), { ...call, signal: left.signal })
    for (const line of splitLines(await readBytes(response))) {
      const left = send(line)
      if (left === undefined) return
      await left
    }
    endAbruptly(accepted, socket)
  } catch (error) {
    accepted.terminate()
    if (!(error instanceof ConnectionDropped)) throw error
  }
}

/** The bytes of an answer: the very ones, not a copy, where they come in one piece as a GameServer's do. */
async function readBytes(response: Response): Promise<Buffer> {
  if (response.body === null) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  const [first] = chunks
  if (first === undefined || chunks.length > 1) return Buffer.concat(chunks)
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength)
}

/** The lines of an answer that are not empty, without their ends. */
function* splitLines(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.byteLength;) {
    const end = bytes.indexOf(0x0a, at)
    const line = bytes.subarray(at, end < 0 ? bytes.byteLength : end)
    if (line.byteLength > 0) yield line
    at += line.byteLength + 1
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
  return { method: methodOf(query ?? '') || 'GET', target: effective }
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
