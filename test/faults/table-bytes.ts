import { chunk } from '../support/fault-server-http.js'
import { difficultText, gameServer, paddedGameServer } from '../support/fault-server-game-servers.js'
import type { Step } from '../support/fault-server.js'
import * as steps from '../support/fault-server-steps.js'
import { afterFirstObject, floodAfterFirstObject, impatient, onceSeen, type WatchFault } from './watch-fault.js'

const result = (version: number): string => JSON.stringify({ result: gameServer(version) })

const half: Step = async (exchange) => {
  const line = result(2)
  const bytes = Buffer.from(line)
  // A WebSocket's frame claims the whole of it, a stream's chunk has the half and no line feed.
  const start = exchange.request.isUpgrade
    ? Buffer.from([0x81, 126, bytes.length >> 8, bytes.length & 0xff])
    : Buffer.alloc(0)
  await exchange.sendBytes(Buffer.concat([start, bytes.subarray(0, bytes.length - 40)]))
}

/** However long a busy machine takes for it: a connection that is given up would begin anew. */
const patient = { timeout: 110_000 }

/** Faults of the bytes inside a good connection. */
export const bytesFaults: readonly WatchFault[] = [
  {
    name: 'every byte comes alone, multi-byte characters included: exact, on one connection',
    options: patient,
    rules: ({ sidecar }) => {
      sidecar.publish(gameServer(1, 'Ready', { text: difficultText }))
      return [{ on: 'watch', step: steps.byteByByte(steps.following) }]
    },
    async play({ sidecar, seen }) {
      await seen(1)
      sidecar.publish(gameServer(2, 'Allocated', { text: difficultText }))
    },
    expect: { versions: [1, 2], watches: 1 },
  },
  {
    name: 'half an object, then RST: it is never delivered, nor carried over to the next connection',
    rules: afterFirstObject(async (exchange) => {
      await half(exchange)
      exchange.break('reset')
    }),
    expect: { versions: [1, 2] },
  },
  {
    name: 'half an object, then FIN: it is never delivered, nor carried over to the next connection',
    rules: afterFirstObject(async (exchange) => {
      await half(exchange)
      exchange.break('finish')
    }),
    expect: { versions: [1, 2] },
  },
  {
    name: 'half an object, then a polite end: it is never delivered, nor carried over to the next connection',
    over: ['stream'],
    rules: afterFirstObject(async (exchange) => {
      await half(exchange)
      await exchange.end()
    }),
    expect: { versions: [1, 2], tolerated: ['PROTOCOL'] },
  },
  {
    name: 'half an object, then silence: a check tells the truth',
    options: { verifyInterval: 300, timeout: 400 },
    rules: afterFirstObject(async (exchange) => {
      await half(exchange)
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2] },
  },
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
    rules: () => [
      {
        on: 'watch',
        step: steps.opened(async (exchange) => {
          await exchange.sendBytes(`\ufeff${result(1)}\n`)
          await exchange.connection.gone
        }),
      },
    ],
    expect: { versions: [1], watches: 1 },
  },
  {
    name: 'an object of 1 MiB',
    rules: ({ sidecar }) => {
      sidecar.publish(paddedGameServer(1, 1 << 20))
      return []
    },
    expect: { versions: [1], watches: 1 },
  },
  {
    name: 'an object whose line is 16 MiB long, the default limit',
    options: patient,
    over: ['websocket', 'stream', 'auto'],
    rules: ({ sidecar }) => {
      const size = Buffer.byteLength(JSON.stringify({ result: paddedGameServer(1, 0) }))
      sidecar.publish(paddedGameServer(1, (16 << 20) - size))
      return []
    },
    // On a busy machine that takes longer than `auto` waits for a first object, which then comes over the stream.
    expect: { versions: [1], watches: 2 },
  },
  {
    name: 'an object just below the limit',
    options: { limits: { message: 4000 } },
    rules: ({ sidecar }) => {
      const size = JSON.stringify({ result: paddedGameServer(1, 0) }).length
      sidecar.publish(paddedGameServer(1, 4000 - size))
      return []
    },
    expect: { versions: [1], watches: 1 },
  },
  {
    name: 'an object one above the limit is an error that says so',
    options: { limits: { message: 4000 }, verifyInterval: 0 },
    rules: ({ sidecar, errors }) => [
      {
        on: 'watch',
        nth: 1,
        step: steps.opened(async (exchange) => {
          const size = JSON.stringify({ result: paddedGameServer(1, 0) }).length
          await exchange.send(paddedGameServer(1, 4001 - size))
          await errors(1)
          sidecar.publish(gameServer(2))
          await exchange.connection.gone
        }),
      },
      // Before the error, the check would tell version 1.
      { on: 'GET /gameserver', nth: 1, step: steps.answering({ body: JSON.stringify(gameServer(1)) }) },
    ],
    expect: { versions: [2], errors: ['LIMIT'] },
  },
  {
    name: 'a line without an end is given up at the limit',
    options: { limits: { message: 1 << 20 }, verifyInterval: 0 },
    over: ['stream'],
    rules: floodAfterFirstObject(async (exchange) => {
      const piece = 'x'.repeat(64 * 1024)
      while (!exchange.connection.isGone) await exchange.sendBytes(piece)
    }),
    expect: { versions: [1, 2], errors: ['LIMIT'] },
  },
  {
    name: 'a flood of 5,000 events arrives in order',
    options: { verifyInterval: 0 },
    rules: onceSeen(async (exchange) => {
      for (let version = 2; version <= 5000; version += 1) void exchange.send(gameServer(version))
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2, 3, 4999, 5000], watches: 1 },
  },
  {
    name: 'a chunk of a wrong size breaks the stream, which heals',
    over: ['stream'],
    rules: afterFirstObject(async (exchange) => {
      await exchange.write(`zz\r\n${result(2)}\n\r\n`)
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2], tolerated: ['PROTOCOL'] },
  },
  {
    name: 'a chunk that never comes whole is not waited for for ever',
    over: ['stream'],
    options: { ...impatient, verifyInterval: 300 },
    rules: afterFirstObject(async (exchange) => {
      await exchange.write(chunk(Buffer.from(`${result(2)}\n`)).subarray(0, 200))
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2] },
  },
]
