import type { GameServer } from '../protocol/game-server.js'
import type { OperationName } from '../protocol/operations.js'
import { check, checkNames } from './checks.js'
import type { Connection } from './connection.js'
import { isPassing, named, toSidecarError } from './errors.js'
import type { ResolvedOptions } from './options.js'
import { isSafe, type JsonObject } from './request.js'
import type { State } from './state.js'
import { follow, type Task, throwIfAborted } from './time.js'
import type { CallOptions, Outcome } from './types.js'

export type Predicate = (gameServer: GameServer) => boolean

/**
 * Finds the outcome of a write whose answer a page can't read.
 *
 * @param before the last GameServer known when the write was sent
 * @param ask also reads: local mode's watch doesn't show lists
 */
export type FindOutcome = (
  task: Task,
  before: GameServer | undefined,
  isShown: Predicate,
  ask?: boolean,
) => Promise<Outcome>

/** The options that any call may have. */
const OPTIONS = ['signal', 'timeout', 'confirm', 'force']

export type Calls = ReturnType<typeof createCalls>

export function createCalls(
  { retry, timeout: attempt, once }: Pick<ResolvedOptions, 'retry' | 'timeout' | 'once'>,
  connection: Connection,
  state: Pick<State, 'ending'>,
  findOutcome: FindOutcome | undefined,
) {
  const { time } = connection
  const tails = new Map<string, Promise<unknown>>()

  return {
    /** Only in a page. */
    findOutcome,

    /**
     * Runs one call of the user as a task, which the call's signal, its timeout or `close()` aborts. Rejects only with a
     * SidecarError.
     *
     * @param timeout ms, unless the options give them
     */
    async run<T, O extends CallOptions>(
      operation: string,
      given: O | null | undefined,
      call: (task: Task, options: O) => Promise<T>,
      timeout = retry.timeout,
    ): Promise<T> {
      const options = given ?? ({} as O)
      let task: Task | undefined
      try {
        checkNames(options, OPTIONS, 'option', operation)
        const { timeout: limit = timeout, signal } = options
        check(limit > 0, 'timeout', limit, 'ms above 0', operation)
        task = follow(time.life, signal)
        throwIfAborted(task)
        task.limit = limit
        task.deadline = time.now() + limit
        const refusal = connection.access.refuse(operation)
        if (refusal) throw refusal
        return await call(task, options)
      } catch (cause) {
        throw named(toSidecarError(cause, 'UNKNOWN', 'This call failed'), operation)
      } finally {
        if (task) task.release()
      }
    },

    /**
     * Sends an operation, and repeats it where that is safe, until an answer comes.
     *
     * @param name the encoded name of a counter or list
     * @returns the body, which is the state before the write, if it was read, where the page couldn't read the answer
     * @throws SidecarError for the failure that the answer reports, or for a missing answer
     */
    async send(
      task: Task,
      operation: OperationName,
      body?: object,
      name?: string,
    ): Promise<{ readonly body: JsonObject; readonly unread?: boolean }> {
      for (let failures = 0; ; failures++) {
        if (!once) await connection.whenUp(task)
        throwIfAborted(task)
        const reply = await connection.ask(task, { operation, body, name, timeout: attempt })
        if (reply.body) return reply as { body: JsonObject }
        const { error, unsent, retryAfter = 0 } = reply
        // Repeats a request that is idempotent or was not sent, unless the sidecar has ended with the pod.
        if (once || (unsent && state.ending && !retryAfter) || !(unsent || (isSafe(operation) && isPassing(error!))))
          throw error!
        await time.sleep(task, Math.max(retryAfter, time.backoff(failures)))
      }
    },

    /** Runs the functions of one key one after the other, in the order of the calls. */
    async inOrder<T>(task: Task, key: string, run: () => Promise<T>): Promise<T> {
      const before = tails.get(key)
      const start = (): Promise<T> => {
        throwIfAborted(task)
        return run()
      }
      const turn = before ? before.then(start) : start()
      const forget = (): void => {
        if (tails.get(key) === tail) tails.delete(key)
      }
      const tail: Promise<void> = turn.then(forget, forget)
      tails.set(key, tail)
      // An abort ends the wait for earlier calls. Once `run` has begun, only `run` knows whether its request was sent.
      if (before) await time.race(task, before)
      return turn
    },
  }
}
