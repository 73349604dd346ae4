import { longestTimer } from '../../protocol/names.js'
import type { MockOptions } from './types.js'

interface Timer {
  /** ms from the start */
  readonly at: number
  readonly fire: () => void
  /** When a time limit was set, if this timer is one: its caller waits. */
  readonly waitsSince: number | undefined
}

/** The longest wait in ms that `auto` skips: a game may wait for players without a limit. */
const PATIENCE = 3_600_000

/** The host's time. A wall clock can be set back. */
function machine(): number {
  const { performance } = globalThis as { readonly performance?: { now(): number } }
  return performance === undefined ? Date.now() : Math.floor(performance.now())
}

/** One clock and one queue of timers for the sidecar, the client and the network between them. */
export class MockClock {
  private readonly time: MockOptions['time']
  private readonly turns = createTurns()
  private readonly timers = new Set<Timer>()
  /** The end of the tasks that run one after the other. */
  private line = Promise.resolve()
  private working = 0
  private isClosed = false
  private isSkipping = false
  /** How many times as fast as the host's the clock runs; 0 while it stands still. */
  private speed: number
  /** The mock's time at the moment `since` of the host's clock. */
  private present = 0
  private since = machine()

  constructor(time: MockOptions['time']) {
    this.time = time
    this.speed = time === 'real' ? 1 : 0
  }

  readonly now = (): number => (this.speed === 0 ? this.present : this.present + (machine() - this.since) * this.speed)

  /** Calls `fire` once after `ms`; the returned function cancels it. */
  readonly setTimer = (ms: number, fire: () => void): (() => void) => this.add(ms, fire)

  /** Sets a time limit, which may be Infinity. Until it is cancelled, its caller waits. */
  readonly setLimit = (ms: number, fire: () => void): (() => void) => this.add(ms, fire, this.now())

  advance(ms: number): Promise<void> {
    return this.inTurn(async () => {
      await this.settle()
      const end = this.now() + ms
      await this.run(({ at }) => at <= end)
      if (end > this.now()) this.moveTo(end)
      this.alarm()
      await this.settle()
    })
  }

  /** Runs `speed` times as fast from now on. Only for real time. */
  setSpeed(speed: number): void {
    this.moveTo(this.now())
    this.speed = speed
    this.alarm()
  }

  /** Marks work that the host finishes by itself, without the clock. */
  async busy<T>(work: Promise<T>): Promise<T> {
    this.working++
    return work.finally(() => this.working--)
  }

  close(): void {
    this.isClosed = true
    this.setSpeed(0)
    this.timers.clear()
    this.turns.close()
  }

  private add(ms: number, fire: () => void, waitsSince?: number): () => void {
    if (this.isClosed) return () => undefined
    // Adding less to a clock may leave it where it was, and then a timer would be due again and again.
    const timer = { at: this.now() + Math.max(1, ms), fire, waitsSince }
    this.timers.add(timer)
    this.alarm()
    if (this.time === 'auto' && !this.isSkipping && this.isAwaited()) {
      this.isSkipping = true
      // From timer to timer, while a caller waits.
      const skip = (): Promise<void> =>
        this.run((next) => this.isAwaited(next)).finally(() => (this.isSkipping = false))
      void this.inTurn(skip)
    }
    return () => {
      if (this.timers.delete(timer)) this.alarm()
    }
  }

  private first(): Timer | undefined {
    let found: Timer | undefined
    for (const timer of this.timers) if (found === undefined || timer.at < found.at) found = timer
    return found
  }

  private fire(timer: Timer): void {
    this.timers.delete(timer)
    if (timer.at > this.now()) this.moveTo(timer.at)
    timer.fire()
  }

  private moveTo(time: number): void {
    this.present = time
    this.since = machine()
  }

  /** A caller waits, and some timer has a finite time. */
  private isAwaited(next?: Timer): boolean {
    const waits = ({ waitsSince }: Timer): boolean => waitsSince !== undefined && this.now() - waitsSince < PATIENCE
    return next?.at !== Infinity && [...this.timers].some(waits)
  }

  private inTurn(run: () => Promise<void>): Promise<void> {
    const done = this.line.then(run)
    this.line = done.catch(() => undefined)
    return done
  }

  private async settle(): Promise<void> {
    do await this.turns.next()
    while (this.working > 0)
  }

  /** Fires the timers that are due, each at its time, as long as `isOn`. */
  private async run(isOn: (next: Timer) => boolean): Promise<void> {
    await this.settle()
    for (let next = this.first(); next !== undefined && isOn(next); next = this.first()) {
      this.fire(next)
      await this.settle()
    }
  }

  private cancelAlarm = (): void => undefined

  /** In `real`: has the host call when the next timer is due. */
  private alarm(): void {
    if (this.time !== 'real') return
    this.cancelAlarm()
    const next = this.first()
    if (next === undefined || this.speed === 0 || this.isClosed) return
    const ms = Math.max(0, (next.at - this.now()) / this.speed)
    const id = setTimeout(() => this.ring(), Math.min(longestTimer, ms))
    this.cancelAlarm = () => clearTimeout(id)
  }

  private ring(): void {
    for (let next = this.first(); next !== undefined && next.at <= this.now(); next = this.first()) this.fire(next)
    this.alarm()
  }
}

interface Port {
  onmessage: (() => void) | null
  postMessage(message: unknown): void
  close(): void
  ref?(): void
  unref?(): void
}

interface Host {
  readonly MessageChannel?: new () => { readonly port1: Port; readonly port2: Port }
}

/**
 * Waits for turns of the host's event loop: `next()` resolves when every promise that can settle by itself has done so.
 * Uses MessageChannel, since fake timers replace the other schedulers. Hosts without it have timers.
 */
function createTurns(): { next(): Promise<void>; close(): void } {
  const { MessageChannel } = globalThis as Host
  if (MessageChannel === undefined) {
    const { setTimeout } = globalThis
    return { next: () => new Promise((resolve) => void setTimeout(resolve, 0)), close: () => undefined }
  }
  let channel: InstanceType<typeof MessageChannel> | undefined
  let closed = false
  let waiting: (() => void)[] = []

  function resume(): void {
    const all = waiting
    waiting = []
    // An open channel would keep Node's process running.
    channel?.port1.unref?.()
    for (const resolve of all) resolve()
  }

  function open(): NonNullable<typeof channel> {
    const opened = new MessageChannel!()
    opened.port1.onmessage = resume
    return opened
  }

  return {
    next: () =>
      new Promise((resolve) => {
        if (closed) return resolve()
        channel ??= open()
        channel.port1.ref?.()
        if (waiting.push(resolve) === 1) channel.port2.postMessage(0)
      }),
    close() {
      closed = true
      resume()
      channel?.port1.close()
    },
  }
}
