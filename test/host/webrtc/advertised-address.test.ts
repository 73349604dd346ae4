import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  candidatesFor,
  createAdvertisedAddress,
  readReachable,
} from '../../../src/host/players/webrtc/advertised-address.js'
import type { GameServer } from '../../../src/protocol/game-server.js'
import { joinWithChannel, signalsOf, startChannels } from './webrtc-support.js'
import { until } from '../../support/until.js'
import { listenHere } from '../../support/listen.js'

const gameServer = (address: string, ...ports: [name: string, port: number][]) =>
  ({ status: { address, ports: ports.map(([name, port]) => ({ name, port })) } }) as GameServer

describe('the advertised address of the server', () => {
  test.each([
    ['its only port', gameServer('203.0.113.7', ['default', 7001]), 7001],
    ['the port called players', gameServer('203.0.113.7', ['admin', 7000], ['players', 7001]), 7001],
    ['the UDP half of a port for both', gameServer('203.0.113.7', ['players-tcp', 7001], ['players-udp', 7002]), 7002],
    ['the UDP half of another name', gameServer('203.0.113.7', ['game-tcp', 7001], ['game-udp', 7002]), 7002],
  ])('is the node’s address and %s', (_, it, port) => {
    expect(readReachable(it)).toEqual({ address: '203.0.113.7', port })
  })

  test.each([
    ['a local sidecar’s 127.0.0.1', gameServer('127.0.0.1', ['default', 7777])],
    ['localhost', gameServer('localhost', ['default', 7777])],
    ['no address', gameServer('', ['default', 7777])],
    ['no ports', gameServer('203.0.113.7')],
  ])('is not known from %s', (_, it) => {
    expect(readReachable(it)).toBeUndefined()
  })

  test('is requested until it is known, and then no more', async () => {
    const answers = ['no JSON', '{}', JSON.stringify(gameServer('203.0.113.7', ['players', 7001]))]
    let reads = 0
    const sidecar = createServer((_request, answer) => void answer.end(answers[reads++]))
    const address = createAdvertisedAddress(`http://127.0.0.1:${await listenHere(sidecar)}`)
    expect(await address()).toBeUndefined()
    expect(await Promise.all([address(), address()])).toEqual([undefined, undefined])
    expect(await address()).toEqual({ address: '203.0.113.7', port: 7001 })
    expect(await address()).toEqual({ address: '203.0.113.7', port: 7001 })
    expect(reads).toBe(3)
  })
})

describe('the candidates of an answer', () => {
  const own = { address: '::ffff:192.0.2.1', port: 7777 }

  test('are the node’s address and port, without the pod’s', async () => {
    const stage = await startChannels({}, { address: '203.0.113.7', port: 7001 })
    const player = await joinWithChannel(stage, { timeout: 200 })
    await until(() => expect(signalsOf(player)).not.toHaveLength(0))
    const { answer, candidates } = signalsOf(player)[0] as { answer: string; candidates: string[] }
    expect(candidates).toEqual(['candidate:1 1 UDP 2122317823 203.0.113.7 7001 typ host'])
    expect(answer).not.toMatch(/candidate|127\.0\.0\.1/)
    expect(answer).not.toContain(String(stage.players.port))
  })

  test('are the address that the WebSocket has reached, if the server has no advertised address', async () => {
    expect(await candidatesFor(undefined, own)).toEqual(['candidate:1 1 UDP 2122317823 192.0.2.1 7777 typ host'])
  })

  test('are a name and then its addresses', async () => {
    const [first, second] = await candidatesFor({ address: 'localhost', port: 7 }, own)
    expect(first).toBe('candidate:1 1 UDP 2122317823 localhost 7 typ host')
    expect(second).toMatch(/^candidate:2 1 UDP 2122317822 (127\.0\.0\.1|::1) 7 typ host$/)
  })

  test('are only the name if it can’t be resolved here', async () => {
    expect(await candidatesFor({ address: 'no-such-node.invalid', port: 7 }, own)).toHaveLength(1)
  })
})
