import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { converse, openSocket, websocketHeaders } from '../node/support.js'
import { ask, askAll } from '../support/wire.js'
import { accepting, closed, openWatch, openWebSocket, startSocketSidecar, startWatched, WATCH } from './watches.js'
import { PREFIX, startForwarding, startGateway, startRawSidecar } from './support.js'

const HOST = ['Host: localhost']

/** A frame as a server sends it. */
function frameOf(first: number, payload: Buffer): Buffer {
  const head =
    payload.length < 126
      ? [payload.length]
      : [127, 0, 0, 0, 0, 0, payload.length >> 16, payload.length >> 8, payload.length]
  return Buffer.concat([Buffer.from([first < 16 ? 0x80 | first : first, ...head]), payload])
}

test('a call goes on for a moment after its client has left, since a closing page does not wait', async () => {
  const { port, sidecar } = await startWatched()
  const socket = await openSocket(port)
  socket.write(`POST ${PREFIX}/shutdown HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`)
  const upstream = await sidecar.watch()
  const finished = once(upstream, 'finish')
  socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(upstream.socket!.destroyed).toBe(false)
  upstream.end('{}')
  await finished
})

describe('a watch over WebSocket', () => {
  test('forwards only the headers that the handshake needs', async () => {
    let asked = ''
    const sidecar = await startSocketSidecar((socket, head) => {
      asked = head
      socket.end()
    })
    const { port } = await startGateway({ sidecar })
    const [answer] = await askAll(
      port,
      `${openWatch}Origin: http://localhost\r\nCookie: a=b\r\nSec-WebSocket-Protocol: json\r\n` +
        `Sec-WebSocket-Extensions: permessage-deflate\r\nX-Own: 1\r\n${websocketHeaders.join('\r\n')}\r\n\r\n`,
    )
    expect(asked).toMatch(/^GET \/watch\/gameserver HTTP\/1\.1\r\n/)
    expect(asked).not.toMatch(/^(origin|cookie|x-own|sec-websocket-(protocol|extensions)):/im)
    expect(answer!.status).toBe(101)
    expect(Object.keys(answer!.headers).join()).not.toMatch(/x-own|sec-websocket-(protocol|extensions)/)
  })

  test('passes on messages unchanged, also those right behind the head, and answers pings itself', async () => {
    const sent = [Buffer.from('{"a":"ü"}'), Buffer.alloc(70_000, 'b'), Buffer.from('')]
    const sidecar = await startRawSidecar((socket) => {
      socket.once('data', (head) => {
        const frames = [frameOf(0x81, sent[0]!), frameOf(0x82, sent[1]!), frameOf(0x81, sent[2]!)]
        socket.write(Buffer.concat([Buffer.from(accepting(String(head))), ...frames]))
      })
    })
    const { url } = await startGateway({ sidecar })
    const { socket } = converse(`${url}${WATCH}`)
    const got: [string, boolean][] = []
    socket.on('message', (data: Buffer, binary) => got.push([data.toString(), binary]))
    await expect.poll(() => got).toEqual(sent.map((bytes, i) => [bytes.toString(), i === 1]))
    socket.ping('x')
    expect(String((await once(socket, 'pong'))[0])).toBe('x')
  })

  test.each([
    ['closes', (socket: Socket): void => void socket.end()],
    ['resets', (socket: Socket): void => void socket.resetAndDestroy()],
  ])('that the sidecar %s ends without a close frame', async (_name, end) => {
    const sidecar = await startSocketSidecar((socket) => {
      socket.write(Buffer.from([0x81, 2, 0x68, 0x69]), () => setTimeout(end, 20, socket))
    })
    const { url, port } = await startGateway({ sidecar })
    const { ended, frame } = converse(`${url}${WATCH}`)
    expect(await frame(0)).toBe('hi')
    expect(await ended).toBe(1006)
    expect((await askAll(port, openWebSocket))[0]!.rest).toBe('\x81\x02hi')
  })

  test('whose client leaves before the handshake is done is ended at the sidecar', async () => {
    let arrived = (_socket: Socket): void => undefined
    const connected = new Promise<Socket>((resolve) => (arrived = resolve))
    const sidecar = await startRawSidecar((socket) => socket.once('data', () => arrived(socket)))
    const { port, log } = await startGateway({ sidecar })
    const socket = await openSocket(port)
    socket.write(openWebSocket)
    const upstream = await connected
    socket.destroy()
    await closed(upstream)
    expect(log).toEqual([])
  })

  test('that the sidecar refuses is refused with the reason', async () => {
    const { port } = await startForwarding((_message, reply) => void reply.writeHead(404).end('{"code":5}'))
    const [answer] = await askAll(port, openWebSocket)
    expect(answer!.status).toBe(502)
    expect(answer!.body).toContain('Unexpected server response: 404')
  })

  test.each([
    ['another path', `GET ${PREFIX}/gameserver`, 403],
    ['a write', `GET ${PREFIX}/ready?method=POST`, 501],
    ['a query', `GET ${WATCH}?method=GET`, 400],
    ['another method', `POST ${WATCH}`, 501],
    ['no path of the sidecar', `GET ${PREFIX}/nope`, 404],
    ['no path of the gateway', 'GET /index.html', 404],
  ])('to %s is refused with a message', async (_name, line, status) => {
    const { port, log, sidecar } = await startForwarding()
    const answer = await ask(port, line, [...HOST, ...websocketHeaders])
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ message: expect.any(String), details: [] })
    expect(sidecar.asked).toEqual([])
    expect(log).toHaveLength(1)
  })
})
