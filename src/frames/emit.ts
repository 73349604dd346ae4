/**
 * Calls the host's function of that name, if there is one. What it throws must not cut a stream in two, so it is
 * re-thrown where the host reports errors: as an unhandled rejection, the only such place that needs no timer.
 */
export const emit = <Name extends string, Values extends unknown[]>(
  host: { readonly [name in Name]?: ((...values: Values) => unknown) | null | undefined },
  name: Name,
  ...values: Values
): void => {
  try {
    const listener = host[name]
    if (listener) listener.apply(host, values)
  } catch (error) {
    void Promise.reject(error)
  }
}
