import type { WebSocket } from 'ws'
import { operations } from '../../protocol/operations.js'
import {
  ConnectionDropped,
  lineOf,
  type Sidecar,
  type SidecarRequest,
  type WatchMessage,
  type WatchSink,
} from '../../platform/sidecar.js'
import { answerRaw } from '../http/refusal.js'
import type { Admission } from '../http/request-guard.js'
import { acceptWebSocket, endAbruptly, sendFrame, type Upgrade } from './websocket-server.js'

/** Bytes that may wait in a watcher's socket. Further objects wait in the watcher's queue, which drops the oldest first. */
const MAX_BACKLOG = 64 * 1024

export type Caller = Required<Pick<SidecarRequest, 'client' | 'isTool'>>
type Call = Pick<SidecarRequest, 'method' | 'url'>

export interface UpgradeOptions {
  readonly sidecar: Sidecar
  /** The client's name in the log, and whether it is a command of this package. */
  readonly by: Caller
  /** Most bytes of a line with its line end. A longer line ends the connection unsent. Infinity for no limit. */
  readonly lineLimit: number
}

interface Link {
  readonly accepted: WebSocket
  /** Sends a line, and resolves when it has left. A line over the limit ends the connection instead. */
  send(line: Buffer): Promise<void> | undefined
  end(): void
}

/**
 * Serves the sidecar's paths over WebSocket as the real sidecar does: `?method=` names the method of a call without a
 * body, and one text frame answers it. No connection ends with a close frame.
 */
export async function serveUpgrade(
  { sidecar, by, lineLimit }: UpgradeOptions,
  upgrade: Upgrade,
  { target }: Admission,
): Promise<void> {
  const { socket } = upgrade
  const call = callOf(target)
  if (call === undefined) {
    return answerRaw(socket, 400, '400 Bad Request', { 'Content-Type': 'text/plain; charset=utf-8' })
  }
  const accepted = await acceptWebSocket(upgrade)
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
  if (isWatch(call)) serveWatch(sidecar, by, link)
  else await serveCall(sidecar, link, { ...call, ...by })
}

function serveWatch(sidecar: Sidecar, by: Caller, { accepted, send, end }: Link): void {
  const sink: WatchSink = {
    onMessage(message) {
      const left = send(frameOf(message))
      return accepted.bufferedAmount > MAX_BACKLOG ? left : undefined
    },
    onEnd: () => accepted.terminate(),
    onError: ({ body }) => void sendFrame(accepted, body).then(end),
  }
  const watch = sidecar.watch(sink, by)
  if (accepted.readyState === accepted.CLOSED) watch.close()
  else accepted.once('close', () => watch.close())
}

/** The frame of a message: the line that all watchers share, without its line end. */
function frameOf(message: WatchMessage): Buffer {
  const { buffer, byteOffset, byteLength } = lineOf(message)
  return Buffer.from(buffer, byteOffset, byteLength - 1)
}

async function serveCall(sidecar: Sidecar, { accepted, send, end }: Link, call: Call & Caller): Promise<void> {
  const left = new AbortController()
  accepted.once('close', () => left.abort())
  try {
    const response = await sidecar.handle({ ...call, headers: new Headers(), body: null, signal: left.signal })
    const line = Buffer.from(await response.arrayBuffer())
    if (line.byteLength > 0) await send(line)
    end()
  } catch (error) {
    accepted.terminate()
    if (!(error instanceof ConnectionDropped)) throw error
  }
}

/** Reads the call that a WebSocket's target asks for; undefined where its path has a malformed escape. */
function callOf(target: string): Call | undefined {
  const [, path = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(target) ?? []
  if (/%(?![0-9a-f]{2})/i.test(path)) return undefined
  return { method: new URLSearchParams(query).get('method') || 'GET', url: target }
}

function isWatch({ method, url }: Call): boolean {
  // In the real sidecar, too, escaped characters count as plain ones.
  const path = url.split('?')[0]!.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent)
  return method === 'GET' && path === operations.watchGameServer[1]
}
