import type { GameServer } from '../../protocol/game-server.js'
import { named, SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { FollowSignal } from '../runtime/signals.js'
import type { WatchOptions } from '../types.js'
import { WATCH } from './message.js'

const DEFAULT_QUEUE = 64

/**
 * An iterator over what the watch tells, with a bounded queue: the connection is read however slow the reader is. It
 * starts with the first `next()`. Written out, since ES2017 has no async generators.
 * @param startWatch returns the life of those who wait for the watch
 */
export function iterate(
  startWatch: () => Scope,
  on: (type: 'gameserver', listener: (gameServer: GameServer) => void) => () => void,
  followSignal: FollowSignal,
  options: WatchOptions,
): AsyncIterator<GameServer> {
  const { queue: limit = DEFAULT_QUEUE, overflow, signal } = options
  const queue: GameServer[] = []
  const readers: (() => void)[] = []
  const isStrict = overflow === 'fail'
  let scope: Scope | undefined
  let done = false

  function start(): Scope {
    const opened = new Scope(startWatch())
    followSignal(signal, opened, WATCH)
    opened.onEnd(
      on('gameserver', (gameServer) => {
        if (queue.push(gameServer) > limit) {
          queue.shift()
          if (isStrict) opened.end(new SidecarError('LIMIT', 'The reader is too slow'))
        }
        readers.splice(0).forEach((wake) => wake())
      }),
    )
    return opened
  }

  return {
    async next() {
      try {
        scope ??= start()
        while (!done && (!queue.length || (isStrict && scope.reason)))
          await scope.wait<undefined>((resolve) => void readers.push(() => resolve(undefined)))
      } catch (error) {
        // A reader that said stop, or closed the client, has what it wanted: the loop just ends.
        const isWanted = done || /^(ABORTED|CLOSED)$/.test((error as SidecarError).code)
        done = true
        if (!isWanted) throw named(error as SidecarError, WATCH)
      }
      return { done, value: done ? undefined : queue.shift() } as IteratorResult<GameServer>
    },

    async return() {
      done = true
      if (scope) scope.end()
      return { done, value: undefined }
    },
  }
}
