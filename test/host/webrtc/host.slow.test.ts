import { readdirSync } from 'node:fs'
import { onTestFinished, describe, expect, test } from 'vitest'
import { connect } from '../../../src/host/player.js'
import { WebSocket } from 'ws'
import { noBrowser } from '../support/processes.js'
import { pageOf, runHost } from '../support/run-host.js'
import { endPeers, PeerOnNode } from './peer-on-node.js'
import { until } from '../../support/until.js'

if (noBrowser !== undefined) console.error(`The tests of the host with WebRTC are SKIPPED: ${noBrowser}`)

const ECHO = `
  setInterval(() => gameServerHost.tick(), 16)
  gameServerHost.onconnection = (socket) => {
    socket.onmessage = ({ data }) => data === 'reliable' ? socket.send(data) : socket.sendUnreliable(data)
  }`

describe.skipIf(noBrowser !== undefined)('host --webrtc', () => {
  test('serves players over data channels and WebSockets, and ends with 0 while channels are open', async () => {
    const host = runHost([await pageOf(ECHO), '--local', '--sidecar-port', '0', '--webrtc'])
    const { players } = await host.until('listening')
    await host.until('booted')
    const connection = connect(players, { unreliable: true, WebSocket, RTCPeerConnection: PeerOnNode })
    onTestFinished(endPeers)
    const messages: unknown[] = []
    connection.onmessage = ({ data }) => messages.push(data)
    await until(() => expect(connection.transport).toBe('webrtc'))
    connection.send('reliable')
    connection.sendUnreliable('unreliable')
    await until(() => expect(messages).toHaveLength(2))
    const closed = new Promise((resolve) => {
      connection.onclose = ({ code }) => resolve(code)
    })
    host.signal('SIGTERM')
    expect(await closed).toBe(1001)
    expect(await host.exited).toBe(0)
    expect(host.stderr()).toBe('')
    expect(readdirSync('/proc')).not.toContain(String(host.pid))
  })
})
