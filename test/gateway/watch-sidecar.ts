/** A sidecar whose watches a test writes, and a page that reads one. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { PREFIX, startFakeSidecar } from './support.js'
import type { FakeSidecar } from './support.js'

export const WATCH = `${PREFIX}/watch/gameserver`

/** Both kinds of its watches are the test's. */
export async function startWatchSidecar(): Promise<
  FakeSidecar & { stream: Promise<ServerResponse>; socket: Promise<WebSocket> }
> {
  let onStream = (_reply: ServerResponse): void => undefined
  const stream = new Promise<ServerResponse>((resolve) => (onStream = resolve))
  const sidecar = await startFakeSidecar((message, reply) => {
    if (message.url === '/ready') reply.end('{}')
    else onStream(reply)
  })
  const sockets = new WebSocketServer({ server: sidecar.server })
  onTestFinished(() => sockets.close())
  const socket = once(sockets, 'connection').then(([opened]) => opened as WebSocket)
  return { ...sidecar, stream, socket }
}

/** A watch over HTTP, and all that it brings. */
export async function openStream(port: number, sidecar: { stream: Promise<ServerResponse> }) {
  const outgoing = httpRequest({ port, host: '127.0.0.1', path: WATCH, agent: false }).end()
  const upstream = await sidecar.stream
  upstream.write('{"result":1}\n')
  const [response] = await once(outgoing, 'response')
  response.setEncoding('utf8')
  const all = { text: '' }
  response.on('data', (text: string) => (all.text += text))
  const ended = new Promise<boolean>((resolve) => response.once('close', () => resolve(response.complete)))
  await once(response, 'data')
  return { upstream, all, ended, response }
}
