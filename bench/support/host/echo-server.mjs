/** A minimal server for the same players: only `ws`. Sends its port to its parent. */
import { WebSocketServer } from 'ws'

const snapshot = Buffer.alloc(1024)
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false }, () => {
  process.send({ port: server.address().port })
})
const spectators = new Set()
server.on('connection', (socket, { url }) => {
  if (url.startsWith('/snapshots')) spectators.add(socket)
  socket.on('message', (data) => socket.send(data))
  socket.on('error', () => {})
  socket.on('close', () => spectators.delete(socket))
})
setInterval(() => {
  snapshot.writeDoubleBE(performance.timeOrigin + performance.now())
  for (const socket of spectators) socket.send(snapshot)
}, 50)
process.on('disconnect', () => process.exit())
