import { follow } from '../client/calls.js'
import type { Core } from '../client/core.js'
import { fail, type SidecarError } from '../client/errors.js'
import { createScope, type Scope } from '../client/scope.js'
import type { WatchOptions } from '../client/types.js'
import type { GameServer } from '../protocol/game-server.js'

/**
 * An iterator over what the watch tells, with a bounded queue: the connection is read however slow the reader is. It
 * starts with the first `next()`. Written out, since an async generator doesn't exist in ES2017.
 */
export function iterate(core: Core, { queue: limit = 64, overflow, signal }: WatchOptions): AsyncIterator<GameServer> {
  const queue: GameServer[] = []
  const readers: (() => void)[] = []
  const strict = overflow === 'fail'
  let scope: Scope | undefined
  let done = false

  function start(): Scope {
    const opened = createScope(core._ensureWatch())
    follow(signal, opened)
    opened._onEnd(
      core.on('gameserver', (gameServer) => {
        if (queue.push(gameServer) > limit) {
          queue.shift()
          if (strict) opened._end(fail('LIMIT', 'The reader is too slow', opened))
        }
        readers.splice(0).forEach((wake) => wake())
      }),
    )
    return opened
  }

  return {
    async next() {
      try {
        scope = scope || start()
        while (!done && (!queue.length || (strict && scope._reason)))
          await scope._wait<void>((_, resolve) => void readers.push(resolve))
      } catch (error) {
        // A reader that said stop, or closed the client, has what it wanted: the loop just ends.
        const wanted = done || /^(ABORTED|CLOSED)$/.test((error as SidecarError).code)
        done = true
        if (!wanted) throw error
      }
      return done ? { done, value: undefined } : { done, value: queue.shift()! }
    },
    async return() {
      done = true
      if (scope) scope._end()
      return { done, value: undefined }
    },
  }
}
