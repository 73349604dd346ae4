export { trackPlayers } from './track-players.js'
export { trackSessions } from './track-sessions.js'

export type { EndWhenEmptyOptions } from './end-when-empty.js'
export type {
  Players,
  PlayersEvents,
  PlayersOptions,
  Session,
  Sessions,
  SessionsEvents,
  SessionsOptions,
} from './types.js'
