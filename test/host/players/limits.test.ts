import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { PlayerSocket } from '../../../src/host/page-script/player-socket.js'
import {
  dialPlayers,
  expectPlaying,
  joinByWire,
  joinPlayers,
  pair,
  startEcho,
  startWithPage,
  type Stage,
} from './players-support.js'
import { until } from '../../support/until.js'

const TEXT = 0x1
const BINARY = 0x2
const PING = 0x9
const FIN = 0x80

/** A client's frame of up to 125 bytes, its mask all zeros. */
const frame = (first: number, payload = '', masked = true): string =>
  String.fromCharCode(first, payload.length | (masked ? 0x80 : 0)) + (masked ? '\0\0\0\0' : '') + payload

/** The code of the close frame that ends what a server sent, one character a byte. */
const closeCodeOf = (bytes: string): number | undefined => {
  const match = /\x88[\x02-\x7d]([\s\S])([\s\S])[\s\S]*$/.exec(bytes)
  return match === null ? undefined : match[1]!.charCodeAt(0) * 256 + match[2]!.charCodeAt(0)
}

/** How the page was told that each player left, by id. */
const endsOf = (stage: Stage): [id: number, code: number | undefined][] =>
  stage.changes.flatMap(({ id, state, code }) => (state === 'closed' ? [[id, code] as [number, number]] : []))

describe('a player who violates the WebSocket protocol is closed, and the match goes on:', () => {
  test.each<[what: string, frames: string, code: number]>([
    ['a frame without a mask', frame(FIN | TEXT, 'x', false), 1002],
    ['a text that is no UTF-8', frame(FIN | TEXT, '\xff\xfe'), 1007],
    ['a frame of 2^63 bytes', '\x82\xff\x80\0\0\0\0\0\0\0\0\0\0\0', 1009],
    ['a frame that is longer than a message may be', '\x82\xff\0\0\0\0\0\x01\0\x01\0\0\0\0', 1009],
    ['fragments without end', frame(BINARY, 'x') + frame(0, 'x').repeat(2_000), 1008],
  ])('%s', async (_what, frames, code) => {
    const stage = await startEcho()
    const wire = await joinByWire(stage)
    wire.send(frames)
    expect(closeCodeOf(await wire.ended)).toBe(code)
    await until(() => expect(endsOf(stage)).toEqual([[1, code]]))
    await expectPlaying(stage)
  })
})

describe('limits of one player', () => {
  test('a message may have as many bytes as maxMessage, and one byte more closes with 1009', async () => {
    const { player, socket } = await pair({ maxMessage: 1_000 })
    const codes: number[] = []
    socket.onclose = ({ code }) => void codes.push(code)
    socket.onmessage = ({ data }) => socket.send(data as ArrayBuffer)
    player.socket.send(Buffer.alloc(1_000))
    await player.message(0)
    player.socket.send(Buffer.alloc(1_001))
    expect((await player.closed)[0]).toBe(1009)
    await until(() => expect(codes).toEqual([1009]))
  })

  test('twice as many messages as maxRate may come at once, and then 1008 closes', async () => {
    const { page, ...stage } = await startWithPage({ maxRate: 50 })
    let got = 0
    page.connections.onconnection = (socket) => {
      socket.onmessage = () => (got += 1)
    }
    const player = await joinPlayers(stage)
    for (let i = 0; i < 5_000; i += 1) player.socket.send('')
    expect(await player.closed).toEqual([1008, 'More than 50 messages a second'])
    await until(() => expect(page.connections.sockets.size).toBe(0))
    expect(got).toBeGreaterThanOrEqual(100)
    expect(got).toBeLessThan(5_000)
    expect(stage.lines).toEqual(['Player 1 (127.0.0.1) is closed with 1008: More than 50 messages a second'])
  })

  test.each<[what: string, flood: string]>([
    ['messages', frame(FIN | BINARY, 'x'.repeat(125)).repeat(1_000)],
    ['pings', frame(FIN | PING, 'x'.repeat(125)).repeat(1_000)],
  ])('a player who keeps flooding with %s after that is no longer read, and is cut off', async (_what, flood) => {
    const stage = await startEcho()
    const wire = await joinByWire(stage)
    const bytes = Buffer.from(flood, 'latin1')
    const write = (): void => {
      while (!wire.socket.destroyed && wire.socket.write(bytes));
    }
    wire.socket.on('drain', write)
    write()
    await new Promise((resolve) => wire.socket.once('close', resolve))
    expect(endsOf(stage)).toEqual([[1, 1008]])
    // The system's own buffers take some megabytes.
    expect(wire.socket.bytesWritten).toBeLessThan(48 * 1024 * 1024)
    await expectPlaying(stage)
  })

  test('a pong counts as a message', async () => {
    const stage = await startWithPage({ maxRate: 5 })
    const player = await joinPlayers(stage)
    for (let i = 0; i < 200; i += 1) player.socket.pong()
    expect((await player.closed)[0]).toBe(1008)
  })

  test('for a player who sends pings and reads nothing, unsent pongs are capped', async () => {
    const stage = await startEcho({ maxRate: 1_000_000 })
    const wire = await joinByWire(stage)
    wire.socket.pause()
    const pings = Buffer.from(frame(FIN | PING, 'x'.repeat(125)).repeat(1_000), 'latin1')
    for (let i = 0; i < 120; i += 1) if (!wire.socket.write(pings)) await once(wire.socket, 'drain')
    wire.send(frame(FIN | TEXT, 'end'))
    await expectPlaying(stage)
    wire.socket.resume()
    await until(() => expect(wire.received().slice(-3)).toBe('end'))
    expect(wire.received().length).toBeLessThan(120_000 * 127)
  })
})

/** Sends to a player until the connection is closed for waiting bytes. Resolves with the highest `bufferedAmount`. */
async function flood(socket: PlayerSocket, meanwhile: () => void): Promise<number> {
  let most = 0
  const message = new Uint8Array(64 * 1024)
  while (socket.readyState === socket.OPEN) {
    socket.send(message)
    most = Math.max(most, socket.bufferedAmount)
    meanwhile()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return most
}

const FILLING = 16 * 1024

/** Sends to a player until this many bytes wait in the host, or the connection ends. */
async function fill(socket: PlayerSocket, bytes: number): Promise<void> {
  while (socket.bufferedAmount < bytes && socket.readyState === socket.OPEN) {
    socket.send(new Uint8Array(FILLING))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

describe('a player who reads slowly', () => {
  test('is closed with 1013 when too many bytes wait, which bufferedAmount shows, and others get every message', async () => {
    const { page, ...stage } = await startWithPage({ maxBuffered: 512 * 1024 })
    const sockets: PlayerSocket[] = []
    page.connections.onconnection = (socket) => void sockets.push(socket)
    const slow = await joinPlayers(stage, '/slow')
    const quick = await joinPlayers(stage, '/quick')
    await until(() => expect(sockets.length).toBe(2))
    const codes: number[] = []
    sockets[0]!.onclose = ({ code }) => void codes.push(code)
    slow.socket.pause()
    let sent = 0
    const most = await flood(sockets[0]!, () => sockets[1]!.send(String((sent += 1))))
    expect(most).toBeGreaterThan(256 * 1024)
    expect(codes).toEqual([1013])
    await quick.message(sent - 1)
    expect(quick.messages).toEqual(Array.from({ length: sent }, (_, i) => String(i + 1)))
    await until(() => expect(sockets[1]!.bufferedAmount).toBe(0))
    slow.socket.resume()
    expect(await slow.closed).toEqual([1013, 'More than 524288 bytes wait to be read'])
    expect(stage.faults).toEqual([])
  })

  test('and reads again gets everything in order, and bufferedAmount returns to 0', async () => {
    const { player, socket } = await pair({ maxBuffered: 64 * 1024 * 1024 })
    player.socket.pause()
    let sent = 0
    const next = (): Uint8Array => new Uint8Array(60_000).fill((sent += 1))
    // The system takes some megabytes before anything waits in the host.
    await until(async () => {
      for (let i = 0; i < 20; i += 1) socket.send(next())
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(socket.bufferedAmount).toBeGreaterThan(2_000_000)
    })
    player.socket.resume()
    await player.message(sent - 1)
    expect(player.messages.map((message) => (message as Buffer)[59_999])).toEqual(
      Array.from({ length: sent }, (_, i) => (i + 1) % 256),
    )
    await until(() => expect(socket.bufferedAmount).toBe(0))
  })

  test('is closed when too many empty messages wait, since each takes memory', async () => {
    const { stage, player, socket } = await pair({ maxBuffered: 512 * 1024 })
    player.socket.pause()
    await fill(socket, 100_000)
    let sent = 0
    while (socket.readyState === socket.OPEN && sent < 200_000) {
      for (let i = 0; i < 1_000; i += 1) socket.send('')
      sent += 1_000
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(sent).toBeLessThan(200_000)
    expect(endsOf(stage)).toEqual([[1, 1013]])
  })

  test('with the most waiting bytes is closed first when the total is over the limit', async () => {
    const most = 2_000_000
    const { page, ...stage } = await startWithPage({ maxBuffered: most, maxBufferedTotal: most })
    const sockets: PlayerSocket[] = []
    page.connections.onconnection = (socket) => void sockets.push(socket)
    const slow = [await joinPlayers(stage), await joinPlayers(stage), await joinPlayers(stage)]
    await until(() => expect(sockets.length).toBe(3))
    for (const { socket } of slow) socket.pause()
    await fill(sockets[0]!, 300_000)
    await fill(sockets[1]!, 900_000)
    await fill(sockets[2]!, 1_500_000)
    expect(endsOf(stage)).toEqual([[2, 1013]])
    expect(stage.lines).toEqual([
      `Player 2 (127.0.0.1) is closed with 1013: ${most} bytes wait for all players together, most for the slowest`,
    ])
    // The remaining players get every message.
    for (const { socket } of slow) socket.resume()
    for (const i of [0, 2]) {
      sockets[i]!.send('last')
      await until(() => expect(slow[i]!.messages.at(-1)).toBe('last'))
      expect(slow[i]!.messages.slice(0, -1).every((message) => message.length === FILLING)).toBe(true)
    }
  })

  test('still gets one long message, of which a part is sent at once', async () => {
    const { player, socket } = await pair({ maxBuffered: 1_024 })
    const level = new Uint8Array(5_000_000).fill(1)
    socket.send(level)
    expect((await player.message(0)).length).toBe(5_000_000)
    expect(player.socket.readyState).toBe(player.socket.OPEN)
  })
})

test('bufferedAmount counts the bytes sent in this turn, and returns to 0 when they have left', async () => {
  const { socket } = await pair()
  expect(socket.bufferedAmount).toBe(0)
  socket.send('äb')
  socket.send(new Uint8Array(10))
  expect(socket.bufferedAmount).toBe(13)
  await until(() => expect(socket.bufferedAmount).toBe(0))
  for (let i = 0; i < 100; i += 1) socket.send(new Uint8Array(10_000))
  expect(socket.bufferedAmount).toBe(1_000_000)
  await until(() => expect(socket.bufferedAmount).toBe(0))
})

describe('the number of players', () => {
  test('is limited: a player beyond the limit is closed with 1013, and is admitted when another has left', async () => {
    const stage = await startEcho({ maxPlayers: 2 })
    const players = [await joinPlayers(stage), await joinPlayers(stage)]
    expect(await dialPlayers(stage).closed).toEqual([1013, 'All 2 places are taken'])
    // Nobody plays on this connection, and its broken frame must not end the host.
    const refused = await joinByWire(stage)
    refused.send(frame(FIN | TEXT, 'x', false))
    await refused.ended
    players[0]!.socket.close()
    await until(() => expect(endsOf(stage)).toEqual([[1, 1005]]))
    await expectPlaying(stage)
  })
})
