/**
 * The program of each GameServer: players' connections to one match. A cluster's Fleet runs the same file: `PORT`,
 * `AGONES_SDK_HTTP_PORT` and the sidecar are there, too.
 */
import { once } from 'node:events'
import { WebSocketServer } from 'ws'
import { startGameServer } from '../star-arena/game-server.mjs'
import { BOTS } from '../star-arena/match.mjs'
import { broadcast, LONGEST_MESSAGE, MOST_PAGES, parse } from '../star-arena/page-server.mjs'

const { PORT = '7777', LISTEN_ADDRESS, PLAYER_ORIGINS, MATCH_SECONDS = '45' } = process.env

const sockets = new WebSocketServer({
  port: Number(PORT),
  host: LISTEN_ADDRESS,
  maxPayload: LONGEST_MESSAGE,
  verifyClient: ({ origin }) => PLAYER_ORIGINS === undefined || PLAYER_ORIGINS.split(',').includes(origin),
})
await once(sockets, 'listening')

const server = startGameServer({
  seconds: Number(MATCH_SECONDS),
  send: (message, options) => broadcast(sockets, message, options),
  tell: (kind, text) => ['game', 'trouble'].includes(kind) && console.log(text),
})
for (const name of BOTS) server.join(name, name, true)

let ids = 0
sockets.on('connection', (socket) => {
  if (sockets.clients.size > MOST_PAGES) return socket.close(1013, 'Too many connections')
  const id = (ids += 1)
  socket.on('error', () => socket.terminate())
  socket.on('message', (data) => {
    const { type, name, isBot, x, y } = parse(data)
    if (type === 'join') socket.send(JSON.stringify({ type: 'joined', id, ...server.join(id, name, isBot === true) }))
    if (type === 'move' && Number.isFinite(x) && Number.isFinite(y)) server.steer(id, x, y)
  })
  socket.on('close', () => server.leave(id))
})

/** Lets the result reach the players, and the process end by itself. */
function end() {
  for (const socket of sockets.clients) socket.close(1001, 'The match is over')
  sockets.close()
  server.close()
}
process.once('SIGTERM', end)
server.ended.then(end, () => {})
