/** Told of an error of a listener. */
export type Report = (error: unknown) => void

/** Calls a listener. Whatever it throws, or its promise is rejected with, is reported and stops nobody. */
export function callSafely<T>(listener: (value: T) => unknown, value: T, report: Report): void {
  try {
    const result = listener(value)
    if (result instanceof Promise) result.catch(report)
  } catch (error) {
    report(error)
  }
}

/** Calls every listener. An error of one stops no other, and is reported. */
export function callEach<T>(listeners: Iterable<(value: T) => unknown>, value: T, report: Report): void {
  for (const listener of [...listeners]) callSafely(listener, value, report)
}

/** Throws an error outside of any caller, so that the host reports it as uncaught. */
export function throwLater(error: unknown): void {
  void Promise.reject(error)
}
