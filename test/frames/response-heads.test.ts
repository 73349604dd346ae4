import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WebSocket as WsWebSocket } from 'ws'
import { createWebSocketClass, MessageDecoder, type SocketEvent } from '../../src/frames/index.js'
import { nodeConnect } from '../../src/node/node-connect.js'
import { close, join, latin, text } from './bytes.js'
import { switching } from './servers.js'
import { allEvents, fake, serve, tick } from './sockets.js'

const WebSocket = createWebSocketClass(nodeConnect)

/** What a socket makes of one head, which may be followed by a close frame. */
const answered = async (
  answer: (key: string) => string,
  protocols: readonly string[] = [],
): Promise<{ opened: boolean; problem: string | undefined; events: SocketEvent[] }> => {
  const { stream, listeners, written } = fake()
  const socket = new (createWebSocketClass(() => stream))('ws://host', protocols)
  const ended = allEvents(socket)
  await tick()
  const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(written[0]!)![1]!
  listeners.data!(join(latin(answer(key)), close(1000)))
  if (socket.readyState < 2) listeners.close!()
  const events = await ended
  const error = events.find(({ type }) => type === 'error')?.error as Error | undefined
  return { opened: events[0]?.type === 'open', problem: error?.message.replace('WebSocket refused: ', ''), events }
}

describe('a response head costs a time that grows with its length', () => {
  const blanks = 16_000
  test.each([
    ['spaces within a header', `HTTP/1.1 403 No\r\nSec-WebSocket-Protocol:${' '.repeat(blanks)}\nx\r\n\r\n`],
    ['tabs before the end of a header', `HTTP/1.1 101 Yes\r\nUpgrade: x${'\t'.repeat(blanks)}y\r\n\r\n`],
    ['commas', `HTTP/1.1 101 Yes\r\nConnection: ${', '.repeat(blanks / 2)}x\r\n\r\n`],
    ['many headers', `HTTP/1.1 101 Yes\r\n${'A:\r\n'.repeat(4000)}\r\n`],
    ['a long status line', `HTTP/1.1 101 ${' '.repeat(blanks)}\x01\r\n\r\n`],
  ])('%s', async (_name, head) => {
    // With the square of its length, one such head took minutes: ten thousand of them take a moment now.
    for (let i = 0; i < 20; i++) expect((await answered(() => head)).problem).toBeTypeOf('string')
  })
})

describe('a refusal says what was wrong', () => {
  const replaced = (from: string | RegExp, to: string) => (key: string) => switching(key).replace(from, to)
  const added = (line: string) => (key: string) => switching(key, `${line}\r\n`)

  test.each<[string, (key: string) => string]>([
    ['HTTP 403', () => 'HTTP/1.1 403 Forbidden\r\n\r\n'],
    ['HTTP 302', () => 'HTTP/1.1 302 Found\r\nLocation: ws://x\r\n\r\n'],
    ['HTTP 401', () => 'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\n\r\n'],
    ['HTTP 200', () => 'HTTP/1.1 200\r\n\r\n'],
    ['the answer is not HTTP/1.1', () => 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['the answer is not HTTP/1.1', replaced('HTTP/1.1', 'HTTP/1.0')],
    ['the answer is not HTTP/1.1', replaced('101', '1011')],
    ['a line that does not end with CR LF', replaced('\r\n', '\n')],
    ['a line that does not end with CR LF', replaced('Upgrade: websocket', 'Upgrade: websocket\rX')],
    ['a header line that is not HTTP', replaced('Upgrade: websocket', 'Upgrade : websocket')],
    ['a header line that is not HTTP', replaced('Upgrade: websocket', 'Upgrade: web\0socket')],
    ['a header line that is not HTTP', added('X: y\r\n folded')],
    ['a header line that is not HTTP', added(': nameless')],
    ['a header line that is not HTTP', added('colonless')],
    ['the header Upgrade is not "websocket"', replaced('Upgrade: websocket', 'Upgrade: websocketx')],
    ['the header Upgrade is not "websocket"', replaced('Upgrade: websocket', 'Upgrade: h2c, websocket')],
    ['more than one header upgrade', added('Upgrade: websocket')],
    ['the header Connection does not name "Upgrade"', replaced('Connection: Upgrade', 'Connection: close')],
    ['the header Connection does not name "Upgrade"', replaced('Connection: Upgrade', 'Connection: upgrade-later')],
    ['the header Connection does not name "Upgrade"', replaced('Connection: Upgrade', 'Connection: x upgrade')],
    ['Sec-WebSocket-Accept does not answer the key', () => switching('AAAAAAAAAAAAAAAAAAAAAA==')],
    ['Sec-WebSocket-Accept does not answer the key', replaced(/Accept: /, 'Accept: x')],
    [
      'more than one header sec-websocket-accept',
      (key) => switching(key, /Sec-WebSocket-Accept.*\r\n/.exec(switching(key))![0]),
    ],
    ['an extension, and none was asked for', added('Sec-WebSocket-Extensions: permessage-deflate')],
    ['an extension, and none was asked for', added('Sec-WebSocket-Extensions:')],
    ['a subprotocol, and none was asked for', added('Sec-WebSocket-Protocol: chat')],
    ['a subprotocol, and none was asked for', added('Sec-WebSocket-Protocol:')],
    ['a head of more than 16384 bytes', added(`X: ${'y'.repeat(20_000)}`)],
  ])('%s', async (problem, answer) => {
    expect(await answered(answer)).toMatchObject({ opened: false, problem })
  })

  test.each([
    ['none of the subprotocols that were asked for', ''],
    ['none of the subprotocols that were asked for', 'Sec-WebSocket-Protocol: other\r\n'],
    ['none of the subprotocols that were asked for', 'Sec-WebSocket-Protocol: chat, superchat\r\n'],
    ['more than one header sec-websocket-protocol', 'Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: chat\r\n'],
  ])('of asked subprotocols: %s', async (problem, lines) => {
    expect(await answered((key) => switching(key, lines), ['chat', 'superchat'])).toMatchObject({ problem })
  })
})

describe('a head may have', () => {
  test.each<[string, (key: string) => string]>([
    [
      'interim answers before it',
      (key) => `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${switching(key)}`,
    ],
    ['tabs around values', (key) => switching(key).replace('Upgrade: websocket', 'Upgrade:\twebsocket \t')],
    ['tabs within a value', (key) => switching(key, 'X: a\tb\r\n')],
    ['no reason behind its status', (key) => switching(key).replace(' Switching Protocols', '')],
    ['characters beyond ASCII', (key) => switching(key, 'X: \xe9\r\n')],
    ['Connection in two lines', (key) => switching(key, 'Connection: keep-alive\r\n')],
  ])('%s', async (_name, answer) => {
    expect(await answered(answer)).toMatchObject({ opened: true, problem: undefined })
  })

  test('interim answers only up to the limit of a head', async () => {
    const { problem } = await answered(() => 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000))
    expect(problem).toBe('a head of more than 16384 bytes')
  })

  test('a decoder with a function for the head skips them too, and tells what the function says', () => {
    const heads: string[] = []
    const problems: string[] = []
    const decoder = new MessageDecoder({
      handshake: (head) => {
        heads.push(head)
        return 'not today'
      },
      error: ({ message }) => problems.push(message),
    })
    decoder.push(latin('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Yes\r\n\r\n'))
    expect(heads).toEqual(['HTTP/1.1 101 Yes\r\n\r\n'])
    expect(problems).toEqual(['WebSocket refused: not today'])
  })
})

/** Heads that Node's parser, and so `ws`, takes for no upgrade: a list in Connection with an empty element or a tab. */
const LAXER = /\r\nconnection:(.*,[ \t]*,|.*\t)/i

/** Heads that `ws` accepts and we don't: Node's parser takes any version, and some carriage returns of their own. */
const STRICTER = /the answer is not HTTP\/1\.1|a line that does not end with CR LF/

test('mutated heads open a socket only where they open one of ws, and the other way around, but for listed reasons', async () => {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Yes',
    'HTTP/1.1 200 OK',
    'Upgrade: websocket',
    'upgrade:\tWebSocket',
    'Upgrade: h2c',
    'Connection: Upgrade',
    'connection: keep-alive, upgrade',
    'Sec-WebSocket-Accept: RIGHT',
    'Sec-WebSocket-Accept: WRONG',
    'Sec-WebSocket-Extensions: permessage-deflate',
    'Sec-WebSocket-Protocol: chat',
    'X: \t y',
    'HTTP/1.0 101 Switching Protocols',
    'X: folded\r\n line',
    'Sec-WebSocket-Extensions:',
    'Sec-WebSocket-Protocol:',
    'Connection: x, , Upgrade',
  ]
  const edit = fc.record({
    at: fc.nat(250),
    what: fc.constantFrom('', ' ', '\t', '\n', '\r', '\0', ':', ',', 'x', '\xff'),
  })
  const head = fc.record({
    order: fc.oneof(
      fc.constantFrom([0, 3, 6, 8], [13, 3, 6, 8], [0, 3, 17, 8], [0, 3, 6, 8, 14]),
      fc.shuffledSubarray([3, 4, 6, 7, 8, 10, 12, 14, 15, 16, 17]).map((rest) => [0, ...rest]),
      fc.array(fc.nat(lines.length - 1), { maxLength: 6 }),
    ),
    edits: fc.array(edit, { maxLength: 2 }),
    replaces: fc.boolean(),
  })
  const counts: Record<string, number> = {}
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  const server = await serve(({ key, request, socket }) => {
    const accept = /Sec-WebSocket-Accept: (.*)\r\n/.exec(switching(key))![1]!
    const script = decodeURIComponent(/^GET \/(\S*)/.exec(request)![1]!)
    socket.end(join(latin(script.replace('RIGHT', accept)), text('x'), close(1000)))
  })
  const settled = (socket: { onopen: unknown; onclose: unknown }): Promise<boolean> =>
    new Promise((resolve) => {
      socket.onopen = () => resolve(true)
      socket.onclose = () => resolve(false)
    })
  await fc.assert(
    fc.asyncProperty(head, async ({ order, edits, replaces }) => {
      let script = `${(order as readonly number[]).map((at) => lines[at]).join('\r\n')}\r\n\r\n`
      for (const { at, what } of edits) {
        const where = at % script.length
        script = script.slice(0, where) + what + script.slice(where + (replaces ? 1 : 0))
      }
      const url = `${server.url}/${encodeURIComponent(script)}`
      const ours = new WebSocket(url)
      let problem = ''
      ours.onerror = ({ error }) => {
        problem = (error as Error).message
      }
      const theirs = new WsWebSocket(url, { perMessageDeflate: false })
      theirs.onerror = () => undefined
      const [weOpened, theyOpened] = await Promise.all([settled(ours), settled(theirs as never)])
      theirs.terminate()
      if (weOpened === theyOpened) count(weOpened ? 'both' : 'neither')
      else if (weOpened && LAXER.test(script)) count('only we')
      else if (theyOpened && STRICTER.test(problem)) count('only ws')
      else
        throw new Error(`${JSON.stringify(script)}: ${weOpened ? 'only we opened' : `only ws opened; we: ${problem}`}`)
    }),
    { numRuns: Number(process.env['FRAMES_FUZZ_RUNS'] ?? 600) },
  )
  expect(counts['both']).toBeGreaterThan(0)
  expect(counts['neither']).toBeGreaterThan(0)
  console.log(`mutated heads: ${JSON.stringify(counts)}`)
}, 120_000)
