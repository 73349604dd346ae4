import { createClient } from 'gameserver-sidecar'
import { trackSessions } from 'gameserver-sidecar/players'
import { WebSocketServer } from 'ws'

const { PORT = 7777, MATCHES = 3, COME_SECONDS = 60 } = process.env
const PLAYERS = 2

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
  match = { session, players: new Set(), isRunning: false }
  console.log(`match ${session.id}, map ${session.allocation.annotations.map}`)
  match.limit = setTimeout(endMatch, COME_SECONDS * 1000, match, 'the players did not come')
}

server.on('connection', (socket, { url }) => {
  const player = new URL(url, 'ws://game').searchParams.get('player')
  const mine = match
  if (!mine || mine.isRunning || !player || mine.players.has(player)) return socket.close(4000, 'no place for you')
  mine.players.add(player)
  socket.on('message', () => mine.isRunning && endMatch(mine, `${player} has won`)) // put your game here
  socket.on('close', () => {
    mine.players.delete(player)
    if (mine.isRunning && mine.players.size === 0) endMatch(mine, 'everybody has left')
  })
  if (mine.players.size < PLAYERS) return
  mine.isRunning = true
  clearTimeout(mine.limit)
  const start = JSON.stringify({ type: 'start', players: [...mine.players] })
  server.clients.forEach((player) => player.send(start))
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
