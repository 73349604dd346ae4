import { onTestFinished, vi } from 'vitest'
import { createClient, type ClientOptions, type SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/game-server.js'
import { VirtualClock } from '../support/virtual-clock.js'

/** How a request of the host ends: with this answer, or with nobody there, or never. */
type Ending = { status: number; body?: string; retryAfter?: string } | 'refused' | 'never'

export const good: Ending = { status: 200, body: JSON.stringify(gameServer(1)) }

export interface Searching {
  client: SidecarClient
  /** The ms at which requests were made. */
  asked: number[]
  /** The paths that were asked for. */
  paths: string[]
  /** What each request from now on comes to. */
  answer: (ending: Ending | ((path: string) => Ending)) => void
  pass(ms: number): Promise<void>
  warn: ReturnType<typeof vi.fn>
  clock: VirtualClock
  signals: { aborted: boolean }[]
}

/** A client by a clock that stands still, of a network that takes no time: dials that fail are seen by no server. */
export function searching(options: ClientOptions = {}): Searching {
  const clock = new VirtualClock()
  const asked: number[] = []
  const paths: string[] = []
  const signals: { aborted: boolean }[] = []
  const warn = vi.fn()
  let ending: Ending | ((path: string) => Ending) = 'refused'
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    now: clock.now,
    scheduler: clock,
    random: () => 1,
    retry: { initialDelay: 1000, factor: 2, maxDelay: 4000, timeout: 1e6 },
    logger: { warn },
    fetch: async (url, { signal }) => {
      paths.push(new URL(url).pathname)
      asked.push(clock.now())
      signals.push(signal as never)
      const now = typeof ending === 'function' ? ending(new URL(url).pathname) : ending
      if (now === 'never') return new Promise(() => {})
      if (now === 'refused') throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
      const headers = { get: (name: string) => (name === 'Retry-After' ? (now.retryAfter ?? null) : null) }
      return { status: now.status, headers, text: async () => now.body ?? '' }
    },
    ...options,
  })
  onTestFinished(() => client.close())
  return {
    client,
    asked,
    paths,
    answer: (next) => void (ending = next),
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 50) {
        await new Promise(setImmediate)
        clock.advance(50)
      }
      await new Promise(setImmediate)
    },
    warn,
    clock,
    signals,
  }
}

export const ignore = (call: Promise<unknown>): void => void call.catch(() => {})
