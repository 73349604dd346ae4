/**
 * A sidecar for watches only: sends `events` different GameServers to every watcher, as fast as its socket accepts
 * them. Sends its port to its parent.
 */
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const events = Number(process.argv[2])
const MOST_BUFFERED = 1 << 20

const gameServer = (version) => ({
  object_meta: {
    name: 'bench-7k2xq',
    namespace: 'default',
    uid: '0a7c2c1e-5c5c-4f5e-9d53-7a1f4c2b9f10',
    resource_version: String(version),
    generation: String(version),
    creation_timestamp: '1700000000',
    deletion_timestamp: '0',
    annotations: { 'agones.dev/ready-container-id': 'containerd://5b0f', 'agones.dev/sdk-round': String(version % 7) },
    labels: { 'agones.dev/fleet': 'bench', 'agones.dev/sdk-map': 'harbour', 'agones.dev/sdk-score': String(version) },
  },
  spec: { health: { disabled: false, period_seconds: 5, failure_threshold: 5, initial_delay_seconds: 5 } },
  status: {
    state: 'Allocated',
    address: '203.0.113.7',
    addresses: [{ type: 'InternalIP', address: '10.0.0.7' }],
    ports: [{ name: 'default', port: 7000 }],
    players: null,
    counters: { rooms: { count: String(version % 100), capacity: '100' } },
    lists: { players: { capacity: '16', values: ['ada', 'grace', 'linus', 'margaret'] } },
  },
})

const lines = Array.from({ length: events }, (_, i) => Buffer.from(JSON.stringify({ result: gameServer(i + 1) })))
let watcher
let sent = 0

/**
 * Answers a GET during a watch once all events are sent. After an earlier response, the reader would treat later events
 * as stale.
 */
const server = createServer(async (_request, response) => {
  while (isSending()) await new Promise((resolve) => setTimeout(resolve, 5))
  response.setHeader('content-type', 'application/json').end(JSON.stringify(gameServer(watcher ? events : 1)))
})

const isSending = () =>
  watcher !== undefined && watcher.readyState === watcher.OPEN && (sent < events || watcher.bufferedAmount > 0)

new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  watcher = socket
  sent = 0
  const more = () => {
    while (sent < events && socket.bufferedAmount < MOST_BUFFERED) socket.send(lines[sent++], { binary: false })
    if (sent < events && socket.readyState === socket.OPEN) setImmediate(more)
  }
  socket.on('close', () => {
    watcher = undefined
  })
  more()
})

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
