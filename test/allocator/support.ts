import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { createAllocatorIn } from '../../src/deploy/allocator/create-allocator.js'
import type { Allocator, AllocatorOptions } from '../../src/deploy/allocator.js'
import { AllocationError } from '../../src/deploy/allocator.js'
import { listenHere } from '../support/listen.js'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export type Respond = (response: ServerResponse, request: Received) => void

export interface StandIn {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  readonly connections: () => number
  readonly server: Server
}

/** Answers requests, the last answer again and again, in place of the platform. */
export async function standIn(answers: readonly Respond[], tls?: ServerOptions): Promise<StandIn> {
  const received: Received[] = []
  let connections = 0
  const listener: RequestListener = (request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const one = { method, path, headers, body: JSON.parse(text) as unknown }
      received.push(one)
      answers[Math.min(received.length, answers.length) - 1]!(response, one)
    })
  }
  const server = tls ? createSecureServer(tls, listener) : createServer(listener)
  server.on(tls ? 'secureConnection' : 'connection', () => connections++)
  const port = await listenHere(server)
  return {
    url: `${tls ? 'https' : 'http'}://localhost:${port}`,
    port,
    received,
    connections: () => connections,
    server,
  }
}

/** Answers with JSON. */
export const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const status = {
  gameServerName: 'fleet-1',
  address: '10.0.0.1',
  ports: [
    { name: 'players', port: 7001 },
    { name: 'voice', port: 7002 },
  ],
  source: 'local',
}

/** The Kubernetes API's answers (`pkg/gameserverallocations/controller.go`). */
export const api = {
  allocated: json(201, {
    kind: 'GameServerAllocation',
    status: {
      state: 'Allocated',
      ...status,
      counters: { rooms: { count: 1, capacity: 10 } },
      lists: { players: { capacity: 8, values: ['ann'] } },
    },
  }),
  none: json(201, { status: { state: 'UnAllocated', gameServerName: '', source: '' } }),
  contention: json(201, { status: { state: 'Contention', gameServerName: '', source: '' } }),
}

/** The allocator service's answers, as the platform's own binary (1.61 dev) gave them. */
export const service = {
  allocated: json(200, {
    ...status,
    addresses: [
      { type: 'ExternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: '10.128.0.7' },
    ],
    nodeName: 'node-1',
    metadata: { labels: {}, annotations: {} },
    counters: { rooms: { count: '1', capacity: '10' } },
    lists: { players: { values: ['ann'], capacity: '8' } },
  }),
  none: (code = 429): Respond =>
    json(code, { code: 8, message: 'there is no available GameServer to allocate', details: [] }),
}

/** An allocator that closes with the test, in an environment of its own. */
export function allocatorOf(
  options: AllocatorOptions,
  env: Readonly<Record<string, string>> = {},
  account = '/nowhere',
): Allocator {
  const allocator = createAllocatorIn({ env, account }, options)
  onTestFinished(() => allocator.close())
  return allocator
}

/** The error that a call ends with. */
export async function errorOf(call: Promise<unknown>): Promise<AllocationError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof AllocationError)) throw new Error(`It ended with ${String(error)}`)
  return error
}
