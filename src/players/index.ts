export { trackPlayers, type Players, type PlayersEvents, type PlayersOptions } from './tracking/players.js'
export {
  trackSessions,
  type Session,
  type Sessions,
  type SessionsEvents,
  type SessionsOptions,
} from './tracking/sessions.js'

export type { EndWhenEmptyOptions } from './tracking/end-when-empty.js'
