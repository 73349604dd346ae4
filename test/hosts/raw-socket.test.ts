import { describe, expect, onTestFinished, test } from 'vitest'
import { binaries } from '../contract/support/releases.js'
import { startRealSidecar } from '../contract/support/real-sidecar.js'
import { gameServer } from '../support/game-server.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { fragments, utf8 } from '../support/frames.js'
import { opened } from '../support/fault-server-steps.js'
import { build, runInGuest } from './support/guest.js'
import { createQuickJs } from './support/vms.js'

/** Watches by the WebSocket of the script for frames, over a TCP connection of the engine. */
const run = async (baseUrl: string, program: string): Promise<unknown> =>
  runInGuest(await createQuickJs(), {
    baseUrl,
    engine: 'var host = transports',
    load: build('umd') + '\n' + build('frames.umd'),
    options: `{
      baseUrl: baseUrl, scheduler: false, watch: 'websocket', fetch: host.fetch,
      WebSocket: GameServerSidecarFrames.createWebSocketClass(host.connect),
    }`,
    program,
  })

/** Has the sidecar tell a GameServer of 60 KiB, and waits until the watch shows it. */
const large = `function (client) {
  var text = new Array(9901).join('ö🎮')
  return client.setAnnotation('large', text, { confirm: true }).then(function (outcome) {
    return [outcome, client.status.transport]
  })
}`

describe('QuickJS with a TCP socket and two scripts, without WebSocket and modules', () => {
  test('the watch shows a GameServer of 60 KiB that comes in fragments', async () => {
    const annotations = { large: 'ö🎮'.repeat(9900) }
    const sent = gameServer(1, { annotations })
    const step = opened(async (exchange) => {
      await exchange.sendBytes(fragments(1, utf8(JSON.stringify({ result: sent })), 1000))
      await exchange.connection.gone
    })
    const sidecar = await createScriptedSidecar([{ on: 'watch', step }])
    onTestFinished(() => sidecar.close())
    const program = `function (client) {
      return client.waitFor(function (gameServer) { return (gameServer.object_meta.annotations || {}).large }).then(function (gameServer) {
        return [gameServer.object_meta.annotations.large.length, client.status.transport]
      })
    }`
    expect(await run(sidecar.url, program)).toEqual([annotations.large.length, 'websocket'])
  })

  test.each(binaries)('the watch shows a GameServer of 60 KiB of the real sidecar $release', async (binary) => {
    const sidecar = await startRealSidecar(binary)
    onTestFinished(() => sidecar.stop())
    expect(await run(`http://127.0.0.1:${sidecar.port}`, large)).toEqual(['confirmed', 'websocket'])
  })
})
