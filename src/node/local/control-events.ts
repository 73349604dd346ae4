import type { WebSocket } from 'ws'
import type { LogEntry, Sidecar } from '../../sidecar/index.js'
import type { Backlog } from './backlog.js'
import { stateJson } from './control-json.js'

/** Bytes that may wait for a reader; entries beyond them are skipped and announced as a gap. */
const MAX_BACKLOG = 1024 * 1024
/** Milliseconds between two checks of a reader that has a gap. */
const GAP_CHECK = 100

/**
 * Sends the event log live: first the `state`, then an `entry` for each event. After entries that a slow reader missed
 * comes one `gap` with the number from which `GET /_/api/log?since=` has them. A reader here is no watcher, and costs
 * the sidecar no more than one bounded queue.
 */
export function serveEvents(sidecar: Sidecar, socket: WebSocket, backlog: Backlog, since: number | undefined): void {
  let sent = since ?? sidecar.snapshot().lastSeq
  let gapCheck: ReturnType<typeof setInterval> | undefined
  const reader = backlog(() => socket.terminate())
  const send = (bytes: Uint8Array, fin = true): void => socket.send(bytes, { binary: false, fin }, reader.hold(bytes))
  const endGap = (): void => {
    if (socket.bufferedAmount > 0) return
    clearInterval(gapCheck)
    gapCheck = undefined
    send(Buffer.from(JSON.stringify({ type: 'gap', since: sent })))
    sent = sidecar.snapshot().lastSeq
  }
  const sendEntry = (entry: LogEntry): void => {
    if (gapCheck !== undefined) return
    if (socket.bufferedAmount > MAX_BACKLOG) {
      gapCheck = setInterval(endGap, GAP_CHECK)
      return
    }
    send(frameOf(entry))
    sent = entry.seq
  }
  const unsubscribe = sidecar.log.subscribe(sendEntry)
  socket.once('close', () => {
    reader.end()
    unsubscribe()
    clearInterval(gapCheck)
  })
  // One message in fragments, because all readers share the GameServer's bytes.
  send(Buffer.from('{"type":"state","state":'), false)
  for (const part of stateJson(sidecar.snapshot())) send(part, false)
  send(Buffer.from('}'))
  if (since === undefined) return
  for (const entry of sidecar.log.entries(since)) {
    sendEntry(entry)
    if (gapCheck !== undefined) return
  }
}

const frames = new WeakMap<LogEntry, Buffer>()

/** The frame of an entry, which all readers share. */
function frameOf(entry: LogEntry): Buffer {
  const known = frames.get(entry)
  if (known !== undefined) return known
  const frame = Buffer.from(JSON.stringify({ type: 'entry', entry }))
  frames.set(entry, frame)
  return frame
}
