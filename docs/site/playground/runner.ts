import { script } from 'worker-script'
import type { Mock } from '../../../src/platform/mock.js'

export type Level = 'log' | 'warn' | 'error' | 'note'

/** What the page tells the worker, over a port of its own. `advance` comes with a port for the answer. */
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
  | { readonly type: 'fetch'; readonly url: string; readonly method: string; readonly body: string | undefined }
  | { readonly type: 'dial'; readonly url: string }

export type FetchAnswer =
  { readonly status: number; readonly body: string | ReadableStream } | { readonly error: string }

const socketEvents = ['open', 'message', 'error', 'close'] as const
export interface SocketAnswer {
  readonly event: (typeof socketEvents)[number]
  readonly data: string | undefined
}

/** Messages a second, and open watches. Lines of the output stay far below, so that only a flood reaches the limit. */
const MAX_MESSAGES = 2000
const MAX_WATCHES = 100

/**
 * The frame that the worker lives in. Its sandbox gives both an origin of their own, without the site's cookies and
 * storage, and its policy allows neither a connection nor a foreign script. A worker inherits the policy.
 */
const FRAME = `<meta http-equiv="Content-Security-Policy" content="default-src 'none';
  script-src 'unsafe-inline' 'unsafe-eval'; worker-src blob:"><script>
onmessage = ({ data, ports: [forWorker, forErrors] }) => {
  const worker = new Worker(URL.createObjectURL(new Blob([data], { type: 'text/javascript' })))
  worker.onerror = (event) => { event.preventDefault(); forErrors.postMessage(event.message ?? '') }
  worker.postMessage(0, [forWorker])
}</script>`

/** Characters of a line. */
const MAX_LENGTH = 1000
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

/**
 * Runs code in a worker of its own, whose client talks to the mock. Stops a worker that answers no pings, or that
 * floods the page with messages.
 */
export function startRunner({ mock, code, speed, tell }: Parts): Runner {
  const { frame, worker, errors } = openFrame()
  const over = new AbortController()
  const send = (message: ToWorker, transfer: Transferable[] = []): void => worker.postMessage(message, transfer)
  // Pings count only once the worker has started.
  let unanswered = -Infinity
  let messages = 0

  const pings = setInterval(() => {
    messages = 0
    if (unanswered++ < MAX_UNANSWERED) send({ type: 'ping' })
    else fail('the code gave no sign of life for 2 s. Does a loop never end?')
  }, PING)

  function stop(): void {
    clearInterval(pings)
    worker.close()
    errors.close()
    // Ends the worker too.
    frame.remove()
    over.abort()
  }

  function fail(why: string): void {
    if (over.signal.aborted) return
    stop()
    tell('error', `Stopped: ${why}`)
    tell('note', 'The sidecar gets no beats any more. Run starts afresh.')
  }

  function serve(request: Request, port: MessagePort): void {
    if (mock.sidecar.snapshot().watchers.length >= MAX_WATCHES) return fail(`the code has ${MAX_WATCHES} open watches.`)
    const left = new AbortController()
    port.onmessage = () => {
      left.abort()
      port.close()
    }
    const signal = AbortSignal.any([left.signal, over.signal])
    if (request.type === 'fetch') void answer(mock, request, port, signal)
    else dial(mock, request.url, port, signal)
  }

  worker.onmessage = ({ data, ports: [port] }: MessageEvent<ToPage>) => {
    if (over.signal.aborted) return
    if (++messages > (MAX_MESSAGES * PING) / 1000) fail(`the code sends more than ${MAX_MESSAGES} messages a second.`)
    else if (data.type === 'pong') unanswered = 0
    else if (data.type === 'line') tell(data.level, data.text.slice(0, MAX_LENGTH))
    else serve(data, port!)
  }
  errors.onmessage = ({ data }) => fail(String(data || 'the worker failed, perhaps for want of memory'))
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

/** Starts the worker in a sandboxed frame. Messages wait in the ports until both are there. */
function openFrame(): { frame: HTMLIFrameElement; worker: MessagePort; errors: MessagePort } {
  const [worker, errors] = [new MessageChannel(), new MessageChannel()]
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.hidden = true
  frame.srcdoc = FRAME
  // The frame's origin is opaque, so no other target matches it.
  frame.onload = () => frame.contentWindow!.postMessage(script, '*', [worker.port2, errors.port2])
  document.body.append(frame)
  return { frame, worker: worker.port1, errors: errors.port1 }
}

type Request = Extract<ToPage, { readonly type: 'fetch' | 'dial' }>

/** Answers a request of the code. */
async function answer(
  mock: Mock,
  { url, method, body }: Extract<Request, { readonly type: 'fetch' }>,
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
