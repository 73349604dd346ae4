// Several sessions on one server, counted: each allocation adds 1 to the counter `rooms` and is a session here. Its
// players make it a room; when they are gone, or if they never came, it ends and gives its place back.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'gameserver-sidecar'
import { trackSessions } from 'gameserver-sidecar/players'
import { WebSocketServer } from 'ws'

const { PORT = 7777, EMPTY_SECONDS = 30, SESSIONS = 20 } = process.env
const rooms = new Map() // by the name that the matchmaker has told to the players; those that are over have no session
const free = [] // sessions whose players haven't come yet

const client = createClient({ autoHealth: true, processSignals: true })
const options = { counter: 'rooms', thenShutdown: Number(SESSIONS), onSession: begin }
const sessions = trackSessions(client, options)
sessions.on('error', ({ message }) => console.error(message))
sessions.on('ended', () => console.log(`a session has ended: ${sessions.active.length} in all`))

const server = new WebSocketServer({ port: Number(PORT) })
server.on('listening', async () => {
  console.log(`players come in at ws://localhost:${server.address().port}`)
  // A process that starts again on a server with sessions must not make it Ready: it is in use.
  const { status } = await client.connect()
  if (status.state !== 'Allocated') await client.ready()
})

async function begin(session) {
  free.push(session)
  console.log(`a session has begun: ${sessions.active.length} in all`)
  await sleep(EMPTY_SECONDS * 1000)
  if (free.includes(session)) void free.splice(free.indexOf(session), 1)[0].end()
}

server.on('connection', async (socket, { url }) => {
  // A real game reads both from a token that its matchmaker has signed.
  const { room: name, player } = Object.fromEntries(new URL(url, 'ws://game').searchParams)
  // The matchmaker and its players may know of the match before this server has seen the allocation.
  for (let tries = 0; !rooms.has(name) && free.length === 0 && tries < 30; tries++) await sleep(100)
  if (!rooms.has(name) && free.length > 0) rooms.set(name, { session: free.shift(), players: new Set() })
  const room = rooms.get(name)
  if (!room?.session) return socket.close(4000, 'there is no such room')
  room.players.add(socket)
  const tell = (message) => room.players.forEach((other) => other.send(JSON.stringify(message)))
  // Whatever is sent goes to all in the room: put your game here.
  socket.on('message', (data) => tell({ type: 'said', by: player, text: String(data) }))
  socket.on('close', () => leave(room, socket))
  if (socket.readyState !== socket.OPEN) return leave(room, socket) // gone while it waited
  tell({ type: 'came', player, here: room.players.size })
})

async function leave(room, socket) {
  room.players.delete(socket)
  await sleep(EMPTY_SECONDS * 1000) // somebody may come back
  if (room.players.size === 0) void room.session?.end()
  if (room.players.size === 0) room.session = undefined
}

client.on('ending', () => server.clients.forEach((socket) => socket.close(1001)))
client.on('error', ({ message }) => console.error(message))
