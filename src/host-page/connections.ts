import type { PageWindow } from './page.js'
import type { PlayerSocket } from './player-socket.js'

/** The players' connections, as the page has them. */
export interface Connections {
  onconnection: ((socket: PlayerSocket) => void) | null
  readonly sockets: ReadonlyMap<number, PlayerSocket>
}

export interface ConnectionsOptions {
  readonly page: PageWindow
  readonly playersPath: string
}

export function createConnections(_options: ConnectionsOptions): Connections {
  return { onconnection: null, sockets: new Map() }
}
