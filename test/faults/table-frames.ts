import { closeFrame, fragments, frame, opcodes } from '../support/fault-server-frames.js'
import { difficultText, gameServer } from '../support/fault-server-game-servers.js'
import * as steps from '../support/fault-server-steps.js'
import { afterFirstObject, floodAfterFirstObject, type WatchFault } from './watch-fault.js'

const message = (version: number): string =>
  JSON.stringify({ result: gameServer(version, 'Ready', { text: difficultText }) })

const ping = frame('are you there', { opcode: opcodes.ping })
const pong = frame('nobody asked', { opcode: opcodes.pong })

/** Bytes that no server may send: the connection is given up, the error reported, the watch healed. */
const violation = (name: string, bytes: Uint8Array): WatchFault => ({
  name: `${name}: the socket is given up and the watch heals`,
  over: ['websocket'],
  rules: afterFirstObject(async (exchange) => {
    await exchange.sendBytes(bytes)
    await exchange.connection.gone
  }),
  expect: { versions: [1, 2], tolerated: ['UNAVAILABLE', 'PROTOCOL'] },
})

/** Faults of frames, over WebSocket alone. */
export const frameFaults: readonly WatchFault[] = [
  {
    name: 'objects in fragments of one byte, with pings and pongs between them: exact, on one connection',
    over: ['websocket'],
    rules: ({ sidecar }) => {
      sidecar.publish(gameServer(1, 'Ready', { text: difficultText }))
      return [
        {
          on: 'watch',
          step: steps.opened(async (exchange) => {
            sidecar.publish(gameServer(2, 'Ready', { text: difficultText }))
            await exchange.sendBytes(fragments(message(1), 1, Buffer.concat([ping, pong])))
            await exchange.sendBytes(fragments(message(2), 100, ping))
            await exchange.connection.gone
          }),
        },
      ]
    },
    expect: { versions: [1, 2], watches: 1 },
  },
  ...[1000, 1001, undefined, 1008, 1011, 1012, 1013, 3000, 4000].map((code): WatchFault => ({
    name: `the socket closes with ${code ?? 'no code'}: the watch comes back`,
    over: ['websocket', 'auto'],
    rules: afterFirstObject((exchange) => exchange.end(code)),
    expect: { versions: [1, 2] },
  })),
  {
    name: 'the socket closes in the middle of a message of fragments',
    over: ['websocket'],
    rules: afterFirstObject(async (exchange) => {
      await exchange.sendBytes(fragments(message(2), 50).subarray(0, 300))
      await exchange.end(1001)
    }),
    expect: { versions: [1, 2], tolerated: ['UNAVAILABLE', 'PROTOCOL'] },
  },
  violation('a masked frame', frame(message(3), { mask: true })),
  violation('RSV1 set, as compression would', frame(message(3), { rsv: 4 })),
  violation('RSV2 set', frame(message(3), { rsv: 2 })),
  violation('a reserved opcode', frame(message(3), { opcode: 3 })),
  violation('a reserved control opcode', frame('', { opcode: 11 })),
  violation('a control frame of 126 bytes', frame('x'.repeat(126), { opcode: opcodes.ping })),
  violation('a control frame in fragments', frame('x', { opcode: opcodes.ping, fin: false })),
  violation('a continuation of nothing', frame(message(3), { opcode: opcodes.continuation })),
  violation('a message inside a message', Buffer.concat([frame('{', { fin: false }), frame(message(3))])),
  violation('bad UTF-8', frame(Uint8Array.of(0x7b, 0xff, 0x7d))),
  violation('a surrogate as UTF-8', frame(Uint8Array.of(0xed, 0xa0, 0x80))),
  violation('a close code that may not be sent', closeFrame(1006)),
  violation('a close frame of one byte', frame('x', { opcode: opcodes.close })),
  violation('a close reason of bad UTF-8', closeFrame(1000, Uint8Array.of(0xff))),
  violation('a length of 2^62', frame('', { claimedLength: 1n << 62n })),
  violation('a length of 2^63', frame('', { claimedLength: 1n << 63n })),
  {
    name: 'a binary message is no object: it is reported or read, and the next one arrives',
    over: ['websocket'],
    rules: afterFirstObject(async (exchange) => {
      await exchange.sendBytes(frame(Uint8Array.of(1, 2, 3), { opcode: opcodes.binary }))
      await exchange.follow()
    }),
    expect: { versions: [1, 2], errors: ['PROTOCOL'], watches: 1 },
  },
  {
    name: 'a flood of pings between two objects',
    over: ['websocket'],
    rules: afterFirstObject(async (exchange) => {
      await exchange.sendBytes(Buffer.concat(Array.from({ length: 2000 }, () => pong)))
      await exchange.follow()
    }),
    expect: { versions: [1, 2], watches: 1 },
  },
  {
    name: 'a message without an end, in fragments, is given up at the limit',
    over: ['websocket'],
    options: { verifyInterval: 0 },
    rules: floodAfterFirstObject(async (exchange) => {
      const piece = frame('x'.repeat(1 << 20), { opcode: opcodes.continuation, fin: false })
      await exchange.sendBytes(frame('{', { fin: false }))
      for (let sent = 0; sent < 64 && !exchange.connection.isGone; sent += 1) await exchange.sendBytes(piece)
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2], errors: ['LIMIT'] },
  },
  {
    name: 'empty fragments without an end are given up',
    over: ['websocket'],
    options: { verifyInterval: 0 },
    rules: floodAfterFirstObject(async (exchange) => {
      const empty = frame('', { opcode: opcodes.continuation, fin: false })
      const many = Buffer.concat(Array.from({ length: 10_000 }, () => empty))
      await exchange.sendBytes(frame('', { fin: false }))
      for (let sent = 0; sent < 40 && !exchange.connection.isGone; sent += 1) await exchange.sendBytes(many)
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2], errors: ['LIMIT'] },
  },
]
