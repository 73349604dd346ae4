/** Runs the visitor's code in a worker, with a client whose sidecar is the mock in the page. */
import { MockClock } from '../../../src/platform/mock/clock.js'
import * as client from '../../../src/index.core.js'
import * as players from '../../../src/players/index.js'
import type { FetchAnswer, SocketAnswer, ToPage } from './runner.js'
import { createConsole, onPage, tellError, toPage } from './worker-page.js'

const clock = new MockClock('real')

/** Sends the page a message with a port, and hands on what comes back over it. */
function ask(message: ToPage, onAnswer: (answer: never) => void): MessagePort {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<unknown>) => onAnswer(data as never)
  toPage(message, [port2])
  return port1
}

/** `fetch` into the mock. */
function fetchMock(url: string, { method, body, signal }: client.FetchInit): Promise<client.FetchResponse> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new DOMException('This request was aborted', 'AbortError'))
    if (signal?.aborted) return fail()
    const port = ask({ type: 'fetch', url, method, body }, (answer: FetchAnswer) => {
      signal?.removeEventListener('abort', abort)
      if ('error' in answer) reject(new TypeError(answer.error))
      else resolve(new Response(answer.body, { status: answer.status }))
    })
    const abort = (): void => {
      port.postMessage('abort')
      fail()
    }
    signal?.addEventListener('abort', abort)
  })
}

type Handler = ((event: never) => void) | null

/** A WebSocket into the mock. */
class MockSocket {
  onopen: Handler = null
  onmessage: Handler = null
  onerror: Handler = null
  onclose: Handler = null
  private readonly port: MessagePort

  constructor(url: string) {
    this.port = ask({ type: 'dial', url }, ({ event, data }: SocketAnswer) =>
      this[`on${event}`]?.({ data, code: 1006, reason: '', wasClean: false } as never),
    )
  }

  close(): void {
    this.port.postMessage('close')
  }
}

/** The code's timers, which follow the clock of the mock. */
function createTimers() {
  const cancels = new Map<number, () => void>()
  let lastId = 0
  const start = (run: unknown, ms: number, given: unknown[], repeats: boolean): number => {
    const id = ++lastId
    const set = (): void =>
      void cancels.set(
        id,
        clock.setTimer(ms, () => {
          if (repeats) set()
          else cancels.delete(id)
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
  const clear = (id: number): void => {
    cancels.get(id)?.()
    cancels.delete(id)
  }
  return {
    setTimeout: (run: unknown, ms?: unknown, ...given: unknown[]) => start(run, Number(ms) || 0, given, false),
    // The clock fires all timers that are due at once: an interval of 0 ms would always be due.
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
      if (found) return found
      throw new Error(`There is no "${name}" here; import from ${Object.keys(modules).join(' or ')}`)
    },
  }
  // A browser tells the line of a syntax error only for code that it parses itself, such as the text of a timer.
  self.setTimeout(
    `self.$run = async ({ ${Object.keys(given).join(', ')} }) => {${code}\n}\n//# sourceURL=code.js` as never,
  )
  self.setTimeout(() => {
    const { $run: run } = self as { $run?: (given: object) => Promise<void> }
    run?.(given).catch(tellError)
  })
}

onPage(({ data, ports: [port] }) => {
  if (data.type === 'ping') toPage({ type: 'pong' })
  else if (data.type === 'speed') clock.setSpeed(data.speed)
  else if (data.type === 'advance') void clock.advance(data.ms).then(() => port!.postMessage('advanced'))
  else {
    clock.setSpeed(data.speed)
    start(data.code, data.baseUrl)
  }
})
self.addEventListener('error', (event) => {
  event.preventDefault()
  tellError(event.error ?? event.message, event.lineno)
})
self.addEventListener('unhandledrejection', (event) => {
  event.preventDefault()
  tellError(event.reason)
})
