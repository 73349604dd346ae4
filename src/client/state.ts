import { emitChanges } from '../watch/changes.js'
import { isNews } from '../watch/order.js'
import { startWatch } from '../watch/watch.js'
import type { Core } from './core.js'
import { tryTo } from './host.js'
import { createScope, type Scope } from './scope.js'
import type { GameServer } from '../protocol/game-server.js'
import type { ConnectionEvent, ConnectionState, Transport } from './types.js'

export type Predicate = (gameServer: GameServer) => boolean

/** What a client knows of its GameServer and of its connection. */
export interface State {
  /** The last GameServer seen. */
  _last: GameServer | undefined
  _connection: ConnectionEvent
  /** The last good beat, ms since the Unix epoch. */
  _lastBeat?: number
  /** Whether the last beat went well; undefined before the first. */
  _healthy?: boolean
  /** Looks, by a read, whether the watch tells the truth; there once a watch has begun. Never rejects. */
  _verify?(): Promise<void>
  /** Without a state: nobody answers. */
  _setConnection(state?: ConnectionState, transport?: Transport, reason?: string): void
  /** Takes a GameServer, unless it is old or known. */
  _offer(gameServer: GameServer): void
  /** Whether a watch is on, connected or not. */
  _isWatching(): boolean
  /** The life of what waits for the watch. */
  _hope?: Scope
  /** Begins the watch if it hasn't yet. Returns the scope for what waits for it. */
  _ensureWatch(): Scope
  /** Lets a wait end when the watch does, for the same reason; returns it. */
  _tie(waiting: Scope): Scope
  /** Waits until the watch shows a GameServer that passes. */
  _seen(waiting: Scope, predicate: Predicate): Promise<GameServer>
}

export function createState(core: Core): State {
  let watch: Scope | undefined
  const isWatching = (): boolean => !!watch && !watch._reason

  return {
    _last: undefined,
    _connection: { state: 'idle' } as ConnectionEvent,

    _setConnection(state = core._last ? 'reconnecting' : 'connecting', transport, reason) {
      const { state: was, transport: before } = core._connection
      if (was === 'closed') return
      core._connection = { state, transport, reason }
      if (was !== state || before !== transport) core._emit('connection', core._connection)
    },

    _offer(gameServer) {
      const previous = core._last
      // What is nested too deep to be compared counts as news.
      if (tryTo(() => isNews(previous, gameServer)) === false) return
      core._last = gameServer
      emitChanges(core, previous, gameServer, core._emit, core._has)
    },

    _isWatching: isWatching,

    _ensureWatch() {
      if (!watch || (!isWatching() && !core._scope._reason)) {
        watch = createScope(core._scope, 'watchGameServer')
        startWatch(core, watch)
      }
      return core._hope!
    },

    _tie(waiting) {
      const watched = core._ensureWatch()
      waiting._onEnd(watched._onEnd(() => waiting._end(watched._reason)))
      return waiting
    },

    _seen: (waiting, predicate) =>
      core._tie(waiting)._wait((wait, resolve) => {
        wait._onEnd(
          core.on('gameserver', (gameServer) => {
            try {
              if (predicate(gameServer)) resolve(gameServer)
            } catch (error) {
              wait._end(error)
            }
          }),
        )
      }),
  }
}
