import { type SidecarError, toSidecarError } from './errors.js'
import { host } from './host.js'
import type { AbortSignalLike } from './option-types.js'

export interface Controller {
  readonly signal: AbortSignalLike
  abort(reason: unknown): void
}

let Substitute: (new () => Controller) | undefined

/** Sets the class for hosts without an AbortController. */
export function substituteController(controller: new () => Controller): void {
  Substitute = controller
}

function createController(): Controller {
  return new (host().AbortController ?? Substitute!)()
}

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

/** A signal of our own that aborts with the first of the signals that it follows, until it is released. */
export interface Task extends Controller {
  /** Stops following: aborting a task that is over would cost as much as a small request. */
  release(): void
}

/** Every reason of a task is a SidecarError: the reason of a foreign signal becomes the cause of `ABORTED`. */
export function follow(...signals: (AbortSignalLike | undefined)[]): Task {
  const controller = createController()
  const { signal } = controller
  const forget: (() => void)[] = []
  const task = {
    signal,
    abort(reason: unknown) {
      task.release()
      if (!signal.aborted) controller.abort(reason)
    },
    release: () => forget.splice(0).forEach((run) => run()),
  }
  for (const other of signals)
    if (other && !signal.aborted)
      forget.push(onAbort(other, () => task.abort(toSidecarError(other.reason, 'ABORTED', 'Aborted by its signal'))))
  return task
}

/** A promise that `start` settles, and that rejects when the signal aborts. What `start` returns is run at the end. */
export function wait<T>(
  signal: AbortSignalLike,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => (() => void) | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal)
    let clean = (): void => {}
    let isOver = false
    const end =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        if (isOver) return
        isOver = true
        forget()
        clean()
        settle(value)
      }
    const fail = end(reject)
    const forget = onAbort(signal, () => fail(signal.reason))
    clean = start(end(resolve), fail) ?? clean
    if (isOver) clean()
  })
}

/** The outcome of a promise, unless the signal aborts first. */
export function race<T>(signal: AbortSignalLike, promise: PromiseLike<T>): Promise<T> {
  return wait(signal, (resolve, reject) => void promise.then(resolve, reject))
}

export function throwIfAborted(signal: AbortSignalLike): void {
  if (signal.aborted) throw signal.reason as SidecarError
}
