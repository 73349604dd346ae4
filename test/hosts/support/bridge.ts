import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'

type Message =
  | { type: 'request'; id: number; method: string; url: string; headers: Record<string, string>; body?: string }
  | { type: 'socket'; id: number; url: string }
  | { type: 'connect'; id: number; host: string; port: number }
  | { type: 'write'; id: number; bytes: number[] }
  | { type: 'cancel'; id: number }

export interface Bridge {
  /** What the guest asks for. */
  post(text: string): void
  close(): void
}

/** The outer end of guest/transports.mjs: real requests and real sockets for a guest that has none. */
export function createBridge(deliver: (text: string) => void): Bridge {
  const cancels = new Map<number, () => void>()
  const tell = (id: number, message: object): void => {
    if (cancels.has(id)) deliver(JSON.stringify({ id, ...message }))
  }

  async function request(message: Message & { type: 'request' }): Promise<void> {
    const { id, url, method, headers, body } = message
    const controller = new AbortController()
    cancels.set(id, () => controller.abort())
    try {
      const response = await fetch(url, {
        method,
        headers,
        signal: controller.signal,
        ...(body !== undefined && { body }),
      })
      tell(id, { type: 'head', status: response.status, headers: Object.fromEntries(response.headers) })
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) {
        const bytes = chunk as Uint8Array
        // In halves, so that characters and lines are cut.
        for (const half of [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)]) {
          tell(id, { type: 'chunk', bytes: [...half], text: decoder.decode(half, { stream: true }) })
        }
      }
      tell(id, { type: 'end' })
    } catch (error) {
      tell(id, { type: 'error', message: String(error) })
    }
    cancels.delete(id)
  }

  function socket({ id, url }: { id: number; url: string }): void {
    const ws = new WebSocket(url)
    cancels.set(id, () => ws.terminate())
    ws.on('open', () => tell(id, { type: 'open' }))
    ws.on('message', (data: Buffer) => tell(id, { type: 'message', data: data.toString() }))
    ws.on('error', () => {})
    ws.on('close', (code) => {
      tell(id, { type: 'close', code })
      cancels.delete(id)
    })
  }

  const connections = new Map<number, Socket>()
  function open({ id, host, port }: { id: number; host: string; port: number }): void {
    const socket = connect(port, host)
    connections.set(id, socket)
    cancels.set(id, () => socket.destroy())
    let failure: string | undefined
    socket.on('data', (bytes) => tell(id, { type: 'bytes', bytes: [...bytes] }))
    socket.on('error', (error) => (failure = String(error)))
    socket.on('close', () => {
      tell(id, { type: 'close', message: failure })
      cancels.delete(id)
      connections.delete(id)
    })
  }

  const cancel = (id: number): void => {
    const stop = cancels.get(id)
    cancels.delete(id)
    stop?.()
  }

  return {
    post(text) {
      const message = JSON.parse(text) as Message
      if (message.type === 'request') void request(message)
      else if (message.type === 'socket') socket(message)
      else if (message.type === 'connect') open(message)
      else if (message.type === 'write') connections.get(message.id)?.write(Buffer.from(message.bytes))
      else cancel(message.id)
    },
    close: () => [...cancels.keys()].forEach(cancel),
  }
}
