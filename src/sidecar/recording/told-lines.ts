import type { EventLog } from '../event-log.js'
import { publishedBy } from '../model/state/effect.js'
import type { SidecarState } from '../model/state/sidecar-state.js'
import { reduce } from '../reduce.js'
import type { Checkpoints } from './checkpoints.js'
import { exchangeLine, gameServerLine, headerOf } from './recording-lines.js'
import type { RecordingLine } from './recording-lines.js'

/**
 * The entries of a log after `since` as the lines of a recording. The log doesn't keep versions of the GameServer, so
 * they are worked out again, from a state that was kept. Whoever takes the lines slowly holds one version at a time.
 */
export function* toldLines(
  log: EventLog,
  checkpoints: Checkpoints,
  current: SidecarState,
  since: number,
  now: number,
): Generator<RecordingLine> {
  yield headerOf(current.config, current.startedAt, now)
  const kept = log.entries()
  const oldest = kept[0]?.seq ?? Infinity
  const checkpoint = checkpoints.before(Math.max(oldest, since + 1), oldest)
  const from = checkpoint?.seq ?? Infinity
  let state = checkpoint?.state
  let isStarted = false
  for (const entry of kept) {
    if (entry.seq < from && entry.seq <= since) continue
    const isTold = entry.seq > since
    if (isTold && state !== undefined && !isStarted && entry.seq >= from) {
      isStarted = true
      yield gameServerLine(state.object, entry.at)
    }
    if (isTold) yield { type: 'entry', entry }
    const exchange = isTold ? log.find(entry.seq)?.exchange : undefined
    if (exchange !== undefined) yield exchangeLine(entry.seq, exchange)
    if (state === undefined || entry.seq < from) continue
    const result = reduce(state, entry.event, entry.at)
    state = result.state
    if (!isTold) continue
    for (const gameServer of publishedBy(result.effects)) yield gameServerLine(gameServer, entry.at)
  }
}
