import type { WebSocket } from 'ws'
import { answerRefusal, malformed, notFound } from '../http/refusal.js'
import type { Admission } from '../http/request-guard.js'
import {
  checkControlAccess,
  CONTROL_PREFIX,
  isSequence,
  WRONG_SINCE,
  type Control,
  type EventSource,
} from './control-routes.js'
import { acceptWebSocket, type Upgrade } from './websocket-server.js'

/** Bytes that may wait in a reader's socket. Further entries wait in the log. */
const MAX_BACKLOG = 1024 * 1024
/** Milliseconds from an entry to its frame, so that calls are answered first and entries are sent together. */
const FLUSH_MS = 5
/** Milliseconds until a slow reader is checked again. */
const BEHIND_MS = 100
/** Fewest milliseconds between two states. */
const STATE_INTERVAL = 100

const EVENTS = `${CONTROL_PREFIX}/events`

/** Answers an upgrade to the control interface's WebSocket, and sends the events. */
export async function upgradeToEvents(control: Control, upgrade: Upgrade, admission: Admission): Promise<void> {
  const [path, query] = admission.target.split('?')
  const since = new URLSearchParams(query).get('since') ?? undefined
  const refusal =
    checkControlAccess(upgrade.message, admission, control.token) ??
    (path === EVENTS ? undefined : notFound(`The only WebSocket of the control interface is ${EVENTS}`)) ??
    (since === undefined || isSequence(since) ? undefined : malformed(WRONG_SINCE))
  if (refusal !== undefined) return answerRefusal(upgrade.socket, refusal)
  const accepted = await acceptWebSocket(upgrade)
  if (accepted !== undefined) serveEvents(control.source, accepted, since === undefined ? Infinity : Number(since))
}

/**
 * Sends the event log live to one reader: first the `state`, then an `entry` for each event, and the `state` again a
 * moment after entries. Where the log has dropped entries before a slow reader got them, one `gap` replaces them, with
 * the number from which `GET /_/api/log?since=` has the rest. Such a reader doesn't count as a watcher.
 *
 * @param since the last entry that the reader knows; Infinity if it wants only new ones
 */
function serveEvents(source: EventSource, socket: WebSocket, since: number): void {
  // A page of an earlier sidecar at this address may know more entries than this sidecar has.
  let sent = Math.min(since, source.lastSeq())
  let isStarted = false
  let flushing: NodeJS.Timeout | undefined
  let refreshing: NodeJS.Timeout | undefined
  const flushIn = (ms: number): void => void (flushing ??= setTimeout(flush, ms))
  const stateIn = (ms: number): void => void (refreshing ??= setTimeout(refresh, ms))
  const send = (frame: object): void => socket.send(JSON.stringify(frame))

  const sendEntries = (): void => {
    const entries = source.entries(sent)
    if (entries[0] === undefined) return
    stateIn(STATE_INTERVAL)
    if (isStarted && entries[0].seq > sent + 1) {
      send({ type: 'gap', since: sent })
      sent = source.lastSeq()
      return
    }
    for (const entry of entries) {
      if (socket.bufferedAmount > MAX_BACKLOG) return flushIn(BEHIND_MS)
      send({ type: 'entry', entry })
      sent = entry.seq
    }
  }
  function flush(): void {
    flushing = undefined
    sendEntries()
  }
  function refresh(): void {
    refreshing = undefined
    // A reader that hasn't read the last state yet needs no newer one.
    if (socket.bufferedAmount > 0) return stateIn(STATE_INTERVAL)
    sendEntries()
    clearTimeout(refreshing)
    refreshing = undefined
    send({ type: 'state', state: source.state() })
  }

  const unsubscribe = source.subscribe(
    () => flushIn(FLUSH_MS),
    () => stateIn(STATE_INTERVAL),
  )
  socket.once('close', () => {
    unsubscribe()
    clearTimeout(flushing)
    clearTimeout(refreshing)
  })
  send({ type: 'state', state: source.state() })
  sendEntries()
  isStarted = true
}
