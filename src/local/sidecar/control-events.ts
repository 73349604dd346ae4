import type { WebSocket } from 'ws'
import { answerRefusal } from '../http/refusal.js'
import type { Admission } from '../http/request-guard.js'
import { checkControlAccess, readEvents, type Control, type EventSource } from './control-routes.js'
import { acceptWebSocket, type Upgrade } from './websocket-server.js'

/** Bytes that may wait in a reader's socket. Further entries wait in the log. */
const MAX_BACKLOG = 1024 * 1024
/** Milliseconds from an entry to its frame, so that calls are answered first and entries are sent together. */
const FLUSH_MS = 5
/** Milliseconds until a slow reader is checked again. */
const BEHIND_MS = 100
/** Fewest milliseconds between two states. The state of a large GameServer waits longer: a millisecond for each KB. */
const STATE_INTERVAL = 100
const BYTES_A_MS = 1_000

/** Answers an upgrade to the control interface's WebSocket, and sends the events. */
export async function upgradeToEvents(control: Control, upgrade: Upgrade, admission: Admission): Promise<void> {
  const { refusal, since } = readEvents(admission.target)
  const wrong = checkControlAccess(upgrade.message, admission, control.token) ?? refusal
  if (wrong !== undefined) return answerRefusal(upgrade.socket, wrong)
  const accepted = await acceptWebSocket(upgrade)
  if (accepted !== undefined) serveEvents(control.source, accepted, since)
}

/**
 * Sends the event log live to one reader: first the `state`, then an `entry` for each event, and the `state` again a
 * moment after entries. Where the log has dropped entries before a slow reader got them, one `gap` replaces them, with
 * the number from which `GET /_/api/log?since=` has the rest. Such a reader doesn't count as a watcher.
 *
 * @param since the last entry that the reader knows; undefined if it wants only new ones
 */
function serveEvents(source: EventSource, socket: WebSocket, since: number | undefined): void {
  const reader = {
    // A page of an earlier sidecar at this address may know more entries than this sidecar has.
    sent: Math.min(since ?? Infinity, source.lastSeq()),
    isStarted: false,
    stateSize: 0,
    flush: undefined as NodeJS.Timeout | undefined,
    state: undefined as NodeJS.Timeout | undefined,
  }
  const flushIn = (ms: number): void => void (reader.flush ??= setTimeout(flush, ms))
  const stateIn = (ms: number): void => void (reader.state ??= setTimeout(refresh, ms))

  const sendState = (): void => {
    const frame = Buffer.concat([Buffer.from('{"type":"state","state":'), source.state(), Buffer.from('}')])
    reader.stateSize = frame.byteLength
    socket.send(frame, { binary: false })
  }
  const sendEntries = (): void => {
    const entries = source.entries(reader.sent)
    if (entries[0] === undefined) return
    stateIn(Math.max(STATE_INTERVAL, reader.stateSize / BYTES_A_MS))
    if (reader.isStarted && entries[0].seq > reader.sent + 1) {
      socket.send(JSON.stringify({ type: 'gap', since: reader.sent }))
      reader.sent = source.lastSeq()
      return
    }
    for (const entry of entries) {
      if (socket.bufferedAmount > MAX_BACKLOG) return flushIn(BEHIND_MS)
      socket.send(JSON.stringify({ type: 'entry', entry }))
      reader.sent = entry.seq
    }
  }
  function flush(): void {
    reader.flush = undefined
    if (!reader.isStarted) sendState()
    sendEntries()
    reader.isStarted = true
  }
  function refresh(): void {
    reader.state = undefined
    // A reader that hasn't read the last state yet needs no newer one.
    if (socket.bufferedAmount > 0) return stateIn(STATE_INTERVAL)
    sendEntries()
    clearTimeout(reader.state)
    reader.state = undefined
    sendState()
  }

  const unsubscribe = source.subscribe(
    () => flushIn(FLUSH_MS),
    () => stateIn(STATE_INTERVAL),
  )
  socket.once('close', () => {
    unsubscribe()
    clearTimeout(reader.flush)
    clearTimeout(reader.state)
  })
  flush()
}
