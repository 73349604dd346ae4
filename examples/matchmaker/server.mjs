import { createClient } from 'gameserver-sidecar'
import { WebSocketServer } from 'ws'

const { PORT = 7777, COME_SECONDS = 60 } = process.env

const client = createClient({ autoHealth: true, processSignals: true })
const server = new WebSocketServer({ port: Number(PORT) })
const here = new Set() // players
let seats = [] // the players whom the matchmaker sends
let match // what runs here: undefined until an allocation, and 'over' at the end

server.on('listening', async () => {
  console.log(`players come in at ws://localhost:${server.address().port}`)
  // This process has taken the place of one that died in its match. `ready()` would give the server to a second match.
  if ((await client.connect()).status.state === 'Allocated') return end('the match is lost')
  await client.ready()
})

const allocated = new Promise((resolve) => client.on('allocated', resolve))
allocated.then(({ annotations }) => {
  seats = annotations.players.split(',')
  match = 'open'
  console.log(`allocated for ${seats.join(' and ')}`)
  setTimeout(() => match === 'open' && end('too few came'), COME_SECONDS * 1000)
})

server.on('connection', async (socket, { url }) => {
  const player = new URL(url, 'ws://game').searchParams.get('player')
  socket.on('message', () => match === 'running' && end(`${player} has won`)) // put your game here
  // A player may be quicker than the news of the allocation.
  await allocated
  if (match !== 'open' || !seats.includes(player) || here.has(player)) {
    return socket.close(4000, 'there is no place for you')
  }
  here.add(player)
  socket.on('close', () => here.delete(player) && match === 'running' && here.size === 0 && end('everybody has left'))
  if (here.size < seats.length) return
  match = 'running'
  server.clients.forEach((socket) => socket.send(JSON.stringify({ type: 'start', players: seats })))
})

async function end(reason) {
  if (match === 'over') return
  match = 'over'
  console.log(`over: ${reason}`)
  closeAll(1000, reason)
  // If that gets lost, the program fails, and the platform replaces the server as Unhealthy.
  await client.shutdown({ confirm: true, timeout: 5000 })
}

const closeAll = (code, reason) => server.clients.forEach((socket) => socket.close(code, reason))
client.on('ending', () => closeAll(1001))
client.on('error', ({ message }) => console.error(message))
