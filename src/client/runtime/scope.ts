/**
 * Something that can be cancelled, as a tree: ending a scope rejects its waits, runs its callbacks and ends its
 * children. It stands in for AbortController, which some hosts lack (docs/adr/scope-tree.md).
 */
export class Scope {
  /** Why the scope ended: always truthy then; undefined while it lasts. */
  reason: unknown
  private callbacks: Set<() => void> | undefined
  private readonly leaveParent: (() => void) | undefined

  constructor(parent?: Scope) {
    if (parent) this.leaveParent = parent.onEnd(() => this.end(parent.reason))
  }

  end(reason: unknown = true): void {
    if (this.reason) return
    this.reason = reason
    if (this.leaveParent) this.leaveParent()
    const { callbacks } = this
    this.callbacks = undefined
    if (callbacks) callbacks.forEach((callback) => callback())
  }

  throwIfEnded(): void {
    // The reason is nearly always a SidecarError.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (this.reason) throw this.reason
  }

  /** Runs a callback at the end, or now if that is past. Returns the function that forgets the callback. */
  onEnd(callback: () => void): () => void {
    if (this.reason) {
      callback()
      return () => {}
    }
    const callbacks = (this.callbacks ??= new Set())
    callbacks.add(callback)
    return () => void callbacks.delete(callback)
  }

  /** A promise that `start` resolves, and that rejects when the scope ends. The wait is a scope of its own. */
  wait<T>(start: (resolve: (value: T) => void, wait: Scope) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait = new Scope(this)
      wait.onEnd(() => reject(wait.reason))
      if (wait.reason) return
      start((value) => {
        resolve(value)
        wait.end()
      }, wait)
    })
  }

  /** The outcome of a promise, unless the scope ends first. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = this.onEnd(() => reject(this.reason))
      promise.then(
        (value) => {
          forget()
          resolve(value)
        },
        (error: unknown) => {
          forget()
          reject(error)
        },
      )
    })
  }
}
