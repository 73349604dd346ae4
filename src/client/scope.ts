/**
 * What can be cancelled, as a tree: ending a scope rejects its waits, runs its callbacks and ends its children.
 * It stands in for AbortController, which some hosts lack.
 */
export interface Scope {
  /** Which method of the client this is for; errors name it. */
  readonly _operation: string | undefined
  /** The HTTP status of the answer, once its head has come; errors name it too. */
  _status?: number
  /** A header of that answer. */
  _header?: (name: string) => string | null
  /** The answer was none of a watch. */
  _refused?: boolean
  /** Why it ended: always truthy then; undefined while it lasts. */
  _reason: unknown
  _end(reason?: unknown): void
  /** Runs at the end, or now if that is past; returns the function that forgets it. */
  _onEnd(callback: () => void): () => void
  /** A promise that rejects when the scope ends. The wait is a scope too: it ends when settled, and rejects by ending. */
  _wait<T>(start: (wait: Scope, resolve: (value: T) => void) => void): Promise<T>
  /** The outcome of a promise, unless the scope ends first. */
  _race<T>(promise: PromiseLike<T>): Promise<T>
}

export function createScope(parent?: Scope, operation = parent && parent._operation): Scope {
  const callbacks = new Set<() => void>()
  const scope: Scope = {
    _operation: operation,
    _reason: undefined,
    _end(reason) {
      if (scope._reason) return
      scope._reason = reason || true
      callbacks.forEach((callback) => callback())
      callbacks.clear()
    },
    _onEnd(callback) {
      if (scope._reason) callback()
      else callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    _wait: (start) =>
      new Promise((resolve, reject) => {
        const wait = createScope(scope)
        wait._onEnd(() => reject(wait._reason))
        if (!wait._reason)
          start(wait, (value) => {
            resolve(value)
            wait._end()
          })
      }),
    _race(promise) {
      // Without a scope of its own, since every call comes by several times. What comes later is nobody's business.
      return new Promise((resolve, reject) => {
        const forget = scope._onEnd(() => reject(scope._reason))
        promise.then(resolve, reject).then(forget)
      })
    },
  }
  if (parent) scope._onEnd(parent._onEnd(() => scope._end(parent._reason)))
  return scope
}
