import type { WebSocket } from 'ws'
import type { LogEntry, Sidecar } from '../../sidecar/index.js'
import type { Backlog } from './backlog.js'
import { stateJson } from './control-json.js'

/** Bytes that may wait for a reader; entries beyond them are skipped and announced as a gap. */
const MAX_BACKLOG = 1024 * 1024
/** Milliseconds between two checks of a reader that has a gap. */
const GAP_CHECK = 100
/** Shortest time in milliseconds between two states: one of a large GameServer waits longer, a millisecond for each KB. */
const STATE_INTERVAL = 100
const BYTES_A_MS = 1_000

/**
 * Sends the event log live: first the `state`, then an `entry` for each event, and the `state` again a moment after
 * entries, so that nobody has to ask for it. After entries that a slow reader missed
 * comes one `gap` with the number from which `GET /_/api/log?since=` has them. A reader here is no watcher, and costs
 * the sidecar no more than one bounded queue.
 */
export function serveEvents(sidecar: Sidecar, socket: WebSocket, backlog: Backlog, since: number | undefined): void {
  let sent = since ?? sidecar.snapshot().lastSeq
  let gapCheck: ReturnType<typeof setInterval> | undefined
  let stateTimer: ReturnType<typeof setTimeout> | undefined
  let stateSize = 0
  const reader = backlog(() => socket.terminate())
  const send = (bytes: Uint8Array, fin = true): void => socket.send(bytes, { binary: false, fin }, reader.hold(bytes))
  const endGap = (): void => {
    if (socket.bufferedAmount > 0) return
    clearInterval(gapCheck)
    gapCheck = undefined
    send(Buffer.from(JSON.stringify({ type: 'gap', since: sent })))
    sent = sidecar.snapshot().lastSeq
    scheduleState()
  }
  // One message in fragments, because all readers share the GameServer's bytes.
  const sendState = (): void => {
    const parts = stateJson(sidecar.snapshot())
    stateSize = parts.reduce((sum, part) => sum + part.byteLength, 0)
    send(Buffer.from('{"type":"state","state":'), false)
    for (const part of parts) send(part, false)
    send(Buffer.from('}'))
  }
  const refresh = (): void => {
    stateTimer = undefined
    // Whoever hasn't read the last one yet would only have more to read.
    if (socket.bufferedAmount > 0) scheduleState()
    else sendState()
  }
  const scheduleState = (): void => {
    stateTimer ??= setTimeout(refresh, Math.max(STATE_INTERVAL, stateSize / BYTES_A_MS))
  }
  const sendEntry = (entry: LogEntry): void => {
    if (gapCheck !== undefined) return
    if (socket.bufferedAmount > MAX_BACKLOG) {
      gapCheck = setInterval(endGap, GAP_CHECK)
      return
    }
    send(frameOf(entry))
    sent = entry.seq
    scheduleState()
  }
  const unsubscribe = sidecar.log.subscribe(sendEntry)
  socket.once('close', () => {
    reader.end()
    unsubscribe()
    clearInterval(gapCheck)
    clearTimeout(stateTimer)
  })
  sendState()
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
