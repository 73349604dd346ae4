import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/node.js'
import { listenHere } from '../support/listen.js'

export interface TestGateway extends Gateway {
  readonly log: string[]
  readonly warnings: string[]
}

/** A gateway that is closed when the test ends. */
export async function startGateway(options: GatewayOptions): Promise<TestGateway> {
  const log: string[] = []
  const warnings: string[] = []
  const gateway = await createGateway({
    onLog: (line) => log.push(line),
    onWarning: (message) => warnings.push(message),
    ...options,
  })
  onTestFinished(() => gateway.close())
  return Object.assign(gateway, { log, warnings })
}

/** A request that a fake sidecar received. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface FakeSidecar {
  readonly url: string
  readonly server: Server
  readonly asked: Asked[]
}

/** A sidecar that remembers what it was asked, once it was asked it whole, and answers as told. */
export async function startFakeSidecar(
  answer: RequestListener = (_message, reply) => reply.end('{}'),
): Promise<FakeSidecar> {
  const asked: Asked[] = []
  const server = createServer((message, reply) => {
    let body = ''
    message.setEncoding('latin1')
    message.on('data', (chunk: string) => (body += chunk))
    message.on('end', () => {
      const { method = '', url = '', headers } = message
      asked.push({ method, url, headers, body })
      answer(message, reply)
    })
  })
  return { url: `http://127.0.0.1:${await listenHere(server)}`, server, asked }
}

/** A gateway before such a sidecar. */
export async function startForwarding(
  answer?: RequestListener,
  options: GatewayOptions = {},
): Promise<TestGateway & { readonly sidecar: FakeSidecar }> {
  const sidecar = await startFakeSidecar(answer)
  return Object.assign(await startGateway({ sidecar: sidecar.url, ...options }), { sidecar })
}

/** A server that does with connections what the test says. */
export async function startRawSidecar(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  return `http://127.0.0.1:${await listenHere(server)}`
}

export const PREFIX = '/_/sidecar'
