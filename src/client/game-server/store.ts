import type { GameServer } from '../../protocol/game-server.js'
import { SidecarError } from '../runtime/errors.js'
import { tryTo } from '../runtime/host.js'
import type { Scope } from '../runtime/scope.js'
import { isNews } from './order.js'

export type Predicate = (gameServer: GameServer) => boolean

/** The last GameServer seen, in the order in which the platform wrote them. */
export interface GameServerStore {
  readonly last: GameServer | undefined
  /** Takes a GameServer, unless it is old or known. Returns whether it was news. */
  offer(gameServer: GameServer): boolean
  /** Waits for a GameServer that passes, the present one included. */
  until(scope: Scope, predicate: Predicate): Promise<GameServer>
}

export function createGameServerStore(
  onNews: (next: GameServer, previous: GameServer | undefined) => void,
): GameServerStore {
  const waiting = new Set<(gameServer: GameServer) => void>()

  const store = {
    last: undefined as GameServer | undefined,

    offer(gameServer: GameServer) {
      const previous = store.last
      // One that is nested too deep to be compared counts as news.
      if (!tryTo(() => isNews(previous, gameServer), true)) return false
      store.last = gameServer
      onNews(gameServer, previous)
      waiting.forEach((look) => look(gameServer))
      return true
    },

    until: (scope: Scope, predicate: Predicate) =>
      scope.wait<GameServer>((resolve, wait) => {
        const look = (gameServer: GameServer): void => {
          try {
            if (predicate(gameServer)) resolve(gameServer)
          } catch (cause) {
            wait.end(new SidecarError('UNKNOWN', 'The predicate failed', { hint: 'See `cause`', cause }))
          }
        }
        waiting.add(look)
        wait.onEnd(() => waiting.delete(look))
        if (store.last) look(store.last)
      }),
  }
  return store
}
