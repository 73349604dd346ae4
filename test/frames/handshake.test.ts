import { describe, expect, test } from 'vitest'
import { createWebSocketClass } from '../../src/frames/index.js'
import { close, latin, text } from './bytes.js'
import { nodeConnect } from '../../src/node/node-connect.js'
import { switching } from './servers.js'
import { allEvents, fake, next, serve, tick } from './sockets.js'

const WebSocket = createWebSocketClass(nodeConnect)

describe('the request', () => {
  test.each([
    ['ws://example.test', '/', 'example.test', 'example.test 80 false'],
    ['wss://example.test', '/', 'example.test', 'example.test 443 true'],
    ['ws://127.0.0.1:9358/watch/gameserver', '/watch/gameserver', '127.0.0.1:9358', '127.0.0.1 9358 false'],
    ['ws://[fe80::1]:1234?a=b', '/?a=b', '[fe80::1]:1234', 'fe80::1 1234 false'],
    ['WS://example.test/a/b?c=%20', '/a/b?c=%20', 'example.test', 'example.test 80 false'],
  ])('for %s asks for %s of %s', async (url, path, authority, target) => {
    const { stream, written, closes } = fake()
    let dialled = ''
    const socket = new (createWebSocketClass(({ host, port, secure }) => {
      dialled = `${host} ${port} ${secure}`
      return stream
    }))(url)
    await tick()
    expect(dialled).toBe(target)
    const [request] = written
    expect(request).toMatch(/^GET \S+ HTTP\/1\.1\r\n(\S+: .+\r\n)+\r\n$/)
    expect(request!.split('\r\n')).toEqual(
      expect.arrayContaining([
        `GET ${path} HTTP/1.1`,
        `Host: ${authority}`,
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
      ]),
    )
    expect(request).toMatch(/\r\nSec-WebSocket-Key: [\w+/]{21}[AQgw]==\r\n/)
    expect(request).not.toMatch(/extensions|protocol/i)
    socket.close()
    await next(socket, 'close')
    expect(closes()).toBe(1)
  })

  test.each([
    'example.test',
    'http://example.test',
    'ws://',
    'ws://a b',
    'ws://user@host/',
    'ws://host:port',
    'ws://host/#part',
    'ws://host/a\r\nX: y',
    'ws://host/é',
    'ws://host!/',
  ])('can not be made of %j: SyntaxError', (url) => {
    expect(() => new WebSocket(url)).toThrow(SyntaxError)
  })

  test.each(['a b', '', 'a\r\nX: y', 'é'])('can not ask for the subprotocol %j: SyntaxError', (protocol) => {
    expect(() => new WebSocket('ws://host', ['fine', protocol, 'fine too'])).toThrow(SyntaxError)
  })
})

describe('a handshake is refused', () => {
  const right = (key: string): string => switching(key)
  test.each<[string, (key: string) => string]>([
    ['with another status', (key) => right(key).replace('101 Switching Protocols', '200 OK')],
    ['with a redirect', () => 'HTTP/1.1 302 Found\r\nLocation: ws://other\r\n\r\n'],
    ['of something else than HTTP', () => 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['without Upgrade', (key) => right(key).replace('Upgrade: websocket\r\n', '')],
    ['with another Upgrade', (key) => right(key).replace('Upgrade: websocket', 'Upgrade: h2c')],
    ['without Connection', (key) => right(key).replace('Connection: Upgrade\r\n', '')],
    ['with another Connection', (key) => right(key).replace('Connection: Upgrade', 'Connection: close')],
    ['without Accept', (key) => right(key).replace(/Sec-WebSocket-Accept: .*\r\n/, '')],
    ['with the Accept of another key', () => right('AAAAAAAAAAAAAAAAAAAAAA==')],
    [
      'with an extension, as none was offered',
      (key) => switching(key, 'Sec-WebSocket-Extensions: permessage-deflate\r\n'),
    ],
    ['with a subprotocol, as none was asked for', (key) => switching(key, 'Sec-WebSocket-Protocol: chat\r\n')],
    ['with a head that never ends', (key) => right(key).slice(0, -2) + 'X: ' + 'y'.repeat(70_000)],
  ])('%s', async (_name, answer) => {
    const server = await serve(({ key, socket }) => socket.write(answer(key)))
    const socket = new WebSocket(server.url)
    const events = await allEvents(socket)
    expect(events).toMatchObject([
      { type: 'error', error: { name: 'FrameError' } },
      { type: 'close', code: 1006, wasClean: false, reason: '' },
    ])
  })

  test.each([
    ['the HTTP status', 'HTTP/1.1 403 Forbidden\r\n\r\n', 'HTTP 403'],
    ['that it is no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 'the answer is not HTTP/1.1'],
  ])('with an error that names %s', async (_name, answer, reason) => {
    const { stream, listeners } = fake()
    const events = allEvents(new (createWebSocketClass(() => stream))('ws://host'))
    await tick()
    listeners.data!(latin(answer))
    expect(await events).toMatchObject([
      { type: 'error', error: { message: `WebSocket refused: ${reason}`, code: 1002 } },
      { type: 'close' },
    ])
  })

  test('but case, spaces and lists in headers are fine, and frames may follow at once', async () => {
    const server = await serve(({ key, socket }) =>
      socket.write(
        Buffer.concat([
          latin(
            switching(key)
              .replace('Upgrade: websocket', 'upgrade:WebSocket ')
              .replace('Connection: Upgrade', 'CONNECTION: keep-alive, upgrade'),
          ),
          text('at once'),
          close(1000, 'bye'),
        ]),
      ),
    )
    const events = await allEvents(new WebSocket(server.url))
    expect(events).toMatchObject([
      { type: 'open' },
      { type: 'message', data: 'at once' },
      { type: 'close', code: 1000, reason: 'bye', wasClean: true },
    ])
  })
})
