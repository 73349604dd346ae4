import { createClient } from 'gameserver-sidecar'
import { WebSocket, WebSocketServer } from 'ws'

const { PORT = 7777, MATCHMAKER = 'ws://localhost:7900', RESERVE_SECONDS = 30, COME_SECONDS = 60 } = process.env

const client = createClient({ autoHealth: true, processSignals: true })
const server = new WebSocketServer({ port: PORT })
const here = new Set() // players
let seats = [] // players that the matchmaker sends
let matchmaker, running

server.on('listening', async () => {
  console.log(`players come in at ws://localhost:${server.address().port}`)
  // This process has taken the place of one that died in its match.
  if ((await client.connect()).status.state === 'Allocated') return end('the match is lost')
  client.on('state', report)
  client.on('allocated', allocated)
  await client.ready()
  register()
})

/** The connection is the registration: when this process dies, the matchmaker knows at once. */
function register() {
  matchmaker = new WebSocket(MATCHMAKER).on('open', report).on('message', reserve)
  matchmaker.on('close', () => setTimeout(register, 1000)).on('error', () => {})
}

function report() {
  const { state, address, ports } = client.gameServer.status
  // 1: the connection is open
  if (matchmaker?.readyState === 1) matchmaker.send(JSON.stringify({ state, url: `ws://${address}:${ports[0].port}` }))
  if (state !== 'Ready') return
  // The reservation has ended, and somebody hasn't come. Whoever has looks for another match.
  seats = []
  closeAll(4001, 'too few came')
}

function reserve(data) {
  if (client.gameServer.status.state !== 'Ready') return report()
  seats = JSON.parse(data).players
  // The sidecar accepts it first and writes it later. The matchmaker waits for the state `Reserved`, or for `Ready` again.
  client.reserve(RESERVE_SECONDS, { confirm: true, timeout: 5000 }).catch(report)
}

server.on('connection', (socket, { url }) => {
  const player = new URL(url, 'ws://game').searchParams.get('player')
  if (!seats.includes(player) || here.has(player)) return socket.close(4000, 'there is no place for you')
  here.add(player)
  socket.on('close', () => here.delete(player) && running && here.size === 0 && end('everybody has left'))
  socket.on('message', () => running && end(`${player} has won`)) // put your game here
  startWhenComplete()
})

/** By this program, or by somebody else's GameServerAllocation, which says who comes. */
function allocated({ annotations }) {
  seats = annotations.players?.split(',') ?? seats
  setTimeout(() => running || end('too few came'), COME_SECONDS * 1000)
  startWhenComplete()
}

function startWhenComplete() {
  if (running || here.size === 0 || here.size < seats.length) return
  running = client.gameServer.status.state === 'Allocated'
  if (!running) return client.allocate()
  server.clients.forEach((socket) => socket.send(JSON.stringify({ type: 'start', players: seats })))
}

async function end(reason) {
  running = false
  closeAll(1000, reason)
  // If that gets lost, the program fails, and the platform replaces the server as Unhealthy.
  await client.shutdown({ confirm: true, timeout: 5000 })
}

const closeAll = (code, reason) => server.clients.forEach((socket) => socket.close(code, reason))
client.on('ending', () => closeAll(1001))
client.on('error', ({ message }) => console.error(message))
