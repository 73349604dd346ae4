import { internals, SidecarError, type AllocatedEvent, type SidecarClient } from '../../index.js'
import { SessionsState, type SessionsEffects, type SessionWrite } from './sessions-state.js'
import { checkOptions, createTracker } from './tracker.js'
import type { Session, Sessions, SessionsEvents, SessionsOptions } from './types.js'

const OPTIONS = ['counter', 'label', 'onSession', 'maxSessions', 'thenShutdown', 'idle']

/**
 * Follows the sessions of this GameServer: each allocation starts one, and the tracker tells the platform how many run.
 *
 * @throws SidecarError `CONFIG` for an unknown or invalid option
 */
export function trackSessions<Int = number>(client: SidecarClient<Int>, options: SessionsOptions<Int>): Sessions<Int> {
  checkOptions(client, options, OPTIONS, ['maxSessions', 'idle'])
  const { counter, label, onSession, thenShutdown, idle = Infinity } = options
  const { maxSessions: limit = counter ? Infinity : 1 } = options
  const { check } = internals
  check(typeof onSession === 'function', 'onSession', onSession, 'a function')
  const isLast = thenShutdown === undefined || thenShutdown === 'last' || thenShutdown > 0
  check(isLast, 'thenShutdown', thenShutdown, 'above 0 or "last"')
  const sessions = new Map<number, Session<Int>>()
  let latest: AllocatedEvent<Int>

  const { on, emit } = internals.createEmitter<SessionsEvents<Int>>(['started', 'ended', 'full', 'error'])
  const state = new SessionsState({ counter, label, limit, thenShutdown })

  const tracker = createTracker<Int, SessionWrite, SessionsEffects>(client, state, {
    emit,
    call(what, _, limits) {
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
    allocated(allocation) {
      latest = allocation
      tracker.change(() => state.allocated())
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
        tracker.change(() => state.ended(number))
        return 'ended'
      },
      touch() {
        stopIdle()
        if (idle < Infinity && isActive(number)) stopIdle = tracker.after(idle, () => void session.end())
      },
    }
    sessions.set(number, session)
    session.touch()
    emit('started', session)
    new Promise((resolve) => resolve(onSession(session))).catch((cause: unknown) =>
      tracker.report(new SidecarError('UNKNOWN', `onSession failed: ${String(cause)}`, { cause })),
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
      return state.isFull
    },
    on,
    close: tracker.close,
  }
}
