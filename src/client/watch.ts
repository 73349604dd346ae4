import type { GameServer } from '../protocol/game-server.js'
import type { Connection } from './connection.js'
import { named, SidecarError, toSidecarError } from './errors.js'
import { follow, wait, type Task } from './signals.js'
import type { State } from './state.js'
import { WATCH } from './transports.js'
import type { AbortSignalLike } from './option-types.js'
import type { WatchOptions } from './types.js'
import type { KeepWatch } from './watch-loop.js'

export type Predicate = (gameServer: GameServer) => boolean

/** The one watch that all listeners and waits of a client share. */
export interface Watch {
  /**
   * Starts the watch unless it runs.
   *
   * @param onHopeless called when waiting for the watch can't help now
   * @returns the function that forgets `onHopeless`
   */
  join(onHopeless?: (error: unknown) => void): () => void
  /** Waits until the watch shows a GameServer that passes the test, the present one included. */
  until(signal: AbortSignalLike, predicate: Predicate): Promise<GameServer>
  /** Compares the watch with a read. Never rejects. */
  verify(): Promise<void>
}

/** @param keep keeps a watch open until a retry can't help; returns the function that checks the watch */
export function createWatch(life: AbortSignalLike, connection: Connection, state: State, keep: KeepWatch): Watch {
  const joined = new Set<(error: unknown) => void>()
  let verify = async (): Promise<void> => {}

  function join(onHopeless?: (error: unknown) => void): () => void {
    if (!connection.isWatched && !life.aborted) verify = keep((error) => joined.forEach((reject) => reject(error)))
    if (onHopeless) joined.add(onHopeless)
    return () => void joined.delete(onHopeless!)
  }

  return {
    join,
    verify: async () => {
      if (connection.isWatched) await verify()
    },
    until: (signal, predicate) =>
      wait(signal, (resolve, reject) => {
        const leave = join(reject)
        const forget = state.follow((gameServer) => {
          try {
            if (predicate(gameServer)) resolve(gameServer)
          } catch (cause) {
            reject(toSidecarError(cause, 'UNKNOWN', 'The predicate failed'))
          }
        })
        return () => {
          leave()
          forget()
        }
      }),
  }
}

/**
 * An iterator over what the watch tells, with a bounded queue: the connection is read however slow the reader is. It
 * starts with the first `next()`. Written without an async generator, which ES2017 lacks.
 */
export function iterate(
  life: AbortSignalLike,
  watch: Watch,
  on: (type: 'gameserver', listener: (gameServer: GameServer) => void) => () => void,
  { queue: limit = 64, overflow, signal }: WatchOptions,
): AsyncIterator<GameServer> {
  let queue: GameServer[] = []
  const readers: ((gameServer: GameServer) => void)[] = []
  let task: Task | undefined
  let done = false
  let leave = (): void => {}

  function start(): Task {
    const opened = follow(life, signal)
    const forget = watch.join(opened.abort)
    const off = on('gameserver', (gameServer) => {
      const reader = readers.shift()
      if (reader) return reader(gameServer)
      if (queue.push(gameServer) <= limit) return
      queue.shift()
      if (overflow !== 'fail') return
      queue = []
      opened.abort(new SidecarError('LIMIT', 'The reader is too slow'))
    })
    leave = () => {
      forget()
      off()
    }
    return opened
  }

  async function end(): Promise<IteratorResult<GameServer>> {
    done = true
    queue = []
    task = task ?? follow()
    task.abort(new SidecarError('ABORTED', 'The iterator has ended'))
    leave()
    return { done, value: undefined }
  }

  return {
    return: end,

    async next() {
      try {
        task = task ?? start()
        const { signal: ended } = task
        const value = queue.shift() ?? (await wait<GameServer>(ended, (resolve) => void readers.push(resolve)))
        return { done: false, value }
      } catch (error) {
        // A reader that called `return()` or closed the client expects no error: the loop just ends.
        const isWanted = done || /^(ABORTED|CLOSED)$/.test((error as SidecarError).code)
        const result = await end()
        if (!isWanted) throw named(error as SidecarError, WATCH)
        return result
      }
    },
  }
}
