import { execSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ask } from '../../support/wire.js'
import { dialPlayers, HANDSHAKE, joinPlayers, startEcho, type Stage, type Client } from './players-support.js'
import { until } from '../../support/until.js'

/**
 * Returns this number of sockets, or the most that this machine allows a process, with a message if these are fewer.
 */
function affordable(count: number): number {
  const limit = process.platform === 'win32' ? '' : execSync('ulimit -Hn', { encoding: 'utf8' }).trim()
  const most = /^\d+$/.test(limit) ? Math.min(count, Number(limit) - 500) : count
  if (most < count) console.warn(`Only ${most} instead of ${count} sockets can be opened here`)
  return most
}

/** Connections that send this and say no more. */
function crowd(stage: Stage, count: number, text: string): { ended: () => number } {
  let ended = 0
  const sockets = Array.from({ length: count }, () => {
    const socket: Socket = connect(stage.players.port, '127.0.0.1', () => socket.write(text))
    socket.on('error', () => undefined)
    socket.resume()
    socket.once('close', () => (ended += 1))
    return socket
  })
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  return { ended: () => ended }
}

async function expectEcho(player: Client, text: string): Promise<void> {
  player.socket.send(text)
  await until(() => expect(player.messages.at(-1)).toBe(text))
}

test('five hundred idle players leave room and answers for active players', async () => {
  const count = affordable(500)
  const { page, ...stage } = await startEcho({ maxPlayers: count + 2, probeInterval: 3_000 })
  const player = await joinPlayers(stage)
  const idle: Client[] = []
  const pinged = new Set<Client>()
  while (idle.length < count) {
    const one = await joinPlayers(stage)
    one.socket.on('ping', () => pinged.add(one))
    idle.push(one)
  }
  await until(() => expect(page.connections.sockets.size).toBe(count + 1))
  for (let i = 0; i < 100; i += 1) await expectEcho(player, String(i))
  // All idle connections are probed, and none is lost.
  await until(() => expect(pinged.size).toBe(count))
  expect(stage.changes.length).toBe(count + 1)
  await expectEcho(idle[count - 1]!, 'still here')
  expect((await ask(stage.players.port, 'GET /healthz', ['Host: x'])).status).toBe(200)
})

test.each<[what: string, text: string]>([
  ['heads that never end', HANDSHAKE.slice(0, -2)],
  ['foreign pages', HANDSHAKE.replace('\r\n\r\n', '\r\nOrigin: https://evil.example\r\n\r\n')],
])('despite a crowd of %s, players get answers and a new one finds a place', async (_what, text) => {
  const stage = await startEcho({ maxPlayers: 5, playerOrigins: ['https://game.example'] })
  const player = await joinPlayers(stage)
  const { ended } = crowd(stage, affordable(700), text)
  for (let i = 0; i < 50; i += 1) await expectEcho(player, String(i))
  const other = await until(async () => {
    const client = dialPlayers(stage)
    await new Promise((resolve, reject) => client.socket.once('open', resolve).once('close', reject))
    return client
  })
  await expectEcho(other, 'came in')
  await until(() => expect(ended()).toBeGreaterThan(0))
  await expectEcho(player, 'still here')
  expect(stage.faults).toEqual([])
  // The log stays short, however many connections were refused.
  expect(stage.lines.length).toBeLessThanOrEqual(100)
})
