import { internals, SidecarError, type AllocatedEvent, type SidecarClient } from '../../index.js'
import { checkOptions, run } from './runner.js'
import {
  allocated,
  createSessionsState,
  ended,
  isFull,
  sessions as kind,
  type SessionWrite,
} from './sessions-reducer.js'

export interface SessionsOptions<Int = number> {
  /** The counter that an allocation increments for each session. The tracker writes only differences to it. */
  counter?: string
  /**
   * The label that an allocation selects on, without the platform's SDK prefix: `true` while another session may come,
   * else `false`
   */
  label?: string
  /** Called for each session. If it throws or rejects, the event `error` reports it; the session runs until `end()`. */
  onSession(session: Session<Int>): unknown
  /**
   * The most sessions at once; default, and at most: the counter's capacity, 1 without a counter. The counter's capacity
   * is lowered to `maxSessions`, since nothing else keeps the platform from allocating more.
   */
  maxSessions?: number
  /**
   * After this many sessions no other may start, and `shutdown()` is called once all have ended. `last`: `shutdown()`
   * is called as soon as no session runs any more. Default: never
   */
  thenShutdown?: number | 'last'
  /** ms without a `touch()` after which a session is ended; default: never */
  idle?: number
}

export interface Session<Int = number> {
  /** Unique within the GameServer. */
  readonly id: string
  /** The allocation that started the session. */
  readonly allocation: AllocatedEvent<Int>
  /** Frees the session's place. Idempotent. Resolves at once; the tracker repeats the write until it lands. */
  end(): Promise<'ended' | 'absent'>
  /** A sign of life: restarts the session's `idle` time. */
  touch(): void
}

export interface SessionsEvents<Int = number> {
  started: Session<Int>
  ended: Session<Int>
  /** As many sessions as may run at once. */
  full: { sessions: number }
  error: SidecarError
}

export interface Sessions<Int = number> {
  /** The running sessions. */
  readonly active: readonly Session<Int>[]
  /** The number of sessions started so far. */
  readonly started: number
  readonly full: boolean
  on<T extends keyof SessionsEvents<Int>>(type: T, listener: (event: SessionsEvents<Int>[T]) => void): () => void
  /** Stops tracking. The client stays open. */
  close(): void
}

/**
 * Follows the sessions of this GameServer: each allocation starts one, and the tracker tells the platform how many run.
 *
 * @throws SidecarError `CONFIG` for an unknown or invalid option
 */
export function trackSessions<Int = number>(client: SidecarClient<Int>, options: SessionsOptions<Int>): Sessions<Int> {
  const names = ['counter', 'label', 'onSession', 'maxSessions', 'thenShutdown', 'idle']
  checkOptions(client, options, names, ['maxSessions', 'idle'])
  const { counter, label, onSession, thenShutdown, idle = Infinity } = options
  const { maxSessions: limit = counter ? Infinity : 1 } = options
  internals.check(typeof onSession === 'function', 'onSession', onSession, 'a function')
  const isLast = thenShutdown === undefined || thenShutdown === 'last' || thenShutdown > 0
  internals.check(isLast, 'thenShutdown', thenShutdown, 'above 0 or "last"')
  const sessions = new Map<number, Session<Int>>()
  let latest: AllocatedEvent<Int>

  const { on, emit } = internals.createEmitter<SessionsEvents<Int>>(['started', 'ended', 'full', 'error'])
  const state = createSessionsState({ counter, label, limit, thenShutdown })

  const [change, after, report, close] = run(state, kind, client, {
    call(_, what: SessionWrite, limits) {
      if ('state' in what) return client[what.state](limits)
      if ('label' in what) return client.setLabel(label!, what.label, limits)
      return client.updateCounter(counter!, what.update, limits)
    },
    perform([type, event]) {
      if (type === 'started') begin(event)
      else if (type === 'ended') {
        emit(type, sessions.get(event)!)
        sessions.delete(event)
      } else emit(type, event)
    },
    allocated(event) {
      latest = event
      change(() => allocated(state))
    },
  })

  const isActive = (number: number): boolean => state.active.includes(number)

  function begin(number: number): void {
    let stopIdle = (): void => {}
    const session: Session<Int> = {
      id: `${latest.gameServer.object_meta.resource_version}-${number}`,
      allocation: latest,
      async end() {
        stopIdle()
        if (!isActive(number)) return 'absent'
        change(() => ended(state, number))
        return 'ended'
      },
      touch() {
        stopIdle()
        if (isActive(number)) stopIdle = after(idle, () => void session.end())
      },
    }
    sessions.set(number, session)
    session.touch()
    emit('started', session)
    new Promise((resolve) => resolve(onSession(session))).catch((cause: unknown) =>
      report(new SidecarError('UNKNOWN', `onSession failed: ${String(cause)}`, { cause })),
    )
  }

  return {
    get active() {
      return state.active.map((number) => sessions.get(number)!).filter(Boolean)
    },
    get started() {
      return state.started
    },
    get full() {
      return isFull(state)
    },
    on,
    close,
  }
}
