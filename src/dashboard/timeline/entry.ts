import type { LogEntry } from '../../sidecar/index.js'

export type Kind = 'call' | 'beat' | 'event' | 'control' | 'watch' | 'refused'

/** What sort of thing an entry is. A beat that did no more than beat is apart from the calls. */
export function kindOf({ event }: LogEntry): Kind {
  switch (event.type) {
    case 'call':
      return event.call.operation === 'health' ? 'beat' : 'call'
    case 'refused':
    case 'control':
      return event.type
    case 'watch-opened':
    case 'watch-closed':
      return 'watch'
    case 'shown':
    case 'tick':
      return 'event'
  }
}

/**
 * A beat, or a look at the GameServer such as the client takes while its watch is quiet, that was answered as ever: many
 * of them are one row.
 */
export const isRoutine = (entry: LogEntry): boolean =>
  entry.event.type === 'call' &&
  (entry.event.call.operation === 'health' || entry.event.call.operation === 'getGameServer') &&
  entry.reply?.status === 200 &&
  entry.changes.length === 0 &&
  entry.warnings.length === 0 &&
  entry.fault !== true

/** Time has passed, and nothing that anybody could see has come of it. */
export const isSilent = (entry: LogEntry): boolean =>
  entry.event.type === 'tick' && entry.changes.length === 0 && entry.warnings.length === 0
