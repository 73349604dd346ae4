import { longestTimer } from '../../protocol/names.js'
import { createTurns } from './turns.js'

interface Timer {
  /** ms from the start */
  readonly at: number
  readonly fire: () => void
  /** When a time limit was set, if this timer is one: its caller waits. */
  readonly waitsSince: number | undefined
}

export type MockClock = ReturnType<typeof createMockClock>

interface Parts {
  readonly time: 'manual' | 'auto' | 'real'
  /** Whether the host still has work that needs no clock. */
  isBusy(): boolean
}

/** The longest wait in ms that `auto` skips: a game may wait for players without a limit. */
const PATIENCE = 3_600_000

/** One clock and one queue of timers for the sidecar, the client and the network between them. */
export function createMockClock({ time, isBusy }: Parts) {
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

  /** In `auto`: skips from timer to timer while a caller waits. */
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

  /** Calls `fire` once after `ms`; the returned function cancels it. */
  function add(ms: number, fire: () => void, waitsSince?: number): () => void {
    if (state.isClosed) return () => undefined
    // Adding less to a clock may leave it where it was, and then a timer would be due again and again.
    const cancel = queue.add({ at: hand.now() + Math.max(1, ms), fire, waitsSince })
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
    setTimer: (ms: number, fire: () => void): (() => void) => add(ms, fire),
    /** Sets a time limit, which may be Infinity. Until it is cancelled, its caller waits. */
    setLimit: (ms: number, fire: () => void): (() => void) => add(ms, fire, hand.now()),
    advance: (ms: number): Promise<void> => inTurn(() => pass(ms)),
    /** Runs `speed` times as fast from now on. Only for real time. */
    setSpeed(speed: number): void {
      hand.setSpeed(speed)
      alarm()
    },
    close(): void {
      state.isClosed = true
      hand.setSpeed(0)
      queue.clear()
      state.cancelAlarm()
      turns.close()
    },
  }
}

/** Runs tasks one after the other. */
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
    /** A caller waits, and some timer has a finite time. */
    isAwaited: (next?: Timer): boolean =>
      next?.at !== Infinity &&
      [...timers].some(({ waitsSince }) => waitsSince !== undefined && hand.now() - waitsSince < PATIENCE),
    clear: (): void => timers.clear(),
  }
}

/** The time that the clock shows. It stands still, or runs `speed` times as fast as the host's. */
function createHand(initial: number) {
  const { performance } = globalThis as { readonly performance?: { now(): number } }
  /** The host's time. A wall clock can be set back. */
  const machine = (): number => (performance === undefined ? Date.now() : Math.floor(performance.now()))
  /** The mock's time at the moment `since` of the host's clock. */
  const state = { present: 0, since: machine(), speed: initial }
  const now = (): number =>
    state.speed === 0 ? state.present : state.present + (machine() - state.since) * state.speed
  const moveTo = (present: number): void => void Object.assign(state, { present, since: machine() })
  return {
    now,
    moveTo,
    setSpeed(speed: number): void {
      moveTo(now())
      state.speed = speed
    },
    /** ms of the host's time until `at`; undefined if the clock stands still. */
    untilThen: (at: number): number | undefined =>
      state.speed === 0 ? undefined : Math.max(0, (at - now()) / state.speed),
  }
}
