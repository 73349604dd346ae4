import { describe, expect, test } from 'vitest'
import { createWebSocketClass, type SocketEvent } from '../../src/frames/index.js'
import { nodeConnect } from '../../src/frames/node-connect.js'
import { close, join, latin, text } from '../support/frames.js'
import { turns } from '../support/until.js'
import { allEvents, fake, keyIn, next, serve, switching } from './sockets.js'

describe('the request', () => {
  test.each([
    ['ws://example.test', '/', 'example.test', { host: 'example.test', port: 80, secure: false }],
    ['wss://example.test', '/', 'example.test', { host: 'example.test', port: 443, secure: true }],
    ['ws://127.0.0.1:9358/a', '/a', '127.0.0.1:9358', { host: '127.0.0.1', port: 9358, secure: false }],
    ['ws://[fe80::1]:1234?a=b', '/?a=b', '[fe80::1]:1234', { host: 'fe80::1', port: 1234, secure: false }],
    ['WS://example.test/a?c=%20', '/a?c=%20', 'example.test', { host: 'example.test', port: 80, secure: false }],
    [new URL('ws://h:1/p?q'), '/p?q', 'h:1', { host: 'h', port: 1, secure: false }],
  ])('for %s asks for %s of %s', async (url, path, authority, target) => {
    const { Socket, dialled, request } = fake()
    expect(new Socket(url).url).toBe(`${url}`)
    await turns()
    expect(dialled).toEqual([target])
    const [key = ''] = /[\w+/]{21}[AQgw]==/.exec(request()) ?? []
    expect(request()).toBe(
      `GET ${path} HTTP/1.1\r\nHost: ${authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    )
  })

  test.each(
    ['example.test', 'http://example.test', 'ws://', 'ws://a b', 'ws://user@host/', 'ws://host:port'].concat([
      'ws://host:65536',
      'ws://host/#part',
      'ws://host/a\r\nX: y',
      'ws://host/é',
      'ws://host!/',
    ]),
  )('can not be made of %j: SyntaxError', (url) => {
    expect(() => fake().connect(url)).toThrow(SyntaxError)
  })

  test.each([[['a b']], [''], [['fine', '']], [['chat', 'chat']], ['a, b'], [['a\r\nX: y']], [['é']]])(
    'can not ask for the subprotocol %j: SyntaxError',
    (protocols) => {
      expect(() => new (fake().Socket)('ws://host', protocols)).toThrow(SyntaxError)
    },
  )

  test('the request copies the subprotocols, and the server chooses one', async () => {
    const protocols = ['chat', 'superchat']
    const { connect, accept, request } = fake({}, {}, protocols)
    const socket = connect()
    protocols.splice(0, 2, 'changed')
    await turns()
    expect(request()).toContain('\r\nSec-WebSocket-Protocol: chat, superchat\r\n')
    accept('Sec-WebSocket-Protocol: superchat\r\n')
    expect(socket.protocol).toBe('superchat')
  })
})

/** What a socket makes of one head, which may be followed by a close frame. */
const answered = async (
  answer: (key: string) => string,
  protocols: string[] = [],
): Promise<{ opened: boolean; problem: string | undefined; events: SocketEvent[] }> => {
  const { connect, listeners, request } = fake({}, {}, protocols)
  const socket = connect()
  const ended = allEvents(socket)
  await turns()
  listeners.data!(join(latin(answer(keyIn(request()))), close(1000)))
  if (socket.readyState < 2) listeners.close!()
  const events = await ended
  const error = events.find(({ type }) => type === 'error')?.error as Error | undefined
  return { opened: events[0]?.type === 'open', problem: error?.message.replace('WebSocket refused: ', ''), events }
}

describe('an answer is refused', () => {
  const replaced = (from: string | RegExp, to: string) => (key: string) => switching(key).replace(from, to)
  const added = (line: string) => (key: string) => switching(key, `${line}\r\n`)

  test.each<[string, ...((key: string) => string)[]]>([
    ['HTTP 403', () => 'HTTP/1.1 403 Forbidden\r\n\r\n'],
    ['HTTP 302', () => 'HTTP/1.1 302 Found\r\nLocation: ws://x\r\n\r\n'],
    ['HTTP 200', () => 'HTTP/1.1 200\r\n\r\n'],
    [
      'the answer is not HTTP/1.1',
      () => 'SSH-2.0-OpenSSH\r\n\r\n',
      replaced('HTTP/1.1', 'HTTP/1.0'),
      replaced('101', '1011'),
    ],
    [
      'a line that does not end with CR LF',
      replaced('\r\n', '\n'),
      replaced('Upgrade: websocket', 'Upgrade: websocket\rX'),
    ],
    [
      'a header line that is not HTTP',
      replaced('Upgrade: websocket', 'Upgrade : websocket'),
      replaced('Upgrade: websocket', 'Upgrade: web\0socket'),
      added('X: y\r\n folded'),
      added(': nameless'),
      added('colonless'),
    ],
    [
      'the header Upgrade',
      replaced('Upgrade: websocket\r\n', ''),
      replaced('Upgrade: websocket', 'Upgrade: h2c, websocket'),
    ],
    ['the header Upgrade', added('Upgrade: websocket')],
    [
      'the header Connection',
      replaced('Connection: Upgrade\r\n', ''),
      replaced('Connection: Upgrade', 'Connection: upgrade-later'),
      replaced('Connection: Upgrade', 'Connection: x upgrade'),
    ],
    [
      'the header Sec-WebSocket-Accept',
      () => switching('AAAAAAAAAAAAAAAAAAAAAA=='),
      replaced(/Sec-WebSocket-Accept: .*\r\n/, ''),
    ],
    ['the header Sec-WebSocket-Accept', added('Sec-WebSocket-Accept: x')],
    [
      'an extension, and none was asked for',
      added('Sec-WebSocket-Extensions: permessage-deflate'),
      added('Sec-WebSocket-Extensions:'),
    ],
    ['the subprotocol "chat"', added('Sec-WebSocket-Protocol: chat')],
    ['the subprotocol ""', added('Sec-WebSocket-Protocol:')],
    [
      'a head of more than 16384 bytes',
      added(`X: ${'y'.repeat(70_000)}`),
      () => 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000),
    ],
  ])('%s', async (problem, ...answers) => {
    for (const answer of answers) {
      const { events, ...rest } = await answered(answer)
      expect(rest).toEqual({ opened: false, problem })
      expect(events).toMatchObject([{ error: { name: 'FrameError' } }, { code: 1006, wasClean: false, reason: '' }])
    }
  })

  test.each([
    ['the subprotocol ""', ''],
    ['the subprotocol "other"', 'Sec-WebSocket-Protocol: other\r\n'],
    ['the subprotocol "chat, superchat"', 'Sec-WebSocket-Protocol: chat, superchat\r\n'],
    ['the subprotocol "chat, chat"', 'Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: chat\r\n'],
  ])('%s: %j', async (problem, lines) => {
    expect(await answered((key) => switching(key, lines), ['chat', 'superchat'])).toMatchObject({ problem })
  })

  // With the square of its length, one such head took minutes.
  const blanks = 16_000
  test.each([
    ['spaces within a header', `HTTP/1.1 403 No\r\nSec-WebSocket-Protocol:${' '.repeat(blanks)}\nx\r\n\r\n`],
    ['tabs before the end of a header', `HTTP/1.1 101 Yes\r\nUpgrade: x${'\t'.repeat(blanks)}y\r\n\r\n`],
    ['commas', `HTTP/1.1 101 Yes\r\nConnection: ${', '.repeat(blanks / 2)}x\r\n\r\n`],
    ['many headers', `HTTP/1.1 101 Yes\r\n${'A:\r\n'.repeat(4000)}\r\n`],
    ['a long status line', `HTTP/1.1 101 ${' '.repeat(blanks)}\x01\r\n\r\n`],
  ])('in a time that grows with its length: %s', async (_name, head) => {
    expect((await answered(() => head)).problem).toBeTypeOf('string')
  })
})

test.each<[string, (answer: string) => string]>([
  ['interim answers before it', (answer) => `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nLink: x\r\n\r\n${answer}`],
  ['tabs around values', (answer) => answer.replace('Upgrade: websocket', 'Upgrade:\twebsocket \t')],
  ['other letter cases', (answer) => answer.replace('Upgrade: websocket', 'upgrade:WebSocket ')],
  ['a list', (answer) => answer.replace('Connection: Upgrade', 'CONNECTION: keep-alive, upgrade')],
  ['Connection in two lines', (answer) => answer.replace('Connection:', 'Connection: keep-alive\r\nConnection:')],
  ['no reason behind its status', (answer) => answer.replace(' Switching Protocols', '')],
  ['characters beyond ASCII, and tabs', (answer) => answer.replace('Connection:', 'X: \xe9\tb\r\nConnection:')],
])('a handshake answer may have %s', async (_name, change) => {
  expect(await answered((key) => change(switching(key)))).toMatchObject({ opened: true, problem: undefined })
})

test('messages in the packet of the 101 reach a listener added after `await open`, before the end', async () => {
  const server = await serve((key, socket) => socket.end(join(latin(switching(key)), text('one'), text('two'))))
  const socket = new (createWebSocketClass(nodeConnect))(server.url)
  await (async () => await next(socket, 'open'))()
  expect(await allEvents(socket)).toMatchObject([
    { data: 'one' },
    { data: 'two' },
    { error: { message: 'The connection ended without a close frame' } },
    { code: 1006 },
  ])
})
