import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { attachServer } from '../../src/players/ws.js'
import { attachServer as attachSocketIo } from '../../src/players/socket.io.js'
import { isNetwork, trustProxies } from '../../src/protocol/networks.js'
import { joinPlayers, openPageOnNode, startPlayers } from '../host/players/players-support.js'

describe('the address of a player behind proxies of 10.0.0.0/8, 192.168.7.9 and fd00::/8', () => {
  const addressOf = trustProxies(['10.0.0.0/8', '192.168.7.9', 'fd00::/8'])

  test.each<[what: string, peer: string | undefined, forwarded: string | undefined, address: string]>([
    ['the peer, if it is no proxy', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['the peer, without the header', '10.1.2.3', undefined, '10.1.2.3'],
    ['the only address', '10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['the last address, since a player may send the first', '10.1.2.3', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['the last address that is no proxy', '10.1.2.3', '1.1.1.1,203.0.113.9 , 10.9.9.9,192.168.7.9', '203.0.113.9'],
    ['the first address, if all are proxies', '10.1.2.3', '10.4.5.6, 10.9.9.9', '10.4.5.6'],
    ['an IPv6 address', '10.1.2.3', '2001:DB8::1', '2001:DB8::1'],
    ['what an IPv6 proxy says', 'fdab::1:2', '203.0.113.9', '203.0.113.9'],
    ['IPv4, where a dual-stack socket shows IPv6', '::ffff:10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
    ['a neighbour of the single proxy', '192.168.7.8', '203.0.113.9', '192.168.7.8'],
    ['the peer, for a name', '10.1.2.3', 'example.com', '10.1.2.3'],
    ['the peer, for a port', '10.1.2.3', '203.0.113.9:5', '10.1.2.3'],
    ['the peer, for a number in octal', '10.1.2.3', '203.0.113.010', '10.1.2.3'],
    ['the peer, for a number above 255', '10.1.2.3', '203.0.113.256', '10.1.2.3'],
    ['the peer, for two ::', '10.1.2.3', '1::2::3', '10.1.2.3'],
    ['the peer, for garbage behind a proxy', '10.1.2.3', 'unknown, 10.9.9.9', '10.1.2.3'],
    ['empty, for a socket without a peer', undefined, '203.0.113.9', ''],
  ])('is %s', (_what, peer, forwarded, address) => {
    expect(addressOf(peer, forwarded)).toBe(address)
  })

  test.each(['', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '1:2:3/16', 'localhost', 7])(
    'needs networks, which %j is not',
    (text) => expect(isNetwork(text)).toBe(false),
  )
})

describe('without trustProxy, what a player says in X-Forwarded-For counts for nothing', () => {
  const headers = { 'x-forwarded-for': '203.0.113.66' }

  test('in the host', async () => {
    const stage = await startPlayers()
    await openPageOnNode(stage)
    await joinPlayers(stage, '/', { headers })
    expect(stage.changes).toMatchObject([{ state: 'open', remoteAddress: '127.0.0.1' }])
  })

  test.each<[trustProxy: string[] | undefined, address: string]>([
    [undefined, '127.0.0.1'],
    [['127.0.0.0/8'], '203.0.113.66'],
  ])('in a server of ws; with trustProxy %j the address is %s', async (trustProxy, address) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const client = { baseUrl: 'http://127.0.0.1:9', processSignals: false }
    const attached = attachServer(server, { players: false, client, ...(trustProxy && { trustProxy }) })
    const player = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { headers })
    player.on('error', () => undefined)
    onTestFinished(() => {
      attached.close()
      player.terminate()
      server.close()
    })
    const [[, request]] = (await Promise.all([once(server, 'connection'), once(player, 'open')])) as [
      [unknown, object],
      unknown,
    ]
    player.terminate()
    await once(player, 'close')
    expect(attached.addressOf(request)).toBe(address)
    expect(attached.addressOf({})).toBe('')
  })
})

test('a malformed trustProxy throws, in the words of each part', async () => {
  const trustProxy = ['10.0.0.0/8', '10.0.0.0/40']
  await expect(startPlayers({ trustProxy })).rejects.toThrow(/trustProxy.*a network such as 10\.0\.0\.0\/8/)
  expect(() => attachServer(createServer(), { trustProxy })).toThrow(/trustProxy.*a list of networks such as 10/)
  const io = { of: () => ({ sockets: new Map() }), attach: () => undefined } as never
  expect(() => attachSocketIo(io, { trustProxy: '10.0.0.0/8' as never })).toThrow(/trustProxy.*a list of networks/)
})
