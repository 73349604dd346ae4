import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PlayerSocket } from '../../../src/host/page-script/player-socket.js'
import { nextConnection, pair, type StageOptions } from '../players/players-support.js'
import { noBrowser, udpSockets } from '../support/processes.js'
import { pageOf, runHost } from '../support/run-host.js'
import { PeerOnNode } from './peer-on-node.js'
import {
  channelUp,
  joinWithChannel,
  overSocket,
  signalsOf,
  startChannels,
  type ChannelPlayer,
} from './webrtc-support.js'
import type { ConnectOptions } from '../../../src/host/player.js'
import { freePort } from '../../support/free-port.js'
import { until } from '../../support/until.js'

const text = (data: unknown): string => (typeof data === 'string' ? data : Buffer.from(data as ArrayBuffer).toString())

/** A UDP socket of this machine, until the test ends. */
async function openUdp(port = 0): Promise<Socket> {
  const socket = createSocket('udp4')
  onTestFinished(() => void socket.close())
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}

/** A game that echoes each message over the transport that the message's first letter names. */
function answerBoth(socket: PlayerSocket, seen: string[] = []): void {
  socket.onmessage = ({ data }) => {
    seen.push(text(data))
    if (text(data).startsWith('u')) socket.sendUnreliable(data as string | ArrayBuffer)
    else socket.send(data as string | ArrayBuffer)
  }
}

/** A player whose channel is up, and the texts that the game has seen of it. */
async function play(options: StageOptions = {}, ofPlayer: ConnectOptions = {}) {
  const stage = await startChannels(options)
  const seen: string[] = []
  stage.page.connections.onconnection = (socket) => answerBoth(socket, seen)
  const player = await joinWithChannel(stage, ofPlayer)
  await channelUp(player)
  return { stage, seen, player }
}

const closeCodeOf = ({ connection }: ChannelPlayer): Promise<number> =>
  new Promise((resolve) => {
    connection.onclose = ({ code }) => resolve(code)
  })

describe('a player with a data channel', () => {
  test('sends and gets unreliable messages over it, and all others over the WebSocket', async () => {
    const { stage, player } = await play()
    const before = player.socket.sent.length
    player.connection.sendUnreliable('u-text')
    player.connection.sendUnreliable(Buffer.from('u-bytes'))
    player.connection.send('r-text')
    player.connection.send(Buffer.from('r-bytes'))
    await until(() => expect(player.messages).toHaveLength(4))
    expect(player.messages.map(text).sort()).toEqual(['r-bytes', 'r-text', 'u-bytes', 'u-text'])
    expect(player.messages.map((data) => typeof data).sort()).toEqual(['object', 'object', 'string', 'string'])
    expect(player.socket.sent.slice(before).map(text)).toEqual(['r-text', 'r-bytes'])
    expect(overSocket(player).map(text)).toEqual(['r-text', 'r-bytes'])
    expect(stage.page.connections.sockets.size).toBe(1)
  })

  test('sends texts with any first characters unchanged', async () => {
    const { player } = await play()
    const texts = ['\0', '\0{"id":1,"up":true}', '\0\0{', '{"id":1}', '']
    for (const each of texts) player.connection.send(each)
    await until(() => expect(player.messages).toEqual(texts))
  })

  test('loses its channel when its WebSocket ends, and the port is free again', async () => {
    const stage = await startChannels()
    const socket = nextConnection(stage.page)
    const player = await joinWithChannel(stage)
    await channelUp(player)
    expect(udpSockets(stage.players.port)).toBe(1)
    ;(await socket).close(1000, 'over')
    await until(() => expect(player.connection.readyState).toBe(3))
    expect(player.connection.transport).toBe('websocket')
    await until(() => expect(PeerOnNode.all.map(({ connectionState }) => connectionState)).toEqual(['closed']))
    await stage.players.close()
    await until(() => expect(udpSockets(stage.players.port)).toBe(0))
  })

  test('goes on over the WebSocket when the channel breaks, and gets a new one', async () => {
    const { player } = await play()
    PeerOnNode.all[0]!.close()
    await until(() => expect(player.transports).toEqual(['webrtc', 'websocket']))
    player.connection.sendUnreliable('u1')
    await until(() => expect(player.messages).toEqual(['u1']))
    expect(overSocket(player)).toEqual(['u1'])
    await until(() => expect(player.transports).toEqual(['webrtc', 'websocket', 'webrtc']))
    player.connection.sendUnreliable('u2')
    await until(() => expect(player.messages).toEqual(['u1', 'u2']))
    expect(overSocket(player)).toEqual(['u1'])
  })

  test('gets everything over the WebSocket while its page says that the channel is down', async () => {
    const { player } = await play()
    player.socket.send('\0{"id":1,"up":false}' as never)
    await channelUp(player)
    player.connection.sendUnreliable('u')
    await until(() => expect(overSocket(player)).toEqual(['u']))
    expect(player.messages).toEqual(['u'])
  })

  test('learns over the WebSocket that the host has ended the channel', async () => {
    const { player } = await play()
    // This package's player opens no other channel.
    PeerOnNode.all[0]!.native.createDataChannel('another').onClosed(() => undefined)
    await until(() =>
      expect(signalsOf(player).at(-1)).toMatchObject({ ended: 'The player has opened another channel' }),
    )
    player.connection.send('r')
    await until(() => expect(player.messages).toEqual(['r']))
  })

  test('is closed with 1008 for too many messages, on either transport', async () => {
    const { player } = await play({ maxRate: 10 })
    const closed = closeCodeOf(player)
    for (let sent = 0; sent < 200; sent++) player.connection.sendUnreliable('x')
    expect(await closed).toBe(1008)
  })

  test('is closed with 1009 for an unreliable message that is too long for the host, as for a reliable one', async () => {
    const { seen, player } = await play({ maxMessage: 1000 })
    player.connection.sendUnreliable('x'.repeat(1000))
    await until(() => expect(seen).toHaveLength(1))
    const closed = closeCodeOf(player)
    player.connection.sendUnreliable('x'.repeat(1001))
    expect(await closed).toBe(1009)
    expect(seen).toHaveLength(1)
  })

  test('loses the channel for a message above the announced length, and the match goes on', async () => {
    class Deaf extends PeerOnNode {
      override setRemoteDescription({ sdp }: { sdp: string }): Promise<void> {
        const deaf = sdp.replace(/max-message-size:\d+/, 'max-message-size:100000')
        return super.setRemoteDescription({ type: 'answer', sdp: deaf } as never)
      }
    }
    const { seen, player } = await play({ maxMessage: 1000 }, { RTCPeerConnection: Deaf })
    player.connection.sendUnreliable('x'.repeat(1001))
    await until(() => expect(player.connection.transport).toBe('websocket'))
    player.connection.send('r')
    await until(() => expect(player.messages).toEqual(['r']))
    expect(seen).toEqual(['r'])
  })
})

describe('a player without a data channel sends and gets everything over the WebSocket', () => {
  const playsOn = async (stage: Awaited<ReturnType<typeof startChannels>>, options = {}): Promise<void> => {
    stage.page.connections.onconnection = (socket) => answerBoth(socket)
    const player = await joinWithChannel(stage, { timeout: 300, ...options })
    await until(() => expect(PeerOnNode.all.every(({ connectionState }) => connectionState === 'closed')).toBe(true))
    player.connection.sendUnreliable('u')
    player.connection.send('r')
    await until(() => expect(player.messages).toEqual(['u', 'r']))
    expect(player.connection.transport).toBe('websocket')
    expect(player.transports).toEqual([])
  }

  test('if the host has no data channels', async () => {
    await playsOn(await startChannels({ channelAddress: undefined }))
  })

  test('if UDP is blocked', async () => {
    const silent = await openUdp()
    await playsOn(await startChannels({}, { address: '127.0.0.1', port: silent.address().port }))
  })

  test('if the page may not create an RTCPeerConnection', async () => {
    class Forbidden {
      constructor() {
        throw new Error('forbidden')
      }
    }
    await playsOn(await startChannels(), { RTCPeerConnection: Forbidden })
  })
})

test('the host sends nothing to an address that a player merely names', async () => {
  const named = await openUdp()
  let packets = 0
  named.on('message', () => (packets += 1))
  const { port } = named.address()
  // The player never connects, so the host has all the time to check the one address that it was given.
  class Naming extends PeerOnNode {
    override get localDescription(): { readonly sdp: string } {
      const sdp = super.localDescription!.sdp.replace(/a=(candidate|end-of).*\r\n/g, '')
      return { sdp: `${sdp}a=candidate:9 1 UDP 2130706431 127.0.0.1 ${port} typ host\r\na=end-of-candidates\r\n` }
    }

    override addIceCandidate(): Promise<void> {
      return Promise.resolve()
    }
  }
  const stage = await startChannels()
  const player = await joinWithChannel(stage, { RTCPeerConnection: Naming, timeout: 1000 })
  await until(() => expect(signalsOf(player)[0]).toHaveProperty('answer'))
  await until(() => expect(PeerOnNode.all.map(({ connectionState }) => connectionState)).toEqual(['closed']))
  expect(packets).toBe(0)
})

test('a taken UDP port fails the start, and the listener is closed again', async () => {
  const port = await freePort()
  await openUdp(port)
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(startChannels({ playersPort: port })).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'bind' })
  }
})

test('unreliable messages to a player who does not read are dropped, and the player stays', async () => {
  const { player, socket } = await pair({ maxBuffered: 200_000 })
  player.socket.pause()
  const message = new Uint8Array(50_000)
  // Several times as many as would close the player, beyond the network's own buffers.
  for (let sent = 0; sent < 400; sent++) {
    socket.sendUnreliable(message)
    if (sent % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  socket.send('last')
  await until(() => expect(socket.bufferedAmount).toBeLessThan(200_000))
  player.socket.resume()
  await until(() => expect(player.messages.at(-1)).toBe('last'))
  expect(player.messages.length).toBeLessThan(400)
  expect(player.socket.readyState).toBe(player.socket.OPEN)
})

const ECHO = `
  setInterval(() => gameServerHost.tick(), 16)
  gameServerHost.onconnection = (socket) => {
    socket.onmessage = ({ data }) => data === 'reliable' ? socket.send(data) : socket.sendUnreliable(data)
  }`
if (noBrowser !== undefined) console.error(`The test of the host with WebRTC is SKIPPED: ${noBrowser}`)

test.skipIf(noBrowser !== undefined)(
  'host --webrtc serves players over both, and ends with 0 while channels are open',
  async () => {
    const host = runHost([await pageOf(ECHO), '--local', '--sidecar-port', '0', '--webrtc'])
    const { players } = await host.until('listening')
    await host.until('booted')
    const player = await joinWithChannel({ players: { url: players } })
    await channelUp(player)
    player.connection.send('reliable')
    player.connection.sendUnreliable('unreliable')
    await until(() => expect(player.messages).toHaveLength(2))
    const closed = closeCodeOf(player)
    host.signal('SIGTERM')
    expect(await closed).toBe(1001)
    expect(await host.exited).toBe(0)
    expect(host.stderr()).toBe('')
    expect(readdirSync('/proc')).not.toContain(String(host.pid))
  },
)
