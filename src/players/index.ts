export { trackPlayers, trackSessions } from './tracking/track.js'

export type { EndWhenEmptyOptions } from './tracking/end-when-empty.js'
export type {
  Players,
  PlayersEvents,
  PlayersOptions,
  Session,
  Sessions,
  SessionsEvents,
  SessionsOptions,
} from './tracking/types.js'
