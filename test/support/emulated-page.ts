import vm from 'node:vm'
import { onTestFinished, vi } from 'vitest'
import { VirtualClock } from './virtual-clock.js'

/** Steps of time in ms. Messages and answers arrive between them. */
const slice = 10

type Fetch = typeof fetch
type Message = { data: unknown }
type Parts = { parts: string[] }

/**
 * Emulates what a page's heartbeat uses: workers in contexts of their own, messages that arrive between
 * two steps of time, and a clock that tests move. Requests use real sockets. The page's globals exist until the test is finished.
 */
export class EmulatedPage {
  /** The page's timers. None of them runs while the page is `hidden`. */
  readonly #timers = new VirtualClock()
  /** The workers' timers, and the time of day. */
  readonly #clock = new VirtualClock()
  readonly #inbox: (() => void)[] = []
  readonly #fetching = new Set<Promise<unknown>>()
  readonly #listeners = new Set<[string, (event: object) => void]>()
  readonly #began = Date.now()
  readonly #fetch = fetch
  /** When the page sent beats, in ms since it was made. */
  readonly beats: number[] = []
  /** The maximum of beats in flight. */
  mostInFlight = 0
  /** The number of running workers. */
  workers = 0
  /** The page's policy forbids workers, which report that only after their construction. */
  forbidden = false
  /** The page is hidden, and its timers don't run. */
  hidden = false
  /** Options for the client in this page. */
  readonly options = { scheduler: this.#timers, now: this.#clock.now }

  constructor() {
    vi.spyOn(Date, 'now').mockImplementation(() => this.#began + this.#clock.now())
    vi.stubGlobal('document', {})
    vi.stubGlobal('Blob', function Blob(this: Parts, parts: string[]) {
      this.parts = parts
    })
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => (blob as unknown as Parts).parts.join(''))
    vi.stubGlobal('Worker', this.#workerClass())
    vi.stubGlobal('fetch', this.#countedFetch())
    vi.stubGlobal('addEventListener', (type: string, listener: () => void) => this.#listeners.add([type, listener]))
    vi.stubGlobal('removeEventListener', (type: string, listener: () => void) => {
      for (const entry of this.#listeners) if (entry[0] === type && entry[1] === listener) this.#listeners.delete(entry)
    })
    onTestFinished(() => {
      vi.unstubAllGlobals()
      vi.restoreAllMocks()
    })
  }

  /** ms since the page was made */
  get now(): number {
    return this.#clock.now()
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** The times between beats, from `since` on. */
  gaps(since = 0): number[] {
    const times = this.beats.filter((at) => at >= since)
    return times.slice(1).map((at, index) => at - times[index]!)
  }

  /** Lets time pass. Every answer comes at once, unless `hanging`. */
  async pass(ms: number, { hanging = false } = {}): Promise<void> {
    for (let left = ms; left > 0; left -= slice) {
      this.#clock.advance(slice)
      for (const deliver of this.#inbox.splice(0)) deliver()
      if (!this.hidden) this.#timers.advance(slice)
      do await new Promise((resolve) => setImmediate(resolve))
      while (!hanging && this.#fetching.size && (await Promise.allSettled(this.#fetching)))
    }
  }

  dispatch(type: string, event: object = {}): void {
    for (const [heard, listener] of this.#listeners) if (heard === type) listener({ type, ...event })
  }

  #countedFetch(): Fetch {
    let inFlight = 0
    return (url, init) => {
      const answer = this.#fetch(url, init)
      const isBeat = String(url).endsWith('/health')
      this.#fetching.add(answer)
      if (isBeat) {
        this.beats.push(this.now)
        this.mostInFlight = Math.max(this.mostInFlight, ++inFlight)
      }
      const end = (): void => {
        this.#fetching.delete(answer)
        if (isBeat) inFlight--
      }
      answer.then(end, end)
      return answer
    }
  }

  #workerClass() {
    const page = this
    return class EmulatedWorker {
      onmessage: ((message: Message) => void) | null = null
      onerror: (() => void) | null = null
      #ended = false
      readonly #context = vm.createContext({
        setInterval: (run: (argument: unknown) => void, ms: number, argument: unknown) => {
          const again = (): void => {
            page.#clock.setTimeout(() => this.#run(() => (run(argument), again())), ms)
          }
          again()
        },
        postMessage: (data: unknown) => {
          const copy = structuredClone(data)
          page.#inbox.push(() => this.#ended || this.onmessage?.({ data: copy }))
        },
      })

      constructor(program: string) {
        page.workers++
        page.#clock.setTimeout(() => {
          this.#run(() => {
            if (page.forbidden) throw new Error('Refused')
            vm.runInContext(program, this.#context)
          })
        }, 0)
      }

      terminate(): void {
        if (!this.#ended) page.workers--
        this.#ended = true
      }

      #run(run: () => void): void {
        try {
          if (!this.#ended) run()
        } catch {
          page.#inbox.push(() => this.onerror?.())
        }
      }
    }
  }
}
