import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { onTestFinished, expect, test } from 'vitest'
import { pair } from '../players/players-support.js'
import { channelUp, joinWithChannel, startChannels } from './webrtc-support.js'
import { until } from '../../support/until.js'

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

test('datagrams of strangers don’t end a channel', async () => {
  const stage = await startChannels()
  stage.page.connections.onconnection = (socket) => {
    socket.onmessage = ({ data }) => socket.sendUnreliable(data as string)
  }
  const player = await joinWithChannel(stage)
  await channelUp(player)
  const stranger = createSocket('udp4')
  onTestFinished(() => void stranger.close())
  for (let sent = 0; sent < 3000; sent++) {
    const datagram = randomBytes(20 + (sent % 1400))
    if (sent % 3 === 1) {
      // The start of a STUN binding request of this length, with its cookie.
      datagram.writeUInt16BE(1, 0)
      datagram.writeUInt16BE(datagram.length - 20, 2)
      datagram.writeUInt32BE(0x2112a442, 4)
    }
    // A DTLS 1.2 handshake.
    if (sent % 3 === 2) datagram.set([22, 254, 253])
    stranger.send(datagram, stage.players.port, '127.0.0.1')
    if (sent % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await until(() => {
    player.connection.sendUnreliable('still here')
    expect(player.messages).toContain('still here')
  })
  expect(player.transports).toEqual(['webrtc'])
})
