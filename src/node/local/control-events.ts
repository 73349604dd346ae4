import type { WebSocket } from 'ws'
import type { LogEntry, Sidecar } from '../../sidecar/index.js'
import type { Backlog } from './backlog.js'
import { stateJson } from './control-json.js'
import { createTurns } from './turns.js'

/** Bytes and messages that may wait for a reader; entries beyond them are skipped and announced as a gap. */
const MAX_BACKLOG = 1024 * 1024
const MOST_WAITING = 64
/** Milliseconds between two checks of a reader that has a gap. */
const GAP_CHECK = 100
/** Shortest time in milliseconds between two states: one of a large GameServer waits longer, a millisecond for each KB. */
const STATE_INTERVAL = 100
const BYTES_A_MS = 1_000

/**
 * Creates the function that sends the event log live to one reader: first the `state`, then an `entry` for each event,
 * and the `state` again a moment after entries, so that nobody has to ask for it. After entries that a slow reader missed
 * comes one `gap` with the number from which `GET /_/api/log?since=` has them. A reader here is no watcher. Nothing is
 * queued for it but what its socket holds, and however many there are, calls are answered between one and the next.
 */
export function createEventServer(
  sidecar: Sidecar,
  backlog: Backlog,
): (socket: WebSocket, since: number | undefined) => void {
  const takeTurn = createTurns()
  let parts: Uint8Array[] | undefined
  /** The state as all readers get it that have their turn in the same moment. */
  const currentState = (): Uint8Array[] => {
    if (parts === undefined) setImmediate(() => (parts = undefined))
    return (parts ??= stateJson(sidecar.snapshot()))
  }
  return (socket, since) => serveEvents({ sidecar, currentState, takeTurn }, socket, backlog, since)
}

interface Source {
  readonly sidecar: Sidecar
  currentState(): Uint8Array[]
  takeTurn(work: () => void): void
}

function serveEvents(source: Source, socket: WebSocket, backlog: Backlog, since: number | undefined): void {
  const { log } = source.sidecar
  const lastSeq = (): number => source.sidecar.snapshot().lastSeq
  // The page of an earlier sidecar at this address may know of more entries than there are here.
  let sent = Math.min(since ?? Infinity, lastSeq())
  let isStarted = false
  let isQueued = false
  let isStateDue = true
  /** Messages since the last moment when nothing waited. */
  let waiting = 0
  let gapCheck: ReturnType<typeof setInterval> | undefined
  let stateTimer: ReturnType<typeof setTimeout> | undefined
  let stateSize = 0
  const reader = backlog(() => socket.terminate())
  const send = (bytes: Uint8Array, fin = true): void => socket.send(bytes, { binary: false, fin }, reader.hold(bytes))
  const isBehind = (): boolean => {
    waiting = socket.bufferedAmount === 0 ? 0 : waiting + 1
    return waiting > MOST_WAITING || socket.bufferedAmount > MAX_BACKLOG
  }
  const sendGap = (): void => {
    send(Buffer.from(JSON.stringify({ type: 'gap', since: sent })))
    sent = lastSeq()
    scheduleState()
  }
  const endGap = (): void => {
    if (socket.bufferedAmount > 0) return
    clearInterval(gapCheck)
    gapCheck = undefined
    sendGap()
  }
  // One message in fragments, because all readers share the GameServer's bytes.
  const sendState = (): void => {
    isStateDue = false
    const state = source.currentState()
    stateSize = state.reduce((sum, part) => sum + part.byteLength, 0)
    send(Buffer.from('{"type":"state","state":'), false)
    for (const part of state) send(part, false)
    send(Buffer.from('}'))
  }
  const refresh = (): void => {
    stateTimer = undefined
    // Whoever hasn't read the last one yet would only have more to read.
    isStateDue = socket.bufferedAmount === 0
    if (isStateDue) queue()
    else scheduleState()
  }
  const scheduleState = (): void => {
    stateTimer ??= setTimeout(refresh, Math.max(STATE_INTERVAL, stateSize / BYTES_A_MS))
  }
  const sendEntries = (): void => {
    if (gapCheck !== undefined) return
    const entries = log.entries(sent)
    const isMissing = isStarted && entries[0] !== undefined && entries[0].seq > sent + 1
    if (isMissing) return sendGap()
    for (const entry of entries) {
      if (isBehind()) {
        gapCheck = setInterval(endGap, GAP_CHECK)
        return
      }
      send(frameOf(entry))
      sent = entry.seq
      scheduleState()
    }
  }
  const work = (): void => {
    isQueued = false
    if (socket.readyState !== socket.OPEN) return
    if (!isStarted) sendState()
    sendEntries()
    isStarted = true
    if (isStateDue) sendState()
  }
  const queue = (): void => {
    if (isQueued) return
    isQueued = true
    source.takeTurn(work)
  }
  const unsubscribe = log.subscribe(() => {
    if (gapCheck === undefined) queue()
  })
  socket.once('close', () => {
    reader.end()
    unsubscribe()
    clearInterval(gapCheck)
    clearTimeout(stateTimer)
  })
  queue()
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
