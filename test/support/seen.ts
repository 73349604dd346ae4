/** Collects items such as lines or messages, and lets callers wait for one of them. */
export interface Seen<T> {
  readonly all: readonly T[]
  add(one: T): void
  /** Reports that no more items come. */
  end(): void
  /** Resolves with the first match, past or future, that isn't null or undefined. Rejects if the end comes first. */
  find<R>(match: (one: T) => R | null | undefined, from?: number): Promise<R>
}

export function createSeen<T>(): Seen<T> {
  const all: T[] = []
  const looks = new Set<() => void>()
  let isOver = false
  const wake = (): void => looks.forEach((look) => look())
  return {
    all,
    add(one) {
      all.push(one)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
    find: (match, from = 0) =>
      new Promise((resolve, reject) => {
        let read = from
        const look = (): void => {
          for (; read < all.length; read += 1) {
            const found = match(all[read]!)
            if (found === null || found === undefined) continue
            looks.delete(look)
            return resolve(found)
          }
          if (isOver) reject(new Error(`What was waited for is not among:\n${all.map(shown).join('\n')}`))
        }
        looks.add(look)
        look()
      }),
  }
}

const shown = (one: unknown): string => (typeof one === 'string' ? one : JSON.stringify(one))
