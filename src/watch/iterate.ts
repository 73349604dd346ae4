import { SidecarError } from '../client/errors.js'
import type { Scope } from '../client/scope.js'
import type { WatchOptions } from '../client/types.js'
import type { GameServer } from '../protocol/game-server.js'

/**
 * An iterator over what a subscription delivers, with a bounded queue: the connection is read however slow the reader
 * is. Written out, since an async generator doesn't exist in ES2017.
 */
export function iterate(
  options: WatchOptions,
  open: () => Scope,
  subscribe: (listener: (gameServer: GameServer) => void) => () => void,
): AsyncIterator<GameServer> {
  const queue: GameServer[] = []
  const limit = options.queue ?? 64
  let scope: Scope | undefined
  let wake = (): void => {}
  let failure: unknown
  let done = false

  function start(): Scope {
    const opened = open()
    const unsubscribe = subscribe((gameServer) => {
      if (queue.push(gameServer) > limit) {
        queue.shift()
        if (options.overflow === 'fail')
          opened._end(new SidecarError('LIMIT', 'The reader of the watch is too slow', { operation: 'watchGameServer' }))
      }
      wake()
      wake = () => {}
    })
    opened._onEnd(() => {
      unsubscribe()
      failure = opened._reason
    })
    return opened
  }

  return {
    async next() {
      if (done) return { done, value: undefined }
      scope = scope ?? start()
      while (!queue.length || (failure && options.overflow === 'fail')) {
        try {
          await scope._wait<void>((resolve) => {
            const others = wake
            wake = () => {
              others()
              resolve()
            }
          })
        } catch (error) {
          done = true
          // A reader that said stop, or closed the client, has what it wanted: the loop just ends.
          const { code } = error as SidecarError
          if (code === 'ABORTED' || code === 'CLOSED') return { done, value: undefined }
          throw error
        }
      }
      return { done: false, value: queue.shift()! }
    },
    async return() {
      done = true
      if (scope) scope._end(0)
      return { done, value: undefined }
    },
  }
}
