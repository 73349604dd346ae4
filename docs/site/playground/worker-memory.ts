/** Bytes that arrays may take, by a rough count. A browser ends a page that takes some 4 GB. */
const MAX_BYTES = 1024 ** 3
/** Shorter arrays are not counted. */
const COUNTED = 1 << 12
/** What an item of an array may hold on to. */
const BYTES_PER_ITEM = 64
/** The share of a window of time for which code may keep its worker busy. */
const MAX_BUSY = 0.9
const WINDOW = 5000

type Constructor = new (...given: unknown[]) => object

/**
 * Reports code that fills the memory, before the browser ends the worker and the page together. No browser says how
 * much memory a worker takes. So the guard counts large arrays and buffers when they are created, grow and are
 * collected, and reports code that keeps its worker busy all the time, which finds other ways to fill the memory.
 */
export function guardMemory(report: (what: string) => void): void {
  let bytes = 0
  const collected = new FinalizationRegistry<number>((size) => void (bytes -= size))

  function count(owner: object, size: number): void {
    bytes += size
    collected.register(owner, size)
    if (bytes <= MAX_BYTES) return
    report('the code fills the memory: its arrays take more than 1 GB')
    throw new RangeError('The memory is full')
  }

  const { push, fill } = Array.prototype
  Object.assign(Array.prototype, {
    push(this: unknown[], ...items: unknown[]) {
      const before = this.length
      const length = push.apply(this, items)
      // Counted whenever the length passes a power of two.
      if (length >= COUNTED && Math.clz32(length) !== Math.clz32(before)) count(this, (length * BYTES_PER_ITEM) / 2)
      return length
    },
    fill(this: unknown[], ...given: [unknown]) {
      if (this.length >= COUNTED) count(this, this.length * 8)
      return fill.apply(this, given) as unknown[]
    },
  })
  const named = self as unknown as Record<string, Constructor>
  for (const name of ['ArrayBuffer', 'Uint8Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array']) {
    named[name] = new Proxy(named[name]!, {
      construct(target, given, newTarget) {
        const made = Reflect.construct(target, given, newTarget as Constructor) as { readonly byteLength: number }
        if (made.byteLength >= COUNTED && !(given[0] instanceof ArrayBuffer)) count(made, made.byteLength)
        return made
      },
    })
  }
  setInterval(() => {
    if (spent.busy > MAX_BUSY * WINDOW) report('the code kept its worker busy for 5 s')
    spent.busy = 0
  }, WINDOW)
}

const spent = { busy: 0, since: undefined as number | undefined }
const turn = new MessageChannel()
turn.port1.onmessage = () => {
  spent.busy += performance.now() - spent.since!
  spent.since = undefined
}

/** Call it when a turn of the code begins. The code counts as busy until the worker gets to its next message. */
export function beginTurn(): void {
  if (spent.since !== undefined) return
  spent.since = performance.now()
  turn.port2.postMessage(0)
}
