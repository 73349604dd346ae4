import type { WebSocket } from 'ws'
import type { Sidecar } from '../../sidecar/index.js'

/** Bytes that may wait for a reader; what happens beyond them is left out and announced as a gap. */
const MAX_BACKLOG = 1024 * 1024
/** How often a reader with a gap is looked at again, in milliseconds. */
const GAP_CHECK = 100

/**
 * Sends the event log live: a `state` first, then an `entry` for each event, and after entries that a slow
 * reader missed one `gap` with the number after which `GET /_/api/log?since=` has them. It costs the sidecar
 * nothing but one bounded queue: a reader here is no watcher.
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
    send({ type: 'entry', entry })
    sent = entry.seq
  })
  socket.once('close', () => {
    unsubscribe()
    clearInterval(gapCheck)
  })
  send({ type: 'state', state: sidecar.snapshot() })
  if (since === undefined) return
  for (const entry of sidecar.log.entries(since)) {
    send({ type: 'entry', entry })
    sent = entry.seq
  }
}
