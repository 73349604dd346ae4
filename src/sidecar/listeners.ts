/** Calls every listener. An error of one stops no other, and is reported as an uncaught error. */
export function callEach<T>(listeners: Iterable<(value: T) => void>, value: T): void {
  for (const listener of [...listeners]) {
    try {
      listener(value)
    } catch (error) {
      report(error)
    }
  }
}

/** Throws an error outside of any caller, so that the host reports it as uncaught. */
export function report(error: unknown): void {
  void Promise.reject(error)
}
