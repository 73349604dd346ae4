/**
 * A game server that uses one of the two SDKs as its documentation shows, the official one with its error callbacks.
 * It reports what it sees, and does what it is told: `command`, `close`.
 *
 *   node guest.mjs ours|official <folder with the SDK installed> <HTTP port> <gRPC port>
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [kind, folder, httpPort, grpcPort] = process.argv.slice(2)
const require = createRequire(join(folder, 'package.json'))
const report = (message) => process.send(message)
const BEAT_MS = 1000
const OFFICIAL = '@google-cloud/agones-sdk'

async function ours() {
  const { createClient } = require('gameserver-sidecar')
  const client = createClient({ baseUrl: `http://127.0.0.1:${httpPort}`, autoHealth: { interval: BEAT_MS } })
  client.on('error', () => {})
  client.on('gameserver', ({ object_meta }) => report({ label: object_meta.labels?.['agones.dev/sdk-round'] }))
  await client.connect()
  return { setLabel: (value) => client.setLabel('round', value), close: () => client.close() }
}

async function official() {
  process.env.AGONES_SDK_GRPC_PORT = grpcPort
  const AgonesSDK = require(OFFICIAL)
  const sdk = new AgonesSDK()
  await sdk.connect()
  const labelIn = ({ objectMeta }) => new Map(objectMeta.labelsMap).get('agones.dev/sdk-round')
  sdk.watchGameServer(
    (gameServer) => report({ label: labelIn(gameServer) }),
    () => {},
  )
  setInterval(() => sdk.health(() => {}), BEAT_MS)
  return { setLabel: (value) => sdk.setLabel('round', value), close: () => process.exit(0) }
}

const sdk = await { ours, official }[kind]()
report({ connected: true })
process.on('message', async ({ value }) => {
  const begin = performance.now()
  const outcome = await sdk.setLabel(value).then(
    () => 'done',
    (error) => String(error.code),
  )
  report({ value, outcome, ms: performance.now() - begin })
})
