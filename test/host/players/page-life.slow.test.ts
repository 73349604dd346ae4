import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { PlayerSocket } from '../../../src/host/page-script/player-socket.js'
import { BatchWriter } from '../../../src/host/wire/batches.js'
import { ask, dial } from '../../support/wire.js'
import {
  dialPlayers,
  echo,
  HANDSHAKE,
  joinPlayers,
  nextConnection,
  openPageOnNode,
  pair,
  startPlayers,
  startWithPage,
  type Stage,
  type PageOnNode,
  type Client,
} from './players-support.js'
import { until } from '../../support/until.js'

/** Resolves when the page is connected, at the host's end, too. */
const untilOpen = ({ players }: Stage): Promise<void> =>
  until(async () => expect((await ask(players.port, 'GET /healthz', ['Host: x'])).status).toBe(200))

async function playing(stage: Stage, page: PageOnNode): Promise<void> {
  echo(page)
  const player = await joinPlayers(stage)
  player.socket.send('here')
  expect(await player.message(0)).toBe('here')
}

describe("when the page's socket ends", () => {
  test('players are closed with 1012, the page sees 1006, and reconnects by itself for new players', async () => {
    const { stage, page, player, socket } = await pair()
    socket.send('x')
    await player.message(0)
    const seen: unknown[] = []
    socket.onerror = ({ type }) => void seen.push(type)
    socket.onclose = ({ code, wasClean }) => void seen.push(code, wasClean)
    for (const own of stage.pageSockets) own.destroy()
    expect(await player.closed).toEqual([1012, 'The game restarts'])
    await until(() => expect(seen).toEqual(['error', 1006, false]))
    await untilOpen(stage)
    const next = nextConnection(page)
    await joinPlayers(stage)
    const other = await next
    other.send('x')
    await until(() => expect(other.bufferedAmount).toBe(0))
    other.send('counted anew')
    await Promise.resolve()
    expect(other.bufferedAmount).toBe(12)
    expect(page.connections.sockets.has(socket.id)).toBe(false)
    expect(stage.changes.slice(0, 2)).toEqual([
      { id: 1, state: 'open', remoteAddress: '127.0.0.1' },
      { id: 1, state: 'closed', remoteAddress: '127.0.0.1', code: 1012, reason: 'The game restarts' },
    ])
  })
})

test('players are closed with 1011 when the page is lost for good, and with 1001 when the host is stopping', async () => {
  const { page, ...stage } = await startWithPage({ mayStartAgain: () => false })
  const player = await joinPlayers(stage)
  for (const own of stage.pageSockets) own.destroy()
  expect(await player.closed).toEqual([1011, 'The game server has failed'])
  await until(() => expect(page.sockets.length).toBe(2))
  await untilOpen(stage)
  const other = await joinPlayers(stage)
  stage.players.refuse()
  for (const own of stage.pageSockets) own.destroy()
  expect(await other.closed).toEqual([1001, 'The game server is stopping'])
})

test('a page that is being restarted admits nobody, and new players reach the next page', async () => {
  const stage = await startPlayers()
  const before = await openPageOnNode(stage)
  const player = await joinPlayers(stage)
  stage.players.startAgain()
  expect((await ask(stage.players.port, 'GET /healthz', ['Host: x'])).status).toBe(503)
  expect(await player.closed).toEqual([1012, 'The game restarts'])
  await until(() => expect(stage.pageSockets.size).toBe(0))
  const late = dialPlayers(stage)
  expect((await late.closed)[0]).toBe(1006)
  expect(stage.changes.length).toBe(2)
  const after = await openPageOnNode(stage)
  await playing(stage, after)
  expect(before.sockets.length).toBe(1)
})

test('a reloaded page replaces the previous page, which doesn’t reconnect', async () => {
  const stage = await startPlayers()
  const before = await openPageOnNode(stage)
  const player = await joinPlayers(stage)
  const after = await openPageOnNode(stage)
  expect(await player.closed).toEqual([1012, 'The game restarts'])
  await playing(stage, after)
  expect(before.sockets.length).toBe(1)
  expect(before.connections.sockets.size).toBe(0)
  expect(after.connections.sockets.size).toBe(1)
})

/** Resolves when a number has not changed for many turns of the event loop. */
async function standstill(read: () => number): Promise<void> {
  let last = NaN
  for (let turns = 0; turns < 50; turns += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    if (read() !== last) turns = 0
    last = read()
  }
}

describe('a page that hangs', () => {
  test('makes messages wait at the players and new players be refused, and gets all messages when it goes on', async () => {
    const { page, ...stage } = await startWithPage({ maxRate: 1_000_000 })
    let bytes = 0
    page.connections.onconnection = (socket: PlayerSocket) => {
      socket.onmessage = ({ data }) => (bytes += (data as ArrayBuffer).byteLength)
    }
    const players = await Promise.all(Array.from({ length: 4 }, () => joinPlayers(stage)))
    page.sockets[0]!.pause()
    const flood = ({ socket }: Client): void => {
      for (let i = 0; i < 300; i += 1) socket.send(Buffer.alloc(60_000))
    }
    const waiting = (): number => players.reduce((sum, { socket }) => sum + socket.bufferedAmount, 0)
    players.forEach(flood)
    await standstill(waiting)
    expect(await dialPlayers(stage).closed).toEqual([1013, 'The game is busy'])
    expect(waiting()).toBeGreaterThan(36_000_000)
    page.sockets[0]!.resume()
    await until(() => expect(bytes).toBe(4 * 300 * 60_000))
  })

  test('doesn’t keep the host from closing players at the end', async () => {
    const { page, ...stage } = await startWithPage()
    const player = await joinPlayers(stage)
    page.sockets[0]!.pause()
    await stage.players.close()
    expect((await player.closed)[0]).toBe(1001)
  })
})

test('a message of the page to a player who has left is ignored', async () => {
  const stage = await startPlayers()
  const page = new WebSocket(`ws://${stage.inside}${stage.players.pagePath}`)
  await once(page, 'open')
  const writer = new BatchWriter((batch) => page.send(batch))
  writer.data(77, 'a')
  writer.close(77, 1000, '')
  writer.flush()
  const player = await joinPlayers(stage)
  writer.data(1, 'still here')
  writer.flush()
  expect(await player.message(0)).toBe('still here')
  page.terminate()
})

describe('a player whose connection is half-open', () => {
  test('is detected by unanswered pings', async () => {
    const { page, ...stage } = await startWithPage({ probeInterval: 100 })
    const connection = nextConnection(page)
    await dial(stage.players.port, HANDSHAKE)
    const socket = await connection
    await new Promise((resolve) => (socket.onclose = resolve))
    expect(stage.changes.at(-1)).toMatchObject({ state: 'closed', code: 1006 })
  })

  test('is told apart from players who only answer pings, and from players whom the page makes wait', async () => {
    // Much longer than the turns of the flood, since players and host share one event loop here.
    const { page, ...stage } = await startWithPage({ probeInterval: 2_000, maxRate: 1_000_000 })
    page.connections.onconnection = (socket) => {
      socket.onmessage = () => undefined
    }
    const idle = await joinPlayers(stage)
    const busy = await joinPlayers(stage)
    let pings = 0
    idle.socket.on('ping', () => (pings += 1))
    page.sockets[0]!.pause()
    for (let i = 0; i < 300; i += 1) busy.socket.send(Buffer.alloc(60_000))
    await until(() => expect(pings).toBeGreaterThan(2))
    page.sockets[0]!.resume()
    await until(() => expect(pings).toBeGreaterThan(4))
    expect(stage.changes.filter(({ state }) => state === 'closed')).toEqual([])
  })

  test('is told apart from players whose answers are unread because the host itself stood still', async () => {
    const stage = await startWithPage({ probeInterval: 100 })
    const player = await joinPlayers(stage)
    let pings = 0
    player.socket.on('ping', () => {
      pings += 1
      // The answer is in flight, and the blocked host in this thread doesn't read it.
      for (const end = performance.now() + 250; performance.now() < end;);
    })
    await until(() => expect(pings).toBeGreaterThan(4))
    expect(player.socket.readyState).toBe(player.socket.OPEN)
    expect(stage.changes.length).toBe(1)
  })
})
