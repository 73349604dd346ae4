// Several sessions on one server, counted: each allocation adds 1 to the counter `rooms` and opens a room here. A room
// that stays empty, because its players have left or never came, ends and gives its place back.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'gameserver-sidecar'
import { trackSessions } from 'gameserver-sidecar/players'
import { WebSocketServer } from 'ws'

const { PORT = 7777, EMPTY_SECONDS = 30 } = process.env
const rooms = new Map() // by the id of their session

const client = createClient({ autoHealth: true, processSignals: true })
const server = new WebSocketServer({ port: Number(PORT) })
server.on('listening', async () => {
  const sessions = trackSessions(client, { counter: 'rooms', onSession: open })
  sessions.on('error', ({ message }) => console.error(message))
  console.log(`players come in at ws://localhost:${server.address().port}`)
  // A process that starts again on a server with sessions must not make it Ready: they are told to `open`.
  const { status } = await client.connect()
  if (status.state !== 'Allocated') await client.ready()
})

function open(session) {
  const room = { session, players: new Set() }
  rooms.set(session.id, room)
  console.log(`room ${session.id} is open: ${rooms.size} in all`)
  endIfEmpty(room)
}

function endIfEmpty(room) {
  if (room.players.size > 0) return
  room.timer = setTimeout(() => {
    rooms.delete(room.session.id)
    console.log(`room ${room.session.id} is over: ${rooms.size} in all`)
    void room.session.end()
  }, EMPTY_SECONDS * 1000)
}

server.on('connection', async (socket, { url }) => {
  const query = new URL(url, 'ws://game').searchParams
  // The matchmaker has its answer before this server has seen the allocation, and so may its players.
  for (let tries = 0; !rooms.has(query.get('room')) && tries < 30; tries++) await sleep(100)
  const room = rooms.get(query.get('room'))
  if (room === undefined || socket.readyState !== socket.OPEN) return socket.close(4000, 'there is no such room')
  clearTimeout(room.timer)
  room.players.add(socket)
  const tell = (message) => room.players.forEach((player) => player.send(JSON.stringify(message)))
  // Whatever is sent goes to all in the room: put your game here.
  socket.on('message', (data) => tell({ type: 'said', by: query.get('player'), text: String(data) }))
  socket.on('close', () => room.players.delete(socket) && endIfEmpty(room))
  tell({ type: 'came', player: query.get('player'), here: room.players.size })
})

client.on('ending', () => server.clients.forEach((socket) => socket.close(1001)))
client.on('error', ({ message }) => console.error(message))
