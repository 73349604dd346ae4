import { type SidecarError, timedOut, toSidecarError } from './errors.js'
import { type AbortSignalLike, globals, type SchedulerLike } from './globals.js'
import type { ResolvedOptions } from './options.js'

interface Followers {
  readonly callbacks: Set<() => void>
  readonly listener: () => void
}

/** Adds one listener to a signal, however many callbacks follow it: Node warns of a leak above ten. */
const followers = new WeakMap<AbortSignalLike, Followers>()

/** Runs a callback when a signal aborts, or now if it has. Returns the function that removes the callback. */
export function onAbort(signal: AbortSignalLike, callback: () => void): () => void {
  if (signal.aborted) {
    callback()
    return () => {}
  }
  const { callbacks, listener } = followers.get(signal) ?? listen(signal)
  callbacks.add(callback)
  return () => {
    if (!callbacks.delete(callback) || callbacks.size) return
    followers.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}

function listen(signal: AbortSignalLike): Followers {
  const callbacks = new Set<() => void>()
  const entry = { callbacks, listener: () => callbacks.forEach((run) => run()) }
  followers.set(signal, entry)
  signal.addEventListener('abort', entry.listener)
  return entry
}

/** Work that can be cancelled, as its own signal: hosts may lack an AbortController, which also costs more. */
export type Task = ReturnType<typeof follow>

/**
 * A task that aborts with the first of the signals that it follows, until it is released. Every reason is a SidecarError:
 * the reason of a foreign signal becomes the cause of `ABORTED`.
 */
export function follow(...signals: (AbortSignalLike | undefined)[]) {
  const listeners = new Set<() => void>()
  const forget: (() => void)[] = []
  const task = {
    aborted: false,
    reason: undefined as unknown,
    /** When the work must be done, by the client's clock, and the ms that it was given. A wait aborts it then. */
    deadline: undefined as number | undefined,
    limit: undefined as number | undefined,
    addEventListener: (_type: string, listener: () => void) => void listeners.add(listener),
    removeEventListener: (_type: string, listener: () => void) => void listeners.delete(listener),
    /** Stops following other signals. */
    release: () => forget.splice(0).forEach((run) => run()),
    abort(reason: unknown): void {
      task.release()
      if (task.aborted) return
      task.aborted = true
      task.reason = reason
      listeners.forEach((listener) => listener())
    },
  }
  for (const other of signals)
    if (other && !task.aborted)
      forget.push(onAbort(other, () => task.abort(toSidecarError(other.reason, 'ABORTED', 'Aborted by its signal'))))
  return task
}

export function throwIfAborted(task: AbortSignalLike): void {
  if (task.aborted) throw task.reason as SidecarError
}

/** ms, near the limit of a host's timers: a longer one would fire at once. */
const LONGEST = 2e9
/** The least ms between two attempts: the jitter alone could give a burst. */
const LEAST_DELAY = 150

type TimeOptions = Pick<ResolvedOptions, 'scheduler' | 'retry' | 'now' | 'random'>

/** The clock of one client. Its timers end with the client. */
export type Time = ReturnType<typeof createTime>

/** @param life aborts when the client is closed */
export function createTime({ now = hostClock(), scheduler, retry, random }: TimeOptions, life: Task) {
  /** For each callback, when it is due and how to cancel it. */
  const due = new Map<() => void, readonly [at: number, cancel: () => void]>()
  onAbort(life, () => due.forEach(([, cancel]) => cancel()))

  const time = {
    life,
    /** ms, never going back */
    now,

    /** Runs a callback later, unless the returned function is called before. */
    after(given: number, run: () => void, isLimit?: boolean): () => void {
      if (life.aborted) return () => {}
      // Adding less to a clock may leave it where it was, and then a timer would be due again and again.
      const ms = Math.max(1, given)
      // The host's timers are called as members of the global object: some hosts refuse another receiver.
      const clock: Partial<SchedulerLike> = scheduler === false ? {} : (scheduler ?? globals())
      const fire = (): void => {
        if (due.has(fire)) {
          cancel()
          run()
        }
      }
      const set = isLimit && clock.setLimit ? 'setLimit' : ms < LONGEST && 'setTimeout'
      const id = set && clock[set] ? clock[set](fire, ms) : undefined
      const cancel = (): void => {
        if (due.delete(fire) && id !== undefined && clock.clearTimeout) clock.clearTimeout(id as never)
      }
      due.set(fire, [now() + ms, cancel])
      return cancel
    },

    /**
     * A promise that `start` settles. It rejects when the task aborts, and with TIMEOUT after `ms` or at the task's
     * deadline, which aborts the task. What `start` returns is run at the end.
     */
    wait: <T>(
      task: Task,
      start: (resolve: (value: T) => void, reject: (error: unknown) => void) => (() => void) | undefined,
      ms?: number,
    ): Promise<T> =>
      new Promise((resolve, reject) => {
        throwIfAborted(task)
        // eslint-disable-next-line prefer-const -- read by `end`, which `start` may call
        let clean: (() => void) | undefined
        let lift: (() => void) | undefined
        let isOver = false
        const end =
          <V>(settle: (value: V) => void) =>
          (value: V) => {
            if (isOver) return
            isOver = true
            forget()
            if (lift) lift()
            if (clean) clean()
            settle(value)
          }
        const fail = end(reject)
        const forget = onAbort(task, () => fail(task.reason))
        const rest = task.deadline === undefined ? undefined : task.deadline - now()
        const isLast = rest !== undefined && !(ms! < rest)
        const left = isLast ? rest : ms
        const endBy = (): void => {
          if (isLast) task.abort(timedOut(task.limit!))
          else fail(timedOut(ms!))
        }
        if (left !== undefined) lift = time.after(left, endBy, true)
        clean = start(end(resolve), fail)
        if (isOver && clean) clean()
      }),

    sleep: (task: Task, ms: number): Promise<void> => time.wait(task, (resolve) => time.after(ms, resolve)),

    /** The outcome of a promise, unless the task or the time ends first. */
    race: <T>(task: Task, promise: PromiseLike<T>, ms?: number): Promise<T> =>
      time.wait(task, (resolve, reject) => void promise.then(resolve, reject), ms),

    /** ms before attempt number `attempt + 1`: exponential with a cap and full jitter. */
    backoff: (attempt: number): number =>
      Math.max(LEAST_DELAY, random() * Math.min(retry.maxDelay, retry.initialDelay * retry.factor ** attempt)),

    /** Runs everything due at `now`: for hosts without timers, and to catch up where timers came late. */
    tick(at = now()): void {
      // A copy, since a callback may add timers, which wait for the next tick.
      for (const [fire, [when]] of Array.from(due)) if (when <= at) fire()
    },
  }
  return time
}

/** The host's clock. The global is looked up once: in Node, the look-up costs more than reading the time. */
function hostClock(): () => number {
  const { performance } = globals()
  return performance?.now ? () => performance.now!() : () => Date.now()
}
