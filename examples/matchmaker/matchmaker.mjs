import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const { PORT = 7900, PLAYERS = 2 } = process.env
let waiting = [] // players who ask for a match: { player, response }
const free = new Set() // game servers that are Ready
const promised = new Map() // by game server: the players who wait until it is Reserved

/** GET /match?player=alice is answered with the address of a game server, once there is a match. */
const http = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://matchmaker')
  const player = searchParams.get('player')
  if (pathname !== '/match' || !player) return void response.writeHead(404).end()
  waiting.push({ player, response })
  makeMatch()
})

/** Each game server has one connection, and says its state whenever it changes. */
new WebSocketServer({ server: http }).on('connection', (server) => {
  server.on('message', (data) => changed(server, JSON.parse(data)))
  server.on('close', () => changed(server, { state: 'gone' }))
  server.on('error', () => {}) // `close` follows
})

function changed(server, { state, url }) {
  console.log(`${url ?? 'a server'} is ${state}`)
  const players = promised.get(server) ?? []
  promised.delete(server)
  if (state === 'Reserved') players.forEach(({ response }) => response.end(`${url}\n`))
  // Allocated by somebody else, dead, or its sidecar has forgotten the call: these players are still the first in the row.
  else waiting.unshift(...players)
  if (state === 'Ready') free.add(server)
  else free.delete(server)
  makeMatch()
}

function makeMatch() {
  // Whoever has hung up plays no match.
  waiting = waiting.filter(({ response }) => !response.destroyed)
  const [server] = free
  if (server === undefined || waiting.length < PLAYERS) return
  const players = waiting.splice(0, PLAYERS)
  free.delete(server)
  promised.set(server, players)
  server.send(JSON.stringify({ players: players.map(({ player }) => player) }))
}

http.listen(PORT, () => console.log(`matchmaker at http://localhost:${http.address().port}`))
