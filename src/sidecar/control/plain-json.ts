/** Deepest nesting of a command. A GameServer with its pod template needs about 20 levels. */
const deepest = 100

/**
 * A value as plain JSON, so that it can be logged and sent: the value itself, or a copy with decimal text for bigints.
 * Undefined if it is nested more deeply than a command needs, or in a circle. The code here doesn't call itself, so that
 * no value overflows the stack.
 */
export function plainJson<T>(value: T): T | undefined {
  const values: unknown[] = [value]
  const depths: number[] = [0]
  let hasBigInt = false
  while (values.length > 0) {
    const next = values.pop()
    const depth = depths.pop()!
    hasBigInt ||= typeof next === 'bigint'
    if (typeof next !== 'object' || next === null) continue
    if (depth === deepest) return undefined
    for (const item of Object.values(next)) {
      if (typeof item !== 'object' && typeof item !== 'bigint') continue
      values.push(item)
      depths.push(depth + 1)
    }
  }
  if (!hasBigInt) return value
  const toText = (_key: string, item: unknown): unknown => (typeof item === 'bigint' ? String(item) : item)
  return JSON.parse(JSON.stringify(value, toText)) as T
}
