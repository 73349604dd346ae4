/** Sidecars whose side of a watch a test holds in its hand, and a page that reads one. */
import { once } from 'node:events'
import { request as httpRequest, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { keyIn, switching } from '../frames/sockets.js'
import { websocketHeaders } from '../node/support.js'
import { PREFIX, startForwarding, startRawSidecar, type FakeSidecar, type TestGateway } from './support.js'

export const WATCH = `${PREFIX}/watch/gameserver`
/** The head of a request for a watch, without its end, and of one by WebSocket. */
export const openWatch = `GET ${WATCH} HTTP/1.1\r\nHost: localhost\r\n`
export const openWebSocket = `${openWatch}${websocketHeaders.join('\r\n')}\r\n\r\n`

export interface WatchSidecar extends FakeSidecar {
  /** Resolves with the next watch over HTTP, or with another call than `ready()`. */
  watch(): Promise<ServerResponse>
  /** The first watch over WebSocket. */
  readonly socket: Promise<WebSocket>
}

/** A gateway before a sidecar whose watches the test writes. */
export async function startWatched(): Promise<TestGateway & { readonly sidecar: WatchSidecar }> {
  const waiting: ServerResponse[] = []
  let wake = (): void => undefined
  const gateway = await startForwarding((message, reply) => {
    if (message.url === '/ready') return void reply.end('{}')
    waiting.push(reply)
    wake()
  })
  const watch = async (): Promise<ServerResponse> => {
    while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return waiting.shift()!
  }
  const sockets = new WebSocketServer({ server: gateway.sidecar.server })
  onTestFinished(() => sockets.close())
  const socket = once(sockets, 'connection').then(([opened]) => opened as WebSocket)
  return Object.assign(gateway, { sidecar: { ...gateway.sidecar, watch, socket } })
}

/** A watch over HTTP, and all that it brings. */
export async function openStream({ port, sidecar }: { readonly port: number; readonly sidecar: WatchSidecar }) {
  const outgoing = httpRequest({ port, host: '127.0.0.1', path: WATCH, agent: false }).end()
  const upstream = await sidecar.watch()
  upstream.write('{"result":1}\n')
  const [response] = await once(outgoing, 'response')
  response.setEncoding('utf8')
  const all = { text: '' }
  response.on('data', (text: string) => (all.text += text))
  const ended = new Promise<boolean>((resolve) => response.once('close', () => resolve(response.complete)))
  await once(response, 'data')
  return { upstream, all, ended, response }
}

/** The head that accepts a handshake. */
export const accepting = (head: string): string => switching(keyIn(head), 'X-Own: 1\r\n')

export const closed = (socket: Socket | ServerResponse): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

/** A sidecar that accepts every handshake and then does as told. */
export const startSocketSidecar = (onOpen: (socket: Socket, head: string) => void): Promise<string> =>
  startRawSidecar((socket) => {
    socket.once('data', (head) => {
      socket.write(accepting(String(head)))
      onOpen(socket, String(head))
    })
  })
