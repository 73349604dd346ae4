import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Random } from './random.js'
import type { FaultKind } from './world.js'

/** The share of the writes that a fault hits. */
const SHARE = 0.4

/** A port with faults, in front of a sidecar that comes and goes. */
export interface FaultProxy {
  readonly url: string
  /** Listens, and forwards to that port from now on. */
  lead(port: number): Promise<void>
  /** Cuts every connection and stops listening. */
  refuse(): void
  fault(kind: FaultKind | undefined, lateMs: number): void
  close(): Promise<void>
}

export async function startFaultProxy(random: Random): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  const watches = new Set<Socket>()
  let target = 0
  let epoch = 0
  let fault: FaultKind | undefined
  let late = 0

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const isHit = request.method !== 'GET' && random.chance(SHARE)
    const [kind, began] = [isHit ? fault : undefined, epoch]
    if (kind === 'requests-dropped') return void request.socket.destroy()
    if (kind === 'late') await delay(late)
    if (began !== epoch) return void request.socket.destroy()
    const { method, url, headers } = request
    const upstream = sendRequest({ host: '127.0.0.1', port: target, method, path: url, headers }, (answered) => {
      if (kind === 'answers-dropped') return void request.socket.destroy()
      setTimeout(
        () => {
          response.writeHead(answered.statusCode ?? 502, answered.headers)
          answered.pipe(response)
        },
        kind === 'late-answers' ? late : 0,
      )
    })
    upstream.on('error', () => request.socket.destroy())
    upstream.end(Buffer.concat(chunks))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (request, socket, head) => {
    const upstream = connect(target, '127.0.0.1')
    const lines = [`${request.method} ${request.url} HTTP/1.1`]
    for (let i = 0; i < request.rawHeaders.length; i += 2)
      lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`)
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
    upstream.write(head)
    upstream.pipe(socket).pipe(upstream)
    watches.add(upstream)
    const end = (): void => {
      watches.delete(upstream)
      upstream.destroy()
      socket.destroy()
    }
    for (const side of [upstream, socket]) side.on('error', end).on('close', end)
  })

  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const refuse = (): void => {
    epoch++
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async lead(to) {
      target = to
      if (!server.listening) await listen(port)
    },
    refuse,
    fault(kind, lateMs) {
      if (kind === 'watch-cut') for (const watch of watches) watch.destroy()
      if (kind === 'deaf') for (const watch of watches) watch.pause()
      else if (fault === 'deaf') for (const watch of watches) watch.resume()
      fault = kind
      late = lateMs
    },
    close: () =>
      new Promise((resolve) => {
        if (server.listening) server.close(() => resolve())
        else resolve()
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
