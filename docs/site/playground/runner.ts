import { script } from 'worker-script'
import type { Mock } from '../../../src/mock/index.js'
import type { Level, SocketEvent, ToPage, ToWorker } from './messages.js'

/** Milliseconds between two looks at the worker, and how many of them it may leave unanswered: 2 s. */
const LOOK = 250
const MAX_UNANSWERED = 8

export interface Runner {
  setSpeed(speed: number): void
  /** Lets time pass in the code. Resolves once it has passed, or the code has ended. */
  advance(ms: number): Promise<void>
  stop(): void
}

interface Parts {
  readonly mock: Mock
  /** Without imports. */
  readonly code: string
  readonly speed: number
  tell(level: Level, text: string): void
  onStop(): void
}

/** Runs code in a worker of its own, whose client is connected with the mock. Stops it when it gives no sign of life. */
export function startRunner({ mock, code, speed, tell, onStop }: Parts): Runner {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
  const worker = new Worker(url)
  const send = (message: ToWorker, transfer: Transferable[] = []): void => worker.postMessage(message, transfer)
  const network = bridge(mock, send)
  const state = { isUp: false, isStopped: false, unanswered: 0, advanced: [] as (() => void)[] }

  const look = setInterval(() => {
    if (!state.isUp) return
    if (state.unanswered++ < MAX_UNANSWERED) send({ type: 'ping' })
    else end('Stopped: the code gave no sign of life for 2 s. Does a loop never end, or fill the memory?')
  }, LOOK)

  function end(why?: string): void {
    if (state.isStopped) return
    state.isStopped = true
    clearInterval(look)
    worker.terminate()
    URL.revokeObjectURL(url)
    network.close()
    for (const resolve of state.advanced) resolve()
    if (why !== undefined) tell('error', why)
    onStop()
  }

  worker.onmessage = ({ data }: MessageEvent<ToPage>) => {
    if (state.isStopped) return
    if (data.type === 'up') {
      state.isUp = true
      send({ type: 'start', code, baseUrl: mock.options.baseUrl, speed })
    } else if (data.type === 'pong') state.unanswered = 0
    else if (data.type === 'line') tell(data.level, data.text)
    else if (data.type === 'full') end(`Stopped: ${data.what}.`)
    else if (data.type === 'advanced') state.advanced.shift()?.()
    else network.take(data)
  }
  worker.onerror = (event) => {
    event.preventDefault()
    end(`Stopped: ${event.message || 'the worker failed, perhaps for want of memory'}`)
  }

  return {
    setSpeed: (speed) => send({ type: 'speed', speed }),
    advance: (ms) =>
      new Promise((resolve) => {
        if (state.isStopped) return resolve()
        state.advanced.push(resolve)
        send({ type: 'advance', ms })
      }),
    stop: () => end(),
  }
}

type NetworkMessage = Extract<ToPage, { readonly id: number }>

/** The code's requests and WebSockets, which end in the mock. */
function bridge(mock: Mock, send: (message: ToWorker, transfer?: Transferable[]) => void) {
  const requests = new Map<number, AbortController>()
  const sockets = new Map<number, InstanceType<typeof mock.options.WebSocket>>()

  async function request({ id, url, method, body }: Extract<ToPage, { readonly type: 'fetch' }>): Promise<void> {
    const control = new AbortController()
    requests.set(id, control)
    const init = { method, headers: {}, body, redirect: 'follow', cache: 'no-store', signal: control.signal } as const
    try {
      const answer = await mock.options.fetch(url, init)
      const { status, body: stream } = answer as { status: number; body?: ReadableStream }
      if (stream) send({ type: 'answer-stream', id, status, body: stream }, [stream])
      else send({ type: 'answer', id, status, text: await answer.text() })
    } catch (error) {
      send({ type: 'refused', id, message: (error as Error).message })
    } finally {
      requests.delete(id)
    }
  }

  function dial(id: number, url: string): void {
    const tell = (event: SocketEvent, data?: string): void =>
      send({ type: 'socket', id, event, ...(data === undefined ? {} : { data }) })
    const socket = new mock.options.WebSocket(url)
    sockets.set(id, socket)
    socket.onopen = () => tell('open')
    socket.onmessage = ({ data }: { data: string }) => tell('message', data)
    socket.onerror = () => tell('error')
    socket.onclose = () => {
      sockets.delete(id)
      tell('close')
    }
  }

  return {
    take(message: NetworkMessage): void {
      if (message.type === 'fetch') void request(message)
      else if (message.type === 'abort') requests.get(message.id)?.abort()
      else if (message.type === 'dial') dial(message.id, message.url)
      else sockets.get(message.id)?.close()
    },
    close(): void {
      for (const control of requests.values()) control.abort()
      for (const socket of sockets.values()) {
        socket.onclose = null
        socket.close()
      }
    },
  }
}
