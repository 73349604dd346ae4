import { createClient } from 'gameserver-sidecar'
import { WebSocketServer } from 'ws'

const { PORT = 7777, COME_SECONDS = 60 } = process.env
const PLAYERS = 2
const POINTS = 10

const client = createClient({ autoHealth: true, processSignals: true })
const server = new WebSocketServer({ port: Number(PORT) })
const points = new Map()
let match // what runs here: undefined until an allocation, and 'over' at the end
let limit

server.on('listening', async () => {
  console.log(`players come in at ws://localhost:${server.address().port}`)
  const { status } = await client.connect()
  // This process has taken the place of one that died in its match. `ready()` would give the server to a second match.
  if (status.state === 'Allocated') return end('the match is lost')
  client.on('allocated', open)
  await client.ready()
})

/** Somebody has been given this server. Whoever asked for it may never come, and it would be kept for ever. */
function open({ annotations }) {
  match = 'open'
  limit = setTimeout(end, COME_SECONDS * 1000, 'the players did not come')
  console.log(`allocated, map ${annotations.map}`)
}

server.on('connection', (socket, { url }) => {
  const player = new URL(url, 'ws://game').searchParams.get('player')
  if (match !== 'open' || !player || points.has(player)) return socket.close(4000, 'there is no place for you')
  points.set(player, 0)
  socket.on('close', () => {
    if (match === 'open') points.delete(player)
    if (match === 'running' && server.clients.size === 0) end('everybody has left')
  })
  // Whatever is sent is a point: put your game here.
  socket.on('message', () => {
    if (match !== 'running') return
    points.set(player, points.get(player) + 1)
    if (points.get(player) === POINTS) end(`${player} has won`)
  })
  if (points.size < PLAYERS) return
  match = 'running'
  clearTimeout(limit)
  const start = JSON.stringify({ type: 'start', players: [...points.keys()] })
  server.clients.forEach((player) => player.send(start))
})

async function end(reason) {
  if (match === 'over') return
  match = 'over'
  console.log(`over: ${reason}`)
  closeAll(1000, reason)
  // The platform deletes this server, ends this process by SIGTERM and starts another one. If the call gets lost, the
  // program fails after 5 s, and the platform replaces the server as Unhealthy: it isn't kept Allocated for ever.
  await client.shutdown({ confirm: true, timeout: 5000 })
}

const closeAll = (code, reason) => server.clients.forEach((socket) => socket.close(code, reason))
client.on('ending', () => closeAll(1001))
client.on('error', ({ message }) => console.error(message))
