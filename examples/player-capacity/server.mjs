// Seats: an allocation promises them to players by putting their ids on the list `players`. Those come in at once, others
// while a seat is free. Who doesn't come in time loses the seat, and an empty server ends.
import { createClient } from 'gameserver-sidecar'
import { trackPlayers } from 'gameserver-sidecar/players'
import { WebSocketServer } from 'ws'

const { PORT = 7777, COME_SECONDS = 60, EMPTY_SECONDS = 10 } = process.env
const sockets = new Map() // by the id of their player

const client = createClient({ autoHealth: true, processSignals: true })
const players = trackPlayers(client, { list: 'players', noShow: COME_SECONDS * 1000 })
players.on('noshow', ({ id }) => console.log(`${id} did not come`))
players.on('full', () => console.log('full'))
players.on('error', ({ message }) => console.error(message))

const server = new WebSocketServer({ port: Number(PORT) })
server.on('listening', async () => {
  console.log(`players come in at ws://localhost:${server.address().port}`)
  // A process that starts again on a server with players must not make it Ready: it is in use.
  const { status } = await client.connect()
  if (status.state !== 'Allocated') await client.ready()
  setInterval(() => void endIfEmpty()?.catch(({ message }) => console.error(message)), EMPTY_SECONDS * 500)
})

server.on('connection', async (socket, { url }) => {
  // A real game reads the id from a token that its matchmaker has signed.
  const id = new URL(url, 'ws://game').searchParams.get('player') ?? ''
  try {
    if (!players.has(id)) console.log(`${id} has a seat, ${await players.join(id)}`)
  } catch ({ code }) {
    return socket.close(4000, code)
  }
  // The same player once more: the old connection may not know yet that it is broken.
  sockets.get(id)?.close(4001, 'you came in elsewhere')
  sockets.set(id, socket)
  const leave = () => sockets.get(id) === socket && sockets.delete(id) && players.leave(id)
  if (socket.readyState !== socket.OPEN) return leave() // gone while it waited for the seat
  socket.on('close', leave)
  socket.send(JSON.stringify({ type: 'welcome', players: players.ids }))
})

// One step at a time, by what the platform shows: a step that was lost on its way is made again.
function endIfEmpty() {
  const { object_meta: meta, status } = client.gameServer
  const isOver = status.state === 'Allocated' && players.ids.length + players.expected.length === 0
  const isOpen = meta.labels['agones.dev/sdk-open'] === 'true'
  // No allocation chooses a server that isn't open, so it is closed first, and ended if none was quicker.
  if (isOpen === isOver) return client.setLabel('open', String(!isOver))
  if (isOver) return client.shutdown()
}

client.on('ending', () => server.clients.forEach((socket) => socket.close(1001)))
client.on('error', ({ message }) => console.error(message))
