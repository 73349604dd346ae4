import type { Players } from './players.js'

/** What happened to a player's connection. */
export interface PlayerNews {
  readonly id: number
  readonly state: 'open' | 'closed'
  readonly remoteAddress: string
  readonly code?: number | undefined
  readonly reason?: string | undefined
}

export interface PlayersOptions {
  readonly port: number
  readonly host: string
  readonly maxPlayers: number
  readonly maxMessage: number
  readonly maxRate: number
  readonly maxBuffered: number
  readonly origins: readonly string[] | undefined
  readonly tls: { readonly cert: string | Uint8Array; readonly key: string | Uint8Array } | undefined
  readonly onPlayer: (news: PlayerNews) => void
  readonly onLog: (line: string) => void
  readonly onFault: (error: unknown) => void
}

/** Not there yet: takes no players. */
export function createPlayers(_options: PlayersOptions): Promise<Players> {
  return Promise.resolve({
    url: 'ws://127.0.0.1:0',
    port: 0,
    pagePath: '/_/host/x',
    acceptPage: (_message, socket) => void socket.destroy(),
    refuse: () => undefined,
    closeAll: () => undefined,
    close: () => Promise.resolve(),
  })
}
