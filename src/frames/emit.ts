/**
 * Calls the host's function, if there is one. What it throws must not cut a stream in two, so it is re-thrown
 * where the host reports errors: as an unhandled rejection, the only such place that needs no timer.
 */
export const emit = <A, B>(listener: ((a: A, b: B) => unknown) | null | undefined, a: A, b?: B): void => {
  try {
    if (listener) listener(a, b!)
  } catch (error) {
    void Promise.reject(error)
  }
}
