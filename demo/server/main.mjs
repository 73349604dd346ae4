/**
 * A game server: one match, in a process of its own beside its sidecar. Whoever started it is told over IPC what
 * happens, and ends it by closing that channel, as a platform ends a process.
 */
import { fileURLToPath } from 'node:url'
import WebSocket from 'ws'
import { headlineOf } from '../page/headline.mjs'
import { tellChanges } from './changes.mjs'
import { loadScript } from './load-script.mjs'
import { startLoop } from './loop.mjs'
import { createMatch } from './match.mjs'
import { startPageServer } from './page-server.mjs'
import { createPlatform } from './platform.mjs'

const { AGONES_SDK_HTTP_PORT, DEMO_PORT = '0', DEMO_SECONDS = '60' } = process.env
const SCRIPT = fileURLToPath(new URL('../../dist/gameserver-sidecar.umd.js', import.meta.url))
const MOST_NEWS = 200

// What an engine's script VM offers, and the global that says where the sidecar is.
const { GameServerSidecar } = loadScript(SCRIPT, {
  fetch,
  WebSocket,
  AbortController,
  TextDecoder,
  performance,
  setTimeout,
  clearTimeout,
  console,
  GAMESERVER_SIDECAR: { port: AGONES_SDK_HTTP_PORT },
})

const sidecar = GameServerSidecar.createClient({ autoHealth: { check: () => loop.isAlive() } })
const platform = createPlatform(sidecar, (error) => tell('trouble', error.message))
const match = createMatch({
  seconds: Number(DEMO_SECONDS),
  capacity: () => Number(sidecar.gameServer?.status.counters?.players?.capacity ?? 0),
  on: {
    started() {
      tell('match', 'started')
      platform.started()
    },
    joined(player) {
      tell('match', `${player.name} joined`)
      platform.joined(player)
    },
    left(player) {
      tell('match', `${player.name} left`)
      platform.left(player)
    },
    ended(ranking) {
      const [first] = ranking
      tell('match', `ended: ${headlineOf(ranking)}${first?.score > 0 ? ` with ${first.score}` : ''}`)
      pages.broadcast({ type: 'over', ranking })
      platform.ended(ranking)
    },
  },
})
const loop = startLoop((seconds) => {
  match.step(seconds)
  pages?.broadcast({ type: 'match', ...match.view() }, { droppable: true })
})

const news = []
let pages

function tell(kind, text, details = {}) {
  const item = { kind, text, at: Date.now(), ...details }
  news.push(item)
  if (news.length > MOST_NEWS) news.shift()
  pages?.broadcast({ type: 'news', news: [item] })
  // Whoever listens may be gone at any moment; what follows from that is done on `disconnect`.
  if (process.connected) process.send(item, () => {})
}

process.on('disconnect', () => {
  sidecar.close()
  loop.stop()
  pages?.close()
})
// A terminal sends Ctrl+C to everybody; whoever started us says when it is over.
process.on('SIGINT', () => {})

const visitors = {
  opened(visitor) {
    visitor.send({ type: 'news', news })
    if (sidecar.gameServer) visitor.send({ type: 'gameserver', gameServer: sidecar.gameServer })
  },
  message(visitor, { type, name, x, y }) {
    if (type === 'join') visitor.send({ type: 'joined', id: visitor.id, ...match.join(visitor.id, nameFrom(name)) })
    if (type === 'move' && Number.isFinite(x) && Number.isFinite(y)) match.steer(visitor.id, x, y)
  },
  left: (visitor) => match.leave(visitor.id),
}

try {
  pages = await startPageServer(Number(DEMO_PORT), visitors)
  tell('listening', pages.url, { port: pages.port })
  await open()
} catch (error) {
  tell(
    'failed',
    error.code === 'EADDRINUSE' ? `Port ${DEMO_PORT} is already in use; choose another with --port.` : error.message,
  )
}

async function open() {
  tellChanges(sidecar, tell)
  sidecar.on('gameserver', (gameServer) => pages.broadcast({ type: 'gameserver', gameServer }))
  sidecar.on('health', ({ ok, at, reason, limit }) => pages.broadcast({ type: 'beat', ok, at, reason, limit }))
  sidecar.on('error', (error) => tell('trouble', error.message))
  // Only once the watch is open is nothing of what follows missed.
  while (sidecar.status.transport === undefined) await sidecar.once('connection')
  platform.opened()
}

/** A name from outside: short, and without what has no width or changes the direction of the text. */
function nameFrom(text) {
  const name = String(text ?? '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 16)
  return name === '' ? 'Player' : name
}
