// Several sessions on one server, by a lock: an allocation sets the label `gs-session-ready` to false, and this server
// sets it to true again while it can take one more. After 10 matches it makes place for a fresh process.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'gameserver-sidecar'
import { trackSessions } from 'gameserver-sidecar/players'
import { WebSocketServer } from 'ws'

const { PORT = 7777, MATCH_SECONDS = 60, COME_SECONDS = 30, MATCHES = 10 } = process.env
const matches = new Map() // the players of a match, by the time of its allocation, which the matchmaker knows as well

const client = createClient({ autoHealth: true, processSignals: true })
const lock = { label: 'gs-session-ready', maxSessions: 3, thenShutdown: Number(MATCHES) }
const sessions = trackSessions(client, { ...lock, onSession: play })
sessions.on('error', ({ message }) => console.error(message))

const server = new WebSocketServer({ port: Number(PORT) })
server.on('listening', async () => {
  console.log(`players come in at ws://localhost:${server.address().port}`)
  // A process that starts again on a server with sessions must not make it Ready: it is in use.
  const { status } = await client.connect()
  if (status.state === 'Allocated') return
  // The tracker opens the lock first: opened after Ready, it could undo the lock of the first allocation.
  await client.waitFor(({ object_meta }) => object_meta.labels?.['agones.dev/sdk-gs-session-ready'] === 'true')
  await client.ready()
})

async function play(session) {
  const time = session.allocation.annotations['agones.dev/last-allocated']
  const players = new Set()
  const tell = (message) => players.forEach((player) => player.send(JSON.stringify(message)))
  matches.set(time, players)
  console.log(`match ${time} begins: ${matches.size} in all`)
  try {
    // Put your game here. If nobody comes, nobody plays.
    for (let second = 0; second < MATCH_SECONDS && (players.size > 0 || second < COME_SECONDS); second++) {
      tell({ type: 'left', seconds: MATCH_SECONDS - second })
      await sleep(1000)
    }
    tell({ type: 'over' })
  } finally {
    // Also after an error in the match: otherwise its place would be taken for ever.
    matches.delete(time)
    players.forEach((player) => player.close(1000))
    console.log(`match ${time} is over: ${matches.size} in all`)
    await session.end()
  }
}

server.on('connection', async (socket, { url }) => {
  const time = new URL(url, 'ws://game').searchParams.get('match')
  // The matchmaker and its players may know of the match before this server has seen the allocation.
  for (let tries = 0; !matches.has(time) && tries < 30; tries++) await sleep(100)
  const players = matches.get(time)
  if (players === undefined || socket.readyState !== socket.OPEN) return socket.close(4000, 'there is no such match')
  players.add(socket)
  socket.on('close', () => players.delete(socket))
})

client.on('ending', () => server.clients.forEach((socket) => socket.close(1001)))
client.on('error', ({ message }) => console.error(message))
