import { longestTimer } from '../sidecar/index.js'
import { createTurns } from './turns.js'

interface Timer {
  /** ms from the start */
  readonly at: number
  readonly fire: () => void
  /** When a limit was set, which is a timer of which we know that somebody waits until then. */
  readonly waitsSince: number | undefined
}

/** One clock and one queue of timers for the sidecar, the client and the network between them. */
export interface MockClock {
  /** ms from the start */
  now(): number
  /** Calls `fire` once after `ms`; the returned function cancels it. */
  setTimer(ms: number, fire: () => void): () => void
  /** The same for a time limit, also one of Infinity. Until it is cancelled, somebody waits. */
  setLimit(ms: number, fire: () => void): () => void
  advance(ms: number): Promise<void>
  /** Runs `speed` times as fast from now on. Only real time can. */
  setSpeed(speed: number): void
  close(): void
}

interface Parts {
  readonly time: 'manual' | 'auto' | 'real'
  /** Whether something goes on that the host finishes by itself, without the clock. */
  isBusy(): boolean
}

/** ms of its time after which `auto` no longer takes it for waiting: a game may wait for ever for players. */
const PATIENCE = 3_600_000

export function createMockClock({ time, isBusy }: Parts): MockClock {
  const turns = createTurns()
  const hand = createHand(time === 'real' ? 1 : 0)
  const queue = createQueue(hand)
  const inTurn = createLine()
  const state = { isClosed: false, isSkipping: false, cancelAlarm: (): void => undefined }

  async function settle(): Promise<void> {
    do await turns.next()
    while (isBusy())
  }

  /** Fires the timers that are due, each at its time, as long as `isOn`. */
  async function run(isOn: (next: Timer) => boolean): Promise<void> {
    await settle()
    for (let next = queue.first(); next !== undefined && isOn(next); next = queue.first()) {
      queue.fire(next)
      await settle()
    }
  }

  async function pass(ms: number): Promise<void> {
    await settle()
    const end = hand.now() + ms
    await run(({ at }) => at <= end)
    if (end > hand.now()) hand.moveTo(end)
    alarm()
    await settle()
  }

  /** In `auto`: skips from timer to timer as long as somebody waits. */
  const skip = (): Promise<void> => run(queue.isAwaited).finally(() => (state.isSkipping = false))

  /** In `real`: has the host call when the next timer is due. */
  function alarm(): void {
    if (time !== 'real') return
    state.cancelAlarm()
    const next = queue.first()
    const ms = next && hand.untilThen(next.at)
    if (ms === undefined || state.isClosed) return
    const id = setTimeout(ring, Math.min(longestTimer, ms))
    state.cancelAlarm = () => clearTimeout(id)
  }

  function ring(): void {
    for (let next = queue.first(); next !== undefined && next.at <= hand.now(); next = queue.first()) queue.fire(next)
    alarm()
  }

  function add(ms: number, fire: () => void, waitsSince?: number): () => void {
    if (state.isClosed) return () => undefined
    const cancel = queue.add({ at: hand.now() + Math.max(0, ms), fire, waitsSince })
    alarm()
    if (time === 'auto' && !state.isSkipping && queue.isAwaited()) {
      state.isSkipping = true
      void inTurn(skip)
    }
    return () => {
      if (cancel()) alarm()
    }
  }

  return {
    now: hand.now,
    setTimer: add,
    setLimit: (ms, fire) => add(ms, fire, hand.now()),
    advance: (ms) => inTurn(() => pass(ms)),
    setSpeed(speed) {
      hand.setSpeed(speed)
      alarm()
    },
    close() {
      state.isClosed = true
      hand.setSpeed(0)
      queue.clear()
      state.cancelAlarm()
      turns.close()
    },
  }
}

/** Has work done piece by piece, whoever asks for it. */
function createLine(): (run: () => Promise<void>) => Promise<void> {
  let tail = Promise.resolve()
  return (run) => {
    const done = tail.then(run)
    tail = done.catch(() => undefined)
    return done
  }
}

function createQueue(hand: ReturnType<typeof createHand>) {
  const timers = new Set<Timer>()
  return {
    add(timer: Timer): () => boolean {
      timers.add(timer)
      return () => timers.delete(timer)
    },
    first(): Timer | undefined {
      let found: Timer | undefined
      for (const timer of timers) if (found === undefined || timer.at < found.at) found = timer
      return found
    },
    fire(timer: Timer): void {
      timers.delete(timer)
      if (timer.at > hand.now()) hand.moveTo(timer.at)
      timer.fire()
    },
    /** Somebody waits, and the next timer is due one day. */
    isAwaited: (next?: Timer): boolean =>
      next?.at !== Infinity &&
      [...timers].some(({ waitsSince }) => waitsSince !== undefined && hand.now() - waitsSince < PATIENCE),
    clear: (): void => timers.clear(),
  }
}

/** What the clock shows: it stands still, or runs so many times as fast as the host's. */
function createHand(initial: number) {
  /** The time, as of the moment `since` on the host's clock. */
  const state = { present: 0, since: Date.now(), speed: initial }
  const now = (): number =>
    state.speed === 0 ? state.present : state.present + (Date.now() - state.since) * state.speed
  const moveTo = (present: number): void => void Object.assign(state, { present, since: Date.now() })
  return {
    now,
    moveTo,
    setSpeed(speed: number): void {
      moveTo(now())
      state.speed = speed
    },
    /** ms of the host until a time; undefined if it never comes. */
    untilThen: (at: number): number | undefined =>
      state.speed === 0 ? undefined : Math.max(0, (at - now()) / state.speed),
  }
}
