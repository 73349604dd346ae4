export type Report = (error: unknown) => void

/** Calls a listener, and reports its error or rejection instead of throwing it. */
export function callSafely<T>(listener: (value: T) => unknown, value: T, report: Report): void {
  try {
    const result = listener(value)
    if (result instanceof Promise) result.catch(report)
  } catch (error) {
    report(error)
  }
}

/** Isolated listeners: the error of one is reported, and the others are called. */
export function createListeners<T>(report: Report) {
  const listeners = new Set<(value: T) => void>()
  return {
    /** Returns the function that removes the listener. */
    add(listener: (value: T) => void): () => void {
      const own = (value: T): void => listener(value)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    call(value: T): void {
      for (const listener of [...listeners]) callSafely(listener, value, report)
    },
  }
}

/** Makes an error an unhandled rejection, which the host reports. */
export function throwLater(error: unknown): void {
  void Promise.reject(error)
}
