/** Tests of an entry by the prefix of a word, such as `kind`. */
type Fields<E> = Readonly<Record<string, (entry: E, value: string) => boolean>>

/** Calls a function once for each object. */
export function cached<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>()
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key))
    return known.get(key)!
  }
}

/**
 * Reads filters such as `kind:call status:5 -health ms:>100`. Words are ANDed, `-` negates one, and a comma in a value is
 * an OR. A word without a known prefix must occur in the texts of the row.
 */
export function readerOfWords<E extends object>(
  fields: Fields<E>,
  textsOf: (entry: E) => readonly unknown[],
): (text: string) => (entry: E) => boolean {
  const textOf = cached((entry: E) => textsOf(entry).join(' ').toLowerCase())
  const readWord = (word: string): ((entry: E) => boolean) => {
    if (word.length > 1 && word.startsWith('-')) {
      const test = readWord(word.slice(1))
      return (entry) => !test(entry)
    }
    const [, prefix = '', value = ''] = /^(\w+):(.+)$/.exec(word) ?? []
    const values = value.toLowerCase().split(',').filter(Boolean)
    const name = prefix.toLowerCase()
    const matches = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (matches !== undefined && values.length > 0) return (entry) => values.some((one) => matches(entry, one))
    const wanted = word.toLowerCase()
    return (entry) => textOf(entry).includes(wanted)
  }
  return (text) => {
    const tests = text.trim().split(/\s+/).filter(Boolean).map(readWord)
    return (entry) => tests.every((test) => test(entry))
  }
}

/** Splits a filter into the values of a prefix such as `kind`, and the other words. */
function wordsOf(filter: string, prefix: string): { values: string[]; others: string[] } {
  const words = filter.split(/\s+/).filter(Boolean)
  const isOf = (word: string): boolean => word.startsWith(`${prefix}:`)
  return {
    values: words.filter(isOf).flatMap((word) => word.slice(prefix.length + 1).split(',')),
    others: words.filter((word) => !isOf(word)),
  }
}

export const hasWord = (filter: string, prefix: string, value: string): boolean =>
  wordsOf(filter, prefix).values.includes(value)

/** Adds a word such as `kind:call` to a filter, or removes it. Values of one prefix are ORed. */
export function toggleWord(filter: string, prefix: string, value: string): string {
  const { values, others } = wordsOf(filter, prefix)
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
  return [...others, ...(left.length > 0 ? [`${prefix}:${left.join(',')}`] : [])].join(' ')
}
