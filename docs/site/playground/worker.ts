/** Runs the visitor's code: in a worker, with a client whose sidecar is the mock in the page. */
import { createMockClock } from '../../../src/mock/clock.js'
import * as client from '../../../src/index.core.js'
import * as players from '../../../src/players/index.js'
import { createConsole, tellError } from './worker-console.js'
import { beginTurn, guardMemory } from './worker-memory.js'
import type { ToPage, ToWorker } from './messages.js'

type Id = number

const post = (message: ToPage): void => postMessage(message)
const clock = createMockClock({ time: 'real', isBusy: () => false })

const pending = new Map<Id, (message: ToWorker) => void>()
let lastId = 0

type FetchInit = Parameters<NonNullable<client.ClientOptions['fetch']>>[1]

/** `fetch` into the mock. */
function fetchMock(url: string, { method, body, signal }: FetchInit): Promise<client.FetchResponse> {
  return new Promise((resolve, reject) => {
    const id = ++lastId
    const abort = (): void => {
      pending.delete(id)
      post({ type: 'abort', id })
      reject(Object.assign(new Error('This request was aborted'), { name: 'AbortError' }))
    }
    pending.set(id, (message) => {
      pending.delete(id)
      signal?.removeEventListener('abort', abort)
      if (message.type === 'refused') reject(new TypeError(message.message))
      else if (message.type === 'answer-stream') resolve(new Response(message.body, { status: message.status }))
      else if (message.type === 'answer') resolve(new Response(message.text, { status: message.status }))
    })
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    post({ type: 'fetch', id, url, method, ...(body === undefined ? {} : { body }) })
  })
}

type Handler = ((event: never) => void) | null

/** A WebSocket into the mock. */
class MockSocket {
  onopen: Handler = null
  onmessage: Handler = null
  onerror: Handler = null
  onclose: Handler = null
  private readonly id = ++lastId

  constructor(url: string) {
    pending.set(this.id, (message) => {
      if (message.type !== 'socket') return
      if (message.event === 'close') pending.delete(this.id)
      this[`on${message.event}`]?.({ data: message.data, code: 1006, reason: '', wasClean: false } as never)
    })
    post({ type: 'dial', id: this.id, url })
  }

  close(): void {
    post({ type: 'hang-up', id: this.id })
  }
}

/** The timers of the code, in the time of the mock. */
function createTimers() {
  const timers = new Map<Id, () => void>()
  const start = (run: unknown, ms: unknown, given: unknown[], repeats: boolean): Id => {
    const id = ++lastId
    const set = (): void =>
      void timers.set(
        id,
        clock.setTimer(Number(ms) || 0, () => {
          beginTurn()
          if (repeats) set()
          else timers.delete(id)
          try {
            if (typeof run === 'function') (run as (...given: unknown[]) => void)(...given)
          } catch (error) {
            tellError(error)
          }
        }),
      )
    set()
    return id
  }
  const clear = (id: Id): void => {
    timers.get(id)?.()
    timers.delete(id)
  }
  return {
    setTimeout: (run: unknown, ms?: unknown, ...given: unknown[]) => start(run, ms, given, false),
    // The clock would go through a repeated timer of no time at once.
    setInterval: (run: unknown, ms?: unknown, ...given: unknown[]) =>
      start(run, Math.max(1, Number(ms) || 0), given, true),
    clearTimeout: clear,
    clearInterval: clear,
  }
}

function start(code: string, baseUrl: string): void {
  const options = {
    baseUrl,
    fetch: fetchMock,
    WebSocket: MockSocket,
    now: clock.now,
    scheduler: {
      setTimeout: (run: () => void, ms: number) => clock.setTimer(ms, run),
      clearTimeout: (cancel: () => void) => cancel(),
    },
  }
  const modules: Record<string, object> = {
    'gameserver-sidecar': {
      ...client,
      createClient: (given: object = {}) => client.createClient({ ...options, ...given } as client.ClientOptions),
    },
    'gameserver-sidecar/players': players,
  }
  const given = {
    ...createTimers(),
    console: createConsole(),
    $import(name: string): object {
      const found = modules[name]
      if (found === undefined)
        throw new Error(`There is no "${name}" here; import from ${Object.keys(modules).join(' or ')}`)
      return found
    },
  }
  Object.assign(self, { $given: given })
  // The browser tells the line of a syntax error only where it reports it itself.
  self.setTimeout(
    `self.$run = async ({ ${Object.keys(given).join(', ')} }) => {${code}\n}\n//# sourceURL=code.js` as never,
  )
  self.setTimeout(() => {
    const { $run: run } = self as { $run?: (given: object) => Promise<void> }
    run?.(given).catch(tellError)
  })
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  beginTurn()
  if (data.type === 'ping') post({ type: 'pong' })
  else if (data.type === 'start') {
    guardMemory((what) => post({ type: 'full', what }))
    clock.setSpeed(data.speed)
    start(data.code, data.baseUrl)
  } else if (data.type === 'speed') clock.setSpeed(data.speed)
  else if (data.type === 'advance') void clock.advance(data.ms).then(() => post({ type: 'advanced' }))
  else pending.get(data.id)?.(data)
}
self.addEventListener('error', (event) => {
  event.preventDefault()
  tellError(event.error ?? event.message, event.lineno)
})
self.addEventListener('unhandledrejection', (event) => {
  event.preventDefault()
  tellError(event.reason)
})
post({ type: 'up' })
