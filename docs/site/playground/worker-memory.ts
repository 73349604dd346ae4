/** Bytes that arrays may take, by a rough count: a page of a browser ends at some 4 GB. */
const MAX_BYTES = 1024 ** 3
/** An array below this length is not counted. */
const COUNTED = 1 << 12
/** What an item of an array may hold on to. */
const BYTES_AN_ITEM = 64
/** The share of some seconds in which code may keep its worker busy. */
const MAX_BUSY = 0.9
const WINDOW = 5000

type Constructor = new (...given: unknown[]) => object

/**
 * Tells of code that fills the memory, which the browser would end together with the page. No browser says how much a
 * worker takes, so large arrays and buffers are counted as they are made, grow and go, and code that fills the memory by
 * other means is found by being busy all the time.
 */
export function guardMemory(tell: (what: string) => void): void {
  let bytes = 0
  const gone = new FinalizationRegistry<number>((size) => void (bytes -= size))

  function count(owner: object, size: number): void {
    bytes += size
    gone.register(owner, size)
    if (bytes <= MAX_BYTES) return
    tell('the code fills the memory: its arrays take more than 1 GB')
    throw new RangeError('The memory is full')
  }

  const grown = (array: unknown[], before: number): void => {
    // Told whenever the length has passed a power of two.
    if (array.length >= COUNTED && Math.clz32(array.length) !== Math.clz32(before)) {
      count(array, (array.length * BYTES_AN_ITEM) / 2)
    }
  }
  const { push, fill } = Array.prototype
  Object.assign(Array.prototype, {
    push(this: unknown[], ...items: unknown[]) {
      const before = this.length
      const length = push.apply(this, items)
      grown(this, before)
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
    if (spent.busy > MAX_BUSY * WINDOW) tell('the code kept its worker busy for 5 s')
    spent.busy = 0
  }, WINDOW)
}

const spent = { busy: 0, since: undefined as number | undefined }
const turn = new MessageChannel()
turn.port1.onmessage = () => {
  spent.busy += performance.now() - spent.since!
  spent.since = undefined
}

/** Called where a turn of the code begins: the time until the worker gets to its next message is its own. */
export function beginTurn(): void {
  if (spent.since !== undefined) return
  spent.since = performance.now()
  turn.port2.postMessage(0)
}
