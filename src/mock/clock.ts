interface Timer {
  readonly id: number
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
const LONGEST_TIMER = 2 ** 31 - 1

export function createMockClock({ time, isBusy }: Parts): MockClock {
  const turns = createTurns()
  const timers = new Map<number, Timer>()
  let lastId = 0
  let closed = false
  /** The time, as of the moment `since` on the host's clock. */
  let present = 0
  let since = Date.now()
  let speed = time === 'real' ? 1 : 0
  let tail = Promise.resolve()
  let cancelAlarm: (() => void) | undefined
  let skipping = false

  const now = (): number => (speed === 0 ? present : present + (Date.now() - since) * speed)

  const moveTo = (ms: number): void => {
    present = ms
    since = Date.now()
  }

  async function settle(): Promise<void> {
    do await turns.next()
    while (isBusy())
  }

  function first(): Timer | undefined {
    let found: Timer | undefined
    for (const timer of timers.values()) {
      if (found === undefined || timer.at < found.at) found = timer
    }
    return found
  }

  function fire(timer: Timer): void {
    timers.delete(timer.id)
    if (timer.at > now()) moveTo(timer.at)
    timer.fire()
  }

  /** One after the other, whoever asks. */
  function inTurn(run: () => Promise<void>): Promise<void> {
    const done = tail.then(run)
    tail = done.catch(() => undefined)
    return done
  }

  async function pass(ms: number): Promise<void> {
    await settle()
    const end = now() + ms
    for (let next = first(); next !== undefined && next.at <= end; next = first()) {
      fire(next)
      await settle()
    }
    if (end > now()) moveTo(end)
    alarm()
    await settle()
  }

  /** In `auto`: skips from timer to timer as long as somebody waits. */
  async function skip(): Promise<void> {
    try {
      for (;;) {
        await settle()
        const next = first()
        if (closed || next === undefined || next.at === Infinity || !isAwaited()) return
        fire(next)
      }
    } finally {
      skipping = false
    }
  }

  function isAwaited(): boolean {
    for (const { waitsSince } of timers.values()) {
      if (waitsSince !== undefined && now() - waitsSince < PATIENCE) return true
    }
    return false
  }

  /** In `real`: has the host call when the next timer is due. */
  function alarm(): void {
    if (time !== 'real') return
    cancelAlarm?.()
    const next = first()
    if (next === undefined || closed || speed === 0) return
    const ms = Math.min(LONGEST_TIMER, Math.max(0, (next.at - now()) / speed))
    const id = setTimeout(ring, ms)
    cancelAlarm = () => clearTimeout(id)
  }

  function ring(): void {
    for (let next = first(); next !== undefined && next.at <= now(); next = first()) fire(next)
    alarm()
  }

  function add(ms: number, run: () => void, waitsSince?: number): () => void {
    if (closed) return () => undefined
    const id = ++lastId
    timers.set(id, { id, at: now() + Math.max(0, ms), fire: run, waitsSince })
    alarm()
    if (time === 'auto' && !skipping && isAwaited()) {
      skipping = true
      void inTurn(skip)
    }
    return () => {
      if (timers.delete(id)) alarm()
    }
  }

  return {
    now,
    setTimer: add,
    setLimit: (ms, run) => add(ms, run, now()),
    advance: (ms) => inTurn(() => pass(ms)),
    setSpeed(next) {
      moveTo(now())
      speed = next
      alarm()
    },
    close() {
      closed = true
      moveTo(now())
      speed = 0
      timers.clear()
      cancelAlarm?.()
      turns.close()
    },
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

interface Turns {
  /** Resolves when every promise that can settle by itself has done so. */
  next(): Promise<void>
  close(): void
}

/**
 * Turns of the host's event loop, by messages, since the fake timers of test runners leave those alone: all else that could
 * be called later may be called never. Hosts without messages have timers.
 */
function createTurns(): Turns {
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
    // Node's process may end while nobody waits for a turn.
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
