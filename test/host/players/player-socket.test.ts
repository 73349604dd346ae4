import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { PlayerSocket } from '../../../src/host/page-script/player-socket.js'
import { MOST_MESSAGE_BYTES } from '../../../src/host/wire/batches.js'
import { echo, joinPlayers, pair, startEcho, startWithPage } from './players-support.js'
import { until } from '../../support/until.js'

const closeOf = (socket: PlayerSocket): Promise<{ code: number; reason: string; wasClean: boolean }> =>
  new Promise((resolve) => {
    socket.onclose = ({ code, reason, wasClean }) => resolve({ code, reason, wasClean })
  })

const nextMessage = (socket: PlayerSocket): Promise<unknown> =>
  new Promise((resolve) => {
    socket.addEventListener('message', (event) => resolve((event as MessageEvent).data), { once: true })
  })

describe('a player in the page', () => {
  test('has the address, path and query of the request', async () => {
    const { socket, page } = await pair({}, '/room/1?name=%C3%84da')
    expect(socket.url).toBe('/room/1?name=%C3%84da')
    expect(socket.remoteAddress).toBe('127.0.0.1')
    expect(socket.readyState).toBe(socket.OPEN)
    expect(page.connections.sockets.get(socket.id)).toBe(socket)
  })

  test('and the game get texts and bytes as they were sent, in order', async () => {
    const stage = await startEcho()
    const player = await joinPlayers(stage)
    const bytes = Buffer.from([0, 255, 128])
    const sent = ['', 'ä€😀', '\ufeffmark', Buffer.alloc(0), bytes, 'x'.repeat(65_536), Buffer.alloc(65_536, 7)]
    for (const message of sent) player.socket.send(message)
    await player.message(sent.length - 1)
    // Comparing long Buffers byte by byte takes seconds.
    const plain = (message: string | Buffer): string[] => [typeof message, message.toString('latin1')]
    expect(player.messages.map(plain)).toEqual(sent.map(plain))
  })

  test('gets views and buffers as bytes, and everything else as text, as from a WebSocket', async () => {
    const { socket, player } = await pair()
    const bytes = new Uint8Array([1, 2, 3, 4])
    socket.send(bytes.subarray(1, 3))
    socket.send(bytes.buffer)
    socket.send(new DataView(bytes.buffer, 3))
    socket.send(12 as unknown as string)
    bytes.fill(9)
    expect(() => socket.send(new Blob(['a']) as never)).toThrow('blob.arrayBuffer()')
    await player.message(3)
    expect(player.messages).toEqual([...[[2, 3], [1, 2, 3, 4], [4]].map((one) => Buffer.from(one)), '12'])
  })

  test('sends binary messages, which the game gets as an ArrayBuffer, or as a Blob on request', async () => {
    const { socket, player } = await pair()
    const first = nextMessage(socket)
    player.socket.send(Buffer.from([1]))
    expect(await first).toEqual(Uint8Array.of(1).buffer)
    socket.binaryType = 'blob'
    socket.binaryType = 'nonsense' as 'blob'
    const second = nextMessage(socket)
    player.socket.send(Buffer.from([2]))
    const blob = (await second) as Blob
    expect(blob).toBeInstanceOf(Blob)
    expect(new Uint8Array(await blob.arrayBuffer())).toEqual(Uint8Array.of(2))
  })

  test('who connects before the game sets onconnection is kept for it, with all messages', async () => {
    const { page, ...stage } = await startWithPage()
    const early = await joinPlayers(stage, '/early')
    const gone = await joinPlayers(stage, '/gone')
    early.socket.send('one')
    early.socket.send('two')
    gone.socket.close()
    await gone.closed
    await until(() => expect([...page.connections.sockets.values()].map(({ url }) => url)).toEqual(['/early']))
    const told: string[] = []
    page.connections.onconnection = (socket) => {
      told.push(socket.url)
      socket.onmessage = ({ data }) => void told.push(data as string)
    }
    early.socket.send('three')
    await until(() => expect(told).toEqual(['/early', 'one', 'two', 'three']))
  })

  test('loses no message that comes before the game adds a listener long after onconnection', async () => {
    const { socket, player } = await pair()
    player.socket.send('one')
    player.socket.ping()
    await once(player.socket, 'pong')
    await until(() => expect(player.socket.bufferedAmount).toBe(0))
    const got: unknown[] = []
    socket.addEventListener('message', (event) => got.push((event as MessageEvent).data))
    player.socket.send('two')
    await until(() => expect(got).toEqual(['one', 'two']))
  })

  test('who floods a game that never listens stays connected and takes no more memory than the limit', async () => {
    const { stage, page, socket, player } = await pair()
    for (let i = 0; i < 40; i += 1) player.socket.send(Buffer.alloc(60_000))
    player.socket.ping()
    await once(player.socket, 'pong')
    // The host has all these messages, so the page gets them before any message of another player.
    echo(page)
    const other = await joinPlayers(stage)
    other.socket.send('')
    await other.message(0)
    const first = nextMessage(socket)
    player.socket.send('last')
    expect(await first).toBe('last')
  })

  test('a player who exceeds the limit before the game reads messages is closed with 1013', async () => {
    const stage = await startWithPage()
    const player = await joinPlayers(stage)
    for (let i = 0; i < 6; i += 1) player.socket.send(Buffer.alloc(60_000))
    expect(await player.closed).toEqual([1013, 'The game does not read messages yet'])
  })
})

describe('the end of a connection', () => {
  test('by the player reaches the game with code and reason, after the last message', async () => {
    const { socket, player, page } = await pair()
    const got: unknown[] = []
    socket.onmessage = ({ data }) => void got.push(data)
    const closed = closeOf(socket)
    player.socket.send('bye')
    player.socket.close(3001, 'tired')
    expect(await closed).toEqual({ code: 3001, reason: 'tired', wasClean: true })
    expect(got).toEqual(['bye'])
    expect(socket.readyState).toBe(socket.CLOSED)
    expect(page.connections.sockets.size).toBe(0)
  })

  test('without a close frame emits error and a close event with 1006', async () => {
    const { socket, player } = await pair()
    const errors: string[] = []
    socket.onerror = ({ type }) => void errors.push(type)
    const closed = closeOf(socket)
    player.socket.terminate()
    expect(await closed).toEqual({ code: 1006, reason: '', wasClean: false })
    expect(errors).toEqual(['error'])
  })

  test.each<[arguments: [] | [number, string?], code: number, reason: string]>([
    [[], 1005, ''],
    [[1000, 'over'], 1000, 'over'],
    [[4999, 'ä'.repeat(61)], 4999, 'ä'.repeat(61)],
  ])(
    'by the game with close(%j) reaches the player after all earlier messages',
    async ([ownCode, ownReason], code, reason) => {
      const { socket, player } = await pair()
      const closed = closeOf(socket)
      socket.send('first')
      socket.send('second')
      socket.close(ownCode, ownReason)
      expect(socket.readyState).toBe(socket.CLOSING)
      expect(await player.closed).toEqual([code, reason])
      expect(player.messages).toEqual(['first', 'second'])
      expect(await closed).toMatchObject({ code, reason, wasClean: true })
    },
  )

  test.each<[code: number, reason: string, name: string]>([
    [1001, '', 'InvalidAccessError'],
    [2999, '', 'InvalidAccessError'],
    [5000, '', 'InvalidAccessError'],
    [1000, 'ä'.repeat(62), 'SyntaxError'],
  ])('doesn’t start with close(%j, %j), which throws like that of a WebSocket', async (code, reason, name) => {
    const { socket } = await pair()
    expect(() => socket.close(code, reason)).toThrow(expect.objectContaining({ name }) as Error)
    expect(socket.readyState).toBe(socket.OPEN)
  })

  test('makes send() discard messages and add to bufferedAmount, and never throw', async () => {
    const { socket, player } = await pair()
    const closed = closeOf(socket)
    player.socket.close()
    await closed
    socket.send('äb')
    socket.send(new Uint8Array(4))
    expect(socket.bufferedAmount).toBe(7)
    socket.close()
    expect(socket.readyState).toBe(socket.CLOSED)
  })

  test('by the game stops all further events of the player', async () => {
    const { socket, player } = await pair()
    const got: unknown[] = []
    socket.onmessage = ({ data }) => void got.push(data)
    const closed = closeOf(socket)
    socket.close()
    player.socket.send('too late')
    await closed
    expect(got).toEqual([])
  })

  test('comes at once with 1009 when the game sends too long a message, and the error is reported', async () => {
    const { socket, player, page, stage } = await pair()
    socket.send(new Uint8Array(MOST_MESSAGE_BYTES + 1))
    expect((await player.closed)[0]).toBe(1009)
    expect(page.reported).toEqual([expect.objectContaining({ name: 'RangeError' })])
    expect(stage.faults).toEqual([])
  })
})

describe('listeners', () => {
  test('are called as onmessage and as added ones, with the socket as the event’s target', async () => {
    const { socket, player } = await pair()
    const calls: string[] = []
    socket.onmessage = () => calls.push('old')
    socket.onmessage = ({ target }) => calls.push(`handler ${target === socket}`)
    socket.addEventListener('message', { handleEvent: () => void calls.push('object') })
    const removed = (): void => void calls.push('removed')
    socket.addEventListener('message', removed)
    socket.removeEventListener('message', removed)
    socket.addEventListener('message', () => calls.push('once'), { once: true })
    player.socket.send('')
    await until(() => expect(calls).toEqual(['handler true', 'object', 'once']))
    socket.onmessage = null
    player.socket.send('')
    await until(() => expect(calls.slice(3)).toEqual(['object']))
  })

  test('of onconnection that throw are reported, and are called for the next player', async () => {
    const { page, ...stage } = await startWithPage()
    const urls: string[] = []
    page.connections.onconnection = ({ url }) => {
      urls.push(url)
      if (url === '/first') throw new Error('of the game')
    }
    await joinPlayers(stage, '/first')
    await joinPlayers(stage, '/second')
    await until(() => expect(urls).toEqual(['/first', '/second']))
    expect(page.reported).toEqual([expect.objectContaining({ message: 'of the game' })])
  })
})
