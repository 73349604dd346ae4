type ReadonlyRecord<T> = Readonly<Record<string, T>> | null | undefined

/** Reads a key as data: `__proto__` and the like are keys like any other. */
export function own<T>(record: ReadonlyRecord<T>, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined
}

/** A copy with the key set; keys stay sorted, as the real sidecar prints them. */
export function withKey<T>(record: ReadonlyRecord<T>, key: string, value: T): Record<string, T> {
  return sorted([...Object.entries(withoutKey(record, key)), [key, value]])
}

/** A copy without the key. */
export function withoutKey<T>(record: ReadonlyRecord<T>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([other]) => other !== key))
}

/** A record of the entries, sorted by key. `Object.fromEntries` makes own keys of any name. */
export function sorted<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** Whether two records have the same keys and values. */
export function sameRecord(a: ReadonlyRecord<string>, b: ReadonlyRecord<string>): boolean {
  const keys = Object.keys(a ?? {})
  return keys.length === Object.keys(b ?? {}).length && keys.every((key) => own(a, key) === own(b, key))
}
