/** What a wait runs while it lasts; the function it returns ends that. */
export type Start<T> = (
  resolve: (value: T) => void,
  reject: (reason: unknown) => void,
) => void | (() => void)

/**
 * What can be cancelled, as a tree: ending a scope rejects its waits, runs its callbacks and ends its children.
 * It stands in for AbortController, which some hosts lack.
 */
export interface Scope {
  /** Why it ended; undefined while it lasts. */
  _reason: unknown
  _end(reason: unknown): void
  /** Runs at the end, or now if that is past; returns the function that forgets it. */
  _onEnd(callback: () => void): () => void
  /** A promise that rejects when the scope ends. Whatever `start` returned runs once it is settled. */
  _wait<T>(start: Start<T>): Promise<T>
  /** The outcome of a promise, unless the scope ends first. */
  _race<T>(promise: PromiseLike<T>): Promise<T>
}

export function createScope(parent?: Scope): Scope {
  const callbacks = new Set<() => void>()
  const scope: Scope = {
    _reason: undefined,
    _end(reason) {
      if (scope._reason !== undefined) return
      scope._reason = reason
      callbacks.forEach((callback) => callback())
      callbacks.clear()
    },
    _onEnd(callback) {
      if (scope._reason === undefined) callbacks.add(callback)
      else callback()
      return () => callbacks.delete(callback)
    },
    _wait(start) {
      const wait = createScope(scope)
      return new Promise((resolve, reject) => {
        wait._onEnd(() => reject(wait._reason))
        if (wait._reason !== undefined) return
        const settle =
          <V>(done: (value: V) => void) =>
          (value: V): void => {
            done(value)
            wait._end(0)
          }
        const stop = start(settle(resolve), settle(reject))
        if (stop) wait._onEnd(stop)
      })
    },
    _race(promise) {
      promise.then(null, () => {}) // what comes of it after the end is nobody's business
      return scope._wait((resolve, reject) => void promise.then(resolve, reject))
    },
  }
  if (parent) scope._onEnd(parent._onEnd(() => scope._end(parent._reason)))
  return scope
}
