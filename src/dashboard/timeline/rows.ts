import type { LogEntry } from '../../platform/sidecar.js'
import { clockTime } from '../common/format.js'
import type { Entry } from '../store/page-state.js'
import { describe } from './describe.js'

/** The text after the name of a row of repeats: `×12 since 09:30:57 (every 2.0 s, max gap 2.1)`. */
export function rhythmOf(repeats: readonly Entry[]): string {
  if (repeats.length < 2) return ''
  const gaps = repeats.slice(1).map(({ at }, i) => at - repeats[i]!.at)
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return `×${repeats.length} since ${clockTime(repeats[0]!.at).slice(0, 8)} (every ${seconds(mean)} s, max gap ${seconds(Math.max(...gaps))})`
}

/** Successful beats, and successful reads of the GameServer, as a client sends them while idle, share rows. */
export function groupOf(entry: LogEntry): string | undefined {
  const { event, reply, changes, warnings, fault, client } = entry
  const isIdle =
    event.type === 'call' &&
    (event.call.operation === 'health' || event.call.operation === 'getGameServer') &&
    reply?.status === 200 &&
    changes.length === 0 &&
    warnings.length === 0 &&
    fault !== true
  return isIdle ? `${describe(entry).kind} ${client}` : undefined
}
