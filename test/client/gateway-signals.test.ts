import { expect, test } from 'vitest'
import { closeFrame } from '../support/fault-server-frames.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { following, sending } from '../support/fault-server-steps.js'
import type { Step } from '../support/fault-server.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

/** The signals that a client tells of whose first connection ends so; its second is a good one. */
async function signalsOf(watch: 'websocket' | 'stream', end: Step): Promise<string[]> {
  const sidecar = await startScripted([
    { on: 'watch', nth: 1, step: sending([gameServer(1)], end) },
    { on: 'watch', step: following },
  ])
  const client = connectClient(sidecar, { watch })
  const signals: string[] = []
  client.on('signal', ({ signal }) => void signals.push(signal))
  client.on('gameserver', () => {})
  await sidecar.until(() => sidecar.followers > 0, 'the second watch')
  sidecar.publish(gameServer(2))
  await client.waitFor(({ object_meta }) => object_meta.resource_version === '2')
  return signals
}

const closing =
  (code: number, reason: string): Step =>
  async (exchange) => {
    await exchange.write(closeFrame(code, reason))
    exchange.connection.finish()
  }

const saying =
  (error: unknown): Step =>
  async (exchange) => {
    await exchange.sendText(JSON.stringify({ error }))
    await exchange.end()
  }

test.each(['SIGTERM', 'SIGINT'])('a gateway that goes away with %s tells of that signal, once', async (signal) => {
  expect(await signalsOf('websocket', closing(1001, signal))).toEqual([signal])
  const error = { code: 14, message: `The gateway is stopping (${signal})`, details: [] }
  expect(await signalsOf('stream', saying(error))).toEqual([signal])
})

test.each([
  [1001, ''],
  [1001, '(SIGNALING)'],
  [1001, 'SIGNALING'],
  [1001, 'SIGNAL'],
  [1001, 'bye (SIGTERMINATED)'],
  [1001, 'SIGTERM please'],
  [1001, 'not a (SIGTERM)'],
  [1001, '(SIGTERM)'],
  [1001, 'sigterm'],
  [1000, 'SIGTERM'],
  [1011, 'SIGTERM'],
  [4000, 'no player sent (SIGTERM)'],
])('a WebSocket that closes with %i "%s" tells of no signal', async (code, reason) => {
  expect(await signalsOf('websocket', closing(code, reason))).toEqual([])
})

test.each([
  [{ code: 14, message: 'The gateway is stopping', details: [] }],
  [{ code: 14, message: 'peer went away (SIGNALING)', details: [] }],
  [{ code: 14, message: 'upstream said: (SIGTERM)', details: [] }],
  [{ code: 14, message: 'The gateway is stopping (SIGNALING)', details: [] }],
  [{ code: 2, message: 'The gateway is stopping (SIGTERM)', details: [] }],
  [{ code: 14, message: 'error (SIGTERM)\nThe gateway is stopping', details: [] }],
])('a stream that ends with %o tells of no signal', async (error) => {
  expect(await signalsOf('stream', saying(error))).toEqual([])
})
