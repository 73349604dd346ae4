// Seats: an allocation promises them to players by putting their ids on the list `players`. Those come in at once, others
// while a seat is free. Who doesn't come in time loses the seat, and an empty server ends.
import { attachServer } from 'gameserver-sidecar/ws'
import { WebSocketServer } from 'ws'

const { PORT = 7777, COME_SECONDS = 60, EMPTY_SECONDS = 10 } = process.env
const sockets = new Map() // by the id of their player

const server = new WebSocketServer({ port: Number(PORT) })
server.on('listening', () => console.log(`players come in at ws://localhost:${server.address().port}`))

const { players, idOf } = attachServer(server, {
  players: { list: 'players', noShow: COME_SECONDS * 1000 },
  // A real game reads the id from a token that its matchmaker has signed.
  idOf: ({ url }) => new URL(url, 'ws://game').searchParams.get('player') ?? undefined,
  // The label that allocations select by is closed before the end, so none chooses a server that goes.
  endWhenEmpty: { after: EMPTY_SECONDS * 1000, label: 'open' },
})
players.on('noshow', ({ id }) => console.log(`${id} did not come`))
players.on('full', () => console.log('full'))

server.on('connection', (socket, request) => {
  const id = idOf(request)
  // The same player once more: the old connection may not know yet that it is broken.
  sockets.get(id)?.close(4001, 'you came in elsewhere')
  sockets.set(id, socket)
  socket.on('close', () => sockets.get(id) === socket && sockets.delete(id))
  socket.send(JSON.stringify({ type: 'welcome', players: players.ids }))
})
