import { describe, expect, test } from 'vitest'
import { observe } from '../faults/observe.js'
import { frame, opcodes } from '../support/fault-server-frames.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { following, sending } from '../support/fault-server-steps.js'
import type { Exchange } from '../support/fault-server-exchange.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

const MiB = 1024 * 1024
const limit = 64 * 1024
/** Of what never ends, more than a client may take before it leaves. */
const enough = 256 * MiB

/**
 * What becomes of a watch whose first connection sends this after its first object and ends nothing by itself. The
 * client must have left it, and be told of version 2 by another.
 */
async function codesAfter(spoil: (exchange: Exchange) => Promise<unknown>): Promise<string[]> {
  const sidecar = await startScripted([
    {
      on: 'watch',
      nth: 1,
      step: sending([gameServer(1)], async (exchange) => {
        sidecar.publish(gameServer(2))
        // Whoever waits for a close frame in return, or for this to hang up too, waits in vain.
        exchange.connection.onBytes = () => {}
        exchange.connection.socket.removeAllListeners('end')
        await spoil(exchange)
        await exchange.connection.gone
      }),
    },
    { on: 'watch', step: following },
    { on: 'GET /gameserver', step: (exchange) => exchange.reply({ body: JSON.stringify(gameServer(1)) }) },
  ])
  const observed = observe({
    baseUrl: sidecar.url,
    watch: 'websocket',
    verifyInterval: 0,
    limits: { message: limit },
  })
  try {
    await observed.seen(2)
    return observed.errors.map(({ code }) => code)
  } finally {
    observed.client.close()
  }
}

/** Sends this again and again until the client has left; returns how many bytes it sent. */
async function pour(exchange: Exchange, bytes: Uint8Array): Promise<number> {
  let sent = 0
  while (!exchange.connection.isGone && sent < enough) {
    await exchange.write(bytes)
    sent += bytes.length
  }
  return sent
}

const piece = new Uint8Array(MiB).fill(0x78)

describe('a connection is ended at the first thing that is wrong, not drained, and another takes its place:', () => {
  test.each([
    ['an announced message of 2^40 bytes', frame('', { claimedLength: 1n << 40n })],
    ['an announced message of one byte too many', frame('', { claimedLength: BigInt(2 * limit + 1) })],
  ])('%s that goes on', async (_what, head) => {
    let sent = 0
    const codes = await codesAfter(async (exchange) => {
      await exchange.write(head)
      sent = await pour(exchange, piece)
    })
    expect(codes).toEqual(['LIMIT'])
    expect(sent).toBeLessThan(enough)
  })

  test('a message of fragments without an end', async () => {
    let sent = 0
    const codes = await codesAfter(async (exchange) => {
      await exchange.write(frame('{', { fin: false }))
      sent = await pour(exchange, frame(piece.subarray(0, limit / 2), { opcode: opcodes.continuation, fin: false }))
    })
    expect(codes).toEqual(['LIMIT'])
    expect(sent).toBeLessThan(enough)
  })

  test.each([
    ['bad UTF-8', frame(Uint8Array.of(0x7b, 0xff, 0x7d))],
    ['a masked frame', frame('{}', { mask: true })],
    ['a reserved bit', frame('{}', { rsv: 4 })],
    ['a reserved opcode', frame('{}', { opcode: 3 })],
    ['a continuation of nothing', frame('{}', { opcode: opcodes.continuation })],
    ['a control frame in fragments', frame('x', { opcode: opcodes.ping, fin: false })],
    ['a control frame of 126 bytes', frame('x'.repeat(126), { opcode: opcodes.ping })],
  ])('%s, and then silence', async (_what, bytes) => {
    expect(await codesAfter((exchange) => exchange.write(bytes))).toEqual(['PROTOCOL'])
  })

  test('bad UTF-8, and then good objects that nobody may believe', async () => {
    const codes = await codesAfter(async (exchange) => {
      await exchange.write(frame(Uint8Array.of(0x7b, 0xff, 0x7d)))
      await exchange.send(gameServer(99))
    })
    expect(codes).toEqual(['PROTOCOL'])
  })
})
