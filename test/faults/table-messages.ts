import { chunk } from '../support/fault-server-bytes.js'
import { close, fragments, frame, opcodes, text, utf8 } from '../support/frames.js'
import { difficultText, gameServer, paddedGameServer } from '../support/game-server.js'
import type { Step } from '../support/fault-server.js'
import * as steps from '../support/fault-server-steps.js'
import { afterFirstObject, floodAfterFirstObject, impatient, onceSeen, type WatchFault } from './watch-fault.js'

const result = (version: number): string => JSON.stringify({ result: gameServer(version) })
const unpadded = JSON.stringify({ result: paddedGameServer(1, 0) })
const letters = unpadded.length
const unchecked = { verifyInterval: 0 }
/** Long timeouts for a busy machine, since a connection that is given up would start again. */
const patient = { timeout: 110_000 }

/** Acts once version 1 was delivered; a later connection shows version 2. */
const after = (name: string, step: Step, more: Partial<WatchFault> = {}): WatchFault => ({
  name,
  rules: afterFirstObject(step),
  expect: { versions: [1, 2] },
  ...more,
})

/** Sends the bytes, and waits for the end of the connection. */
const sent =
  (bytes: string | Uint8Array): Step =>
  async (exchange) => {
    await exchange.sendBytes(bytes)
    await exchange.connection.gone
  }

const half =
  (then: Step): Step =>
  async (exchange) => {
    const bytes = Buffer.from(result(2))
    // A WebSocket's frame claims the whole object; a stream's chunk has half of the object and no line feed.
    const start = exchange.request.isUpgrade ? [0x81, 126, bytes.length >> 8, bytes.length & 0xff] : []
    await exchange.sendBytes(Buffer.concat([Buffer.from(start), bytes.subarray(0, bytes.length - 40)]))
    await then(exchange)
  }

/** Faults of the bytes inside a good connection. */
const bytesFaults: readonly WatchFault[] = [
  {
    name: 'every byte comes alone, even within characters, and the object is exact on one connection',
    options: patient,
    rules: ({ sidecar }) => {
      sidecar.publish(gameServer(1, { labels: { text: difficultText } }))
      return [{ on: 'watch', step: steps.byteByByte(steps.following) }]
    },
    async play({ sidecar, seen }) {
      await seen(1)
      sidecar.publish(gameServer(2, { state: 'Allocated', labels: { text: difficultText } }))
    },
    expect: { versions: [1, 2], watches: 1 },
  },
  after(
    'half an object before a graceful end, which is never delivered',
    half((exchange) => exchange.end()),
    { over: ['stream'], expect: { versions: [1, 2], tolerated: ['PROTOCOL'] } },
  ),
  after('half an object, then silence: a check tells the truth', half(steps.blackHole), {
    options: { verifyInterval: 300, timeout: 400 },
  }),
  {
    name: 'empty lines, carriage returns and two objects in one piece',
    over: ['stream'],
    rules: afterFirstObject(async (exchange) => {
      await exchange.sendBytes(`\n\r\n\n${result(2)}\r\n\n${result(3)}\n`)
      exchange.connection.onBytes = () => {}
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2, 3], watches: 1 },
  },
  {
    name: 'a byte order mark before the first line',
    over: ['stream'],
    rules: () => [{ on: 'watch', step: steps.opened(sent(`\ufeff${result(1)}\n`)) }],
    expect: { versions: [1], watches: 1 },
  },
  {
    name: 'an object whose line is 16 MiB long, the default limit',
    options: patient,
    rules: ({ sidecar }) => {
      sidecar.publish(paddedGameServer(1, (16 << 20) - Buffer.byteLength(unpadded)))
      return []
    },
    expect: { versions: [1], watches: 1 },
  },
  {
    name: 'an object just below the limit',
    options: { limits: { message: 4000 } },
    rules: ({ sidecar }) => {
      sidecar.publish(paddedGameServer(1, 4000 - letters))
      return []
    },
    expect: { versions: [1], watches: 1 },
  },
  {
    name: 'an object one byte above the limit, which is reported as an error',
    options: { limits: { message: 4000 }, ...unchecked },
    rules: ({ sidecar, errors }) => [
      {
        on: 'watch',
        nth: 1,
        step: steps.opened(async (exchange) => {
          await exchange.send(paddedGameServer(1, 4001 - letters))
          await errors(1)
          sidecar.publish(gameServer(2))
          await exchange.connection.gone
        }),
      },
      // Without the wait, the check would show version 1 before the error.
      { on: 'GET /gameserver', nth: 1, step: steps.answering({ body: JSON.stringify(gameServer(1)) }) },
    ],
    expect: { versions: [2], errors: ['LIMIT'] },
  },
  {
    name: 'a line without an end is given up at the limit',
    options: { limits: { message: 1 << 20 }, ...unchecked },
    over: ['stream'],
    rules: floodAfterFirstObject(async (exchange) => {
      const piece = 'x'.repeat(64 * 1024)
      while (!exchange.connection.isGone) await exchange.sendBytes(piece)
    }),
    expect: { versions: [1, 2], errors: ['LIMIT'] },
  },
  {
    name: 'a flood of 1,000 events arrives in order',
    options: unchecked,
    rules: onceSeen(async (exchange) => {
      for (let version = 2; version <= 1000; version += 1) void exchange.send(gameServer(version))
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2, 3, 999, 1000], watches: 1 },
  },
  after(
    'a chunk of a wrong size breaks the stream, which heals',
    async (exchange) => {
      await exchange.write(`zz\r\n${result(2)}\n\r\n`)
      await exchange.connection.gone
    },
    { over: ['stream'], expect: { versions: [1, 2], tolerated: ['PROTOCOL'] } },
  ),
  after(
    'a chunk that never comes whole is not waited for for ever',
    steps.writingAndWaiting(chunk(Buffer.from(`${result(2)}\n`)).subarray(0, 200)),
    { over: ['stream'], options: { ...impatient, verifyInterval: 300 } },
  ),
]

/** A malformed line or message is reported and skipped: version 2 comes on the same connection. */
const badLine = (name: string, text: string, over: WatchFault['over'] = ['stream']): WatchFault => ({
  ...after(`a line that is ${name} is reported and skipped`, async (exchange) => {
    await exchange.sendText(text)
    await exchange.follow()
  }),
  over,
  expect: { versions: [1, 2], errors: ['PROTOCOL'], watches: 1 },
})

/** Malformed parts of an object, each as its own version: the client must not throw for any of them. */
const odd: Readonly<Record<string, object>> = {
  'counters that are an array': { counters: [1, null, { count: 'x' }] },
  'lists that are text': { lists: 'players' },
  'labels that are objects': { labels: { a: { b: 1 } } },
  'a state that is a number': { state: 7 },
  'a version that is a number': { resource_version: 2 },
}
/** Faults of single lines and messages that are complete for the transport. */
const lineFaults: readonly WatchFault[] = [
  badLine('no JSON', 'not JSON at all', ['websocket', 'stream']),
  badLine('cut JSON', result(2).slice(0, -10)),
  badLine('an array', '[]'),
  badLine('null', 'null'),
  badLine('an empty object', '{}'),
  badLine('a null result', '{"result":null}'),
  badLine('a result without metadata', '{"result":{}}', ['websocket', 'stream']),
  badLine('a result whose metadata and status have the wrong type', '{"result":{"object_meta":3,"status":"Ready"}}'),
  ...Object.entries(odd).map(([name, change]): WatchFault => ({
    name: `an object with ${name} is harmless, and the next object arrives`,
    over: ['websocket'],
    options: unchecked,
    rules: onceSeen(async (exchange) => {
      const object = gameServer(2, change)
      await exchange.send(object)
      await exchange.send(object)
      await exchange.send(gameServer(3))
      await exchange.connection.gone
    }),
    expect: { versions: [1, 3], tolerated: ['PROTOCOL', 'UNSAFE_INTEGER'], watches: 1 },
  })),
]

const message = (version: number): string =>
  JSON.stringify({ result: gameServer(version, { labels: { text: difficultText } }) })
const ping = frame(opcodes.ping, 'are you there')
const pong = frame(opcodes.pong, 'nobody asked')
const nothing = frame(opcodes.continuation, '', { fin: false })

/** Bytes that no server may send: the client closes the connection, reports the error and watches again. */
const violations: Readonly<Record<string, Uint8Array>> = {
  'RSV1 set, as compression would': text(message(3), { rsv: 4 }),
  'bad UTF-8': text(Uint8Array.of(0x7b, 0xff, 0x7d)),
  'a close code that may not be sent': close(1006),
  'a length of 2^63': text('', { length: 2 ** 63 }),
}

/** Faults of frames, over WebSocket alone. */
const frameFaults: readonly WatchFault[] = [
  {
    name: 'objects in fragments of one byte, between pings and pongs, are exact on one connection',
    over: ['websocket'],
    rules: ({ sidecar }) => {
      const step: Step = async (exchange) => {
        sidecar.publish(gameServer(2, { labels: { text: difficultText } }))
        await exchange.sendBytes(fragments(opcodes.text, utf8(message(1)), 1, Buffer.concat([ping, pong])))
        await sent(fragments(opcodes.text, utf8(message(2)), 100, ping))(exchange)
      }
      sidecar.publish(gameServer(1, { labels: { text: difficultText } }))
      return [{ on: 'watch', step: steps.opened(step) }]
    },
    expect: { versions: [1, 2], watches: 1 },
  },
  ...[1000, 1001, undefined, 1008, 1011, 1012, 1013, 3000, 4000].map((code) =>
    after(`the socket closes with ${code ?? 'no code'}: the watch comes back`, (exchange) => exchange.end(code), {
      over: code === 1001 ? ['websocket', 'auto'] : ['websocket'],
    }),
  ),
  ...Object.entries(violations).map(([name, bytes]) =>
    after(`${name}: the socket is given up and the watch heals`, sent(bytes), {
      over: ['websocket'],
      expect: { versions: [1, 2], tolerated: ['UNAVAILABLE', 'PROTOCOL'] },
    }),
  ),
  after(
    'a binary message is reported as an error, and the next object arrives after a flood of pongs',
    async (exchange) => {
      await exchange.sendBytes(frame(opcodes.binary, Uint8Array.of(1, 2, 3)))
      await exchange.sendBytes(Buffer.concat(Array.from({ length: 2000 }, () => pong)))
      await exchange.follow()
    },
    { over: ['websocket'], expect: { versions: [1, 2], errors: ['PROTOCOL'], watches: 1 } },
  ),
  {
    name: 'empty fragments without an end are given up at the limit',
    over: ['websocket'],
    options: unchecked,
    rules: floodAfterFirstObject(async (exchange) => {
      await exchange.sendBytes(text('', { fin: false }))
      await exchange.sendBytes(Buffer.concat(Array.from({ length: 132_000 }, () => nothing)))
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2], errors: ['LIMIT'] },
  },
]

/** Faults of content in well-formed messages. */
const orderFaults: readonly WatchFault[] = [
  {
    name: 'a late answer to a check, which never replaces a newer object',
    options: { verifyInterval: 200 },
    rules: ({ sidecar, seen }) => [
      {
        on: 'GET /gameserver',
        nth: 2,
        step: async (exchange) => {
          const old = JSON.stringify(exchange.gameServer)
          sidecar.publish(gameServer(2))
          await seen(2)
          await exchange.reply({ body: old })
          sidecar.publish(gameServer(3))
        },
      },
    ],
    expect: { versions: [1, 2, 3], watches: 1 },
  },
  {
    name: 'the reconnect is answered with an older object than the last one seen, then with a newer one',
    rules: ({ seen }) => [
      {
        on: 'watch',
        nth: 1,
        step: steps.sending([gameServer(5)], async (exchange) => {
          await seen(5)
          exchange.break('reset')
        }),
      },
      { on: 'watch', nth: 2, step: steps.sending([gameServer(4), gameServer(6)]) },
      { on: 'GET /gameserver', step: steps.answering({ body: JSON.stringify(gameServer(4)) }) },
    ],
    expect: { versions: [5, 6], watches: 2 },
  },
]

export const messageFaults: readonly WatchFault[] = [...bytesFaults, ...lineFaults, ...frameFaults, ...orderFaults]
