/** A copy of a record with each value changed; empty where there is none. */
export const mapValues = <T, U>(
  record: Readonly<Record<string, T>> | null | undefined,
  change: (value: T) => U,
): Record<string, U> => Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [name, change(value)]))
