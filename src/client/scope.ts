/** What a wait runs while it lasts; the function it returns ends that. */
export type Start<T> = (resolve: (value: T) => void, reject: (reason: unknown) => void) => void | (() => void)

/**
 * What can be cancelled, as a tree: ending a scope rejects its waits, runs its callbacks and ends its children.
 * It stands in for AbortController, which some hosts lack.
 */
export interface Scope {
  /** Why it ended; undefined while it lasts. */
  readonly _reason: unknown
  _end(reason: unknown): void
  /** Runs at the end, or now if that is past; returns the function that forgets it. */
  _onEnd(callback: () => void): () => void
  /** A promise that rejects when the scope ends. Whatever `start` returned runs once it is settled. */
  _wait<T>(start: Start<T>): Promise<T>
}

export function createScope(parent?: Scope): Scope {
  const callbacks = new Set<() => void>()
  let reason: unknown
  const scope: Scope = {
    get _reason() {
      return reason
    },
    _end(why) {
      if (reason !== undefined) return
      reason = why
      detach()
      callbacks.forEach((callback) => callback())
      callbacks.clear()
    },
    _onEnd(callback) {
      if (reason !== undefined) callback()
      else callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    _wait: (start) =>
      new Promise((resolve, reject) => {
        let settled = false
        let stop: void | (() => void)
        const settle = (done: () => void): void => {
          if (settled) return
          settled = true
          forget()
          if (stop) stop()
          done()
        }
        let forget = (): void => {}
        forget = scope._onEnd(() => settle(() => reject(reason)))
        if (settled) return
        stop = start(
          (value) => settle(() => resolve(value)),
          (error) => settle(() => reject(error)),
        )
        if (settled && stop) stop()
      }),
  }
  let detach = (): void => {}
  if (parent) detach = parent._onEnd(() => scope._end(parent._reason))
  return scope
}
