/** Takes the error of a listener. */
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

/** Calls every listener, and reports the error of each instead of throwing it. */
export function callEach<T>(listeners: Iterable<(value: T) => unknown>, value: T, report: Report): void {
  for (const listener of [...listeners]) callSafely(listener, value, report)
}

/** Makes an error an unhandled rejection, which the host reports. */
export function throwLater(error: unknown): void {
  void Promise.reject(error)
}
