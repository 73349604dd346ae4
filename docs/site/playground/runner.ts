import { script } from 'worker-script'
import type { Mock } from '../../../src/platform/mock.js'

export type Level = 'log' | 'warn' | 'error' | 'note'

/** What the page tells the worker. `advance` comes with a port for the answer. */
export type ToWorker =
  | { readonly type: 'start'; readonly code: string; readonly baseUrl: string; readonly speed: number }
  | { readonly type: 'ping' }
  | { readonly type: 'speed'; readonly speed: number }
  | { readonly type: 'advance'; readonly ms: number }

/** What the worker tells the page. The last two come with a port for the answers; any message to it ends them. */
export type ToPage =
  /** Also sent once the worker has started. */
  | { readonly type: 'pong' }
  | { readonly type: 'line'; readonly level: Level; readonly text: string }
  | { readonly type: 'full'; readonly what: string }
  | { readonly type: 'fetch'; readonly url: string; readonly method: string; readonly body: string | undefined }
  | { readonly type: 'dial'; readonly url: string }

export type FetchAnswer =
  { readonly status: number; readonly body: string | ReadableStream } | { readonly error: string }

const socketEvents = ['open', 'message', 'error', 'close'] as const
export interface SocketAnswer {
  readonly event: (typeof socketEvents)[number]
  readonly data: string | undefined
}

/** Milliseconds between two pings, and how many of them the worker may leave unanswered: 2 s. */
const PING = 250
const MAX_UNANSWERED = 8

export interface Runner {
  setSpeed(speed: number): void
  /** Lets time pass in the code. Resolves once it has passed, or the code was stopped. */
  advance(ms: number): Promise<void>
  stop(): void
}

interface Parts {
  readonly mock: Mock
  /** Without imports. */
  readonly code: string
  readonly speed: number
  tell(level: Level, text: string): void
}

/** Runs code in a worker of its own, whose client talks to the mock. Stops a worker that answers no pings. */
export function startRunner({ mock, code, speed, tell }: Parts): Runner {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
  const worker = new Worker(url)
  const over = new AbortController()
  const send = (message: ToWorker, transfer: Transferable[] = []): void => worker.postMessage(message, transfer)
  // Pings count only once the worker has started.
  let unanswered = -Infinity

  const pings = setInterval(() => {
    if (unanswered++ < MAX_UNANSWERED) send({ type: 'ping' })
    else fail('the code gave no sign of life for 2 s. Does a loop never end, or fill the memory?')
  }, PING)

  function stop(): void {
    clearInterval(pings)
    worker.terminate()
    URL.revokeObjectURL(url)
    over.abort()
  }

  function fail(why: string): void {
    if (over.signal.aborted) return
    stop()
    tell('error', `Stopped: ${why}`)
    tell('note', 'The sidecar gets no beats any more. Run starts afresh.')
  }

  worker.onmessage = ({ data, ports: [port] }: MessageEvent<ToPage>) => {
    if (over.signal.aborted) return
    if (data.type === 'pong') unanswered = 0
    else if (data.type === 'line') tell(data.level, data.text)
    else if (data.type === 'full') fail(`${data.what}.`)
    else {
      const left = new AbortController()
      port!.onmessage = () => left.abort()
      const signal = AbortSignal.any([left.signal, over.signal])
      if (data.type === 'fetch') void answer(mock, data, port!, signal)
      else dial(mock, data.url, port!, signal)
    }
  }
  worker.onerror = (event) => {
    event.preventDefault()
    fail(event.message || 'the worker failed, perhaps for want of memory')
  }
  send({ type: 'start', code, baseUrl: mock.options.baseUrl, speed })

  return {
    setSpeed: (speed) => send({ type: 'speed', speed }),
    advance: (ms) =>
      new Promise((resolve) => {
        if (over.signal.aborted) return resolve()
        over.signal.addEventListener('abort', () => resolve())
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => resolve()
        send({ type: 'advance', ms }, [port2])
      }),
    stop,
  }
}

type Request = Extract<ToPage, { readonly type: 'fetch' }>

/** Answers a request of the code. */
async function answer(
  mock: Mock,
  { url, method, body }: Request,
  port: MessagePort,
  signal: AbortSignal,
): Promise<void> {
  const tell = (told: FetchAnswer, transfer: Transferable[] = []): void => port.postMessage(told, transfer)
  try {
    const init = { method, headers: {}, body, redirect: 'follow', cache: 'no-store', signal } as const
    const response = await mock.options.fetch(url, init)
    const { status, body: stream } = response as { readonly status: number; readonly body?: ReadableStream }
    if (stream) tell({ status, body: stream }, [stream])
    else tell({ status, body: await response.text() })
  } catch (error) {
    tell({ error: (error as Error).message })
  }
}

/** Opens a WebSocket of the code. */
function dial(mock: Mock, url: string, port: MessagePort, signal: AbortSignal): void {
  const socket = new mock.options.WebSocket(url)
  for (const event of socketEvents) {
    socket[`on${event}`] = ({ data }: { readonly data?: string }) =>
      port.postMessage({ event, data } satisfies SocketAnswer)
  }
  signal.addEventListener('abort', () => socket.close())
}
