export { trackPlayers } from './tracking/track-players.js'
export { trackSessions } from './tracking/track-sessions.js'

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
