/** Calls every listener; what one throws stops no other and is reported where the host reports errors. */
export function callEach<T>(listeners: Iterable<(value: T) => void>, value: T): void {
  for (const listener of [...listeners]) {
    try {
      listener(value)
    } catch (error) {
      report(error)
    }
  }
}

/** Throws an error where nobody is in the way, so that the host reports it as uncaught. */
export function report(error: unknown): void {
  void Promise.reject(error)
}
