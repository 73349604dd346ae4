import type { WebSocket } from 'ws'
import type { LogEntry, Sidecar } from '../../sidecar/index.js'

/** Bytes that may wait for a reader; entries beyond them are skipped and announced as a gap. */
const MAX_BACKLOG = 1024 * 1024
/** Milliseconds between two checks of a reader that has a gap. */
const GAP_CHECK = 100

/**
 * Sends the event log live: first the `state`, then an `entry` for each event. After entries that a slow reader missed
 * comes one `gap` with the number from which `GET /_/api/log?since=` has them. A reader here is no watcher, and costs
 * the sidecar no more than one bounded queue.
 */
export function serveEvents(sidecar: Sidecar, socket: WebSocket, since: number | undefined): void {
  let sent = since ?? sidecar.snapshot().lastSeq
  let gapCheck: ReturnType<typeof setInterval> | undefined
  const send = (value: object): void => socket.send(JSON.stringify(value))
  const endGap = (): void => {
    if (socket.bufferedAmount > 0) return
    clearInterval(gapCheck)
    gapCheck = undefined
    send({ type: 'gap', since: sent })
    sent = sidecar.snapshot().lastSeq
  }
  const unsubscribe = sidecar.log.subscribe((entry) => {
    if (gapCheck !== undefined) return
    if (socket.bufferedAmount > MAX_BACKLOG) {
      gapCheck = setInterval(endGap, GAP_CHECK)
      return
    }
    socket.send(frameOf(entry), { binary: false })
    sent = entry.seq
  })
  socket.once('close', () => {
    unsubscribe()
    clearInterval(gapCheck)
  })
  send({ type: 'state', state: sidecar.snapshot() })
  if (since === undefined) return
  for (const entry of sidecar.log.entries(since)) {
    socket.send(frameOf(entry), { binary: false })
    sent = entry.seq
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
