import { createClient } from 'gameserver-sidecar'
import { trackSessions } from 'gameserver-sidecar/players'
import { WebSocketServer } from 'ws'

const { PORT = 7777, MATCHES = 3, COME_SECONDS = 60 } = process.env

const client = createClient({ autoHealth: true, processSignals: true })
const server = new WebSocketServer({ port: Number(PORT) })
let match // the one that runs

server.on('listening', async () => {
  console.log(`players come in at ws://localhost:${server.address().port}`)
  // After each match `ready()`, once: when everything that the match left here is gone. After the last one `shutdown()`.
  const sessions = trackSessions(client, { onSession: startMatch, thenShutdown: Number(MATCHES) })
  sessions.on('error', ({ message }) => console.error(message))
  const { status } = await client.connect()
  // A process that has taken the place of one that died in its match goes on with that: its players come back.
  if (status.state !== 'Allocated') await client.ready()
})

/** An allocation has come. Everything that one match needs is made here, and nothing of it is kept for the next. */
function startMatch(session) {
  // Read from the whole object: the event lists what is new, and an allocation may bring what the last one brought.
  const { map, players = '' } = session.allocation.gameServer.object_meta.annotations
  match = { session, seats: players.split(','), here: new Set(), isRunning: false }
  match.limit = setTimeout(endMatch, COME_SECONDS * 1000, match, 'too few came')
  console.log(`allocated for ${players}, map ${map}`)
}

server.on('connection', (socket, { url }) => {
  const player = new URL(url, 'ws://game').searchParams.get('player')
  const mine = match
  // Players of an earlier match still know this address.
  if (!mine?.seats.includes(player) || mine.here.has(player)) return socket.close(4000, 'there is no place for you')
  mine.here.add(player)
  socket.on('message', () => mine.isRunning && endMatch(mine, `${player} has won`)) // put your game here
  socket.on('close', () => {
    mine.here.delete(player)
    if (mine.isRunning && mine.here.size === 0) endMatch(mine, 'everybody has left')
  })
  if (mine.isRunning || mine.here.size < mine.seats.length) return
  mine.isRunning = true
  clearTimeout(mine.limit)
  server.clients.forEach((client) => client.send(JSON.stringify({ type: 'start', players: mine.seats })))
})

function endMatch(ended, reason) {
  if (match !== ended) return
  match = undefined
  console.log(`over: ${reason}`)
  closeAll(1000, reason)
  ended.session.end()
}

const closeAll = (code, reason) => server.clients.forEach((socket) => socket.close(code, reason))
client.on('ending', () => closeAll(1001))
client.on('error', ({ message }) => console.error(message))
