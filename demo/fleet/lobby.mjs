/** `gameserver-sidecar demo --fleet`: a Fleet of arenas, each a process, and a lobby whose matchmaker leads players there. */
import { fileURLToPath } from 'node:url'
import { createAllocator } from 'gameserver-sidecar/allocator'
import { createFleet } from 'gameserver-sidecar/node'
import { WebSocket } from 'ws'
import { cleanName } from '../shared/scoring.mjs'
import { startPageServer } from '../star-arena/page-server.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const ARENAS = 5
const FREE = { roster: { minAvailable: 1 } }
/** Players whom the page's button sends, and the most who wait. */
const CROWD = 10
const MOST_WAITING = 40
const MOST_DECISIONS = 40
/** Regions that the page measures, and ms that make them seem as far away. */
const REGIONS = { Frankfurt: 20, Oregon: 140 }
/** ms after SIGTERM: a game needs none, since its match is lost. */
const GRACE_MS = 2_000

/**
 * Starts the demo and resolves when its page can be opened. A taken port is replaced by a free one.
 *
 * @param options.onNews called with `{ kind, text, at }` for each event
 */
export async function startFleetDemo({ port, onNews = () => {} } = {}) {
  const files = ['lobby.html', 'page.css', 'lobby-page.js', 'match-view.js']
  const site = await startPageServer({ port, files, connect: 'ws://127.0.0.1:*' })
  const fleet = await createFleet({
    file: here('gameserver.yaml'),
    replicas: ARENAS,
    command: [process.execPath, here('server.js')],
    env: {
      ...process.env,
      LISTEN_ADDRESS: '127.0.0.1',
      PLAYER_ORIGINS: site.origins.join(),
    },
    grace: GRACE_MS,
    onEvent: (event) => newsOf(event).forEach(onNews),
  }).catch((error) => {
    site.server.close()
    throw error
  })
  const { findSeat, close: closeMatchmaker } = startMatchmaker(fleet)
  const crowd = createCrowd(findSeat, site)
  const pages = new Set()

  /** Waits until a seat is free, or until the page gives up. */
  async function play({ url }, response) {
    const gaveUp = new AbortController()
    response.on('close', () => gaveUp.abort())
    const name = cleanName(new URL(url, site.url).searchParams.get('name'))
    const [status, answer] = await findSeat(name, gaveUp.signal).then(
      (seat) => [200, seat],
      ({ message }) => [503, { message }],
    )
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  function watch(_request, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).write(lobbyNow())
    pages.add(response)
    response.on('close', () => pages.delete(response))
  }

  /** Stands for `/healthz` of a region's edge. */
  const regionRoutes = Object.entries(REGIONS).map(([name, delay]) => [
    `GET /regions/${name}`,
    (_request, response) => setTimeout(() => response.end('ok\n'), delay),
  ])

  const lobbyNow = () => {
    const decisions = fleet.entries().filter(({ type }) => type === 'allocation')
    const lobby = {
      dashboard: `${fleet.url}/_/`,
      arenas: fleet.snapshot().servers.map(arenaOf),
      waiting: crowd.waiting,
      decisions: decisions.slice(-MOST_DECISIONS).map(({ sequence, at, allocation }) => ({
        ...{ sequence, at, reason: allocation.reason, server: allocation.server },
        player: allocation.manifest.spec?.lists?.roster?.addValues?.[0],
      })),
    }
    return `data: ${JSON.stringify(lobby)}\n\n`
  }

  let isDue = false
  const show = () => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      const text = pages.size > 0 ? lobbyNow() : ''
      for (const page of pages) page.write(text)
    })
  }
  fleet.onChange(show)
  fleet.onEntry(show)
  site.routes = {
    ...Object.fromEntries(regionRoutes),
    'GET /lobby': watch,
    'POST /play': play,
    'POST /crowd': (_request, response) => {
      crowd.send()
      response.writeHead(204).end()
    },
  }

  return {
    url: site.url,
    port: site.port,
    dashboard: `${fleet.url}/_/`,
    async close() {
      closeMatchmaker()
      site.server.close()
      site.server.closeAllConnections()
      await fleet.close()
    },
  }
}

/** What a matchmaker of your own does: a free seat in a match that runs, or else an arena that is Ready. */
function startMatchmaker(fleet) {
  const allocator = createAllocator({ url: fleet.url })
  return {
    close: () => allocator.close(),
    async findSeat(player, signal) {
      const { name, url } = await allocator.allocate({
        fleet: fleet.snapshot().fleet.metadata.name,
        selectors: [
          { gameServerState: 'Allocated', lists: FREE },
          { gameServerState: 'Ready', lists: FREE },
        ],
        // The fullest first, so that matches are full and arenas stay free.
        priorities: [{ type: 'List', key: 'roster', order: 'Ascending' }],
        // The seat is promised.
        lists: { roster: { addValues: [player] } },
        wait: Infinity,
        signal,
      })
      // Only a Fleet on the desk tells why. A cluster doesn't.
      const entry = fleet.entries().findLast(({ allocation }) => allocation?.server === name)
      return { name, url, player, reason: entry?.allocation.reason ?? '' }
    },
  }
}

/** Players who come by the matchmaker like everybody, one after the other, and whom the arena moves as bots. */
function createCrowd(findSeat, { origins: [origin] }) {
  const waiting = []
  let count = 0

  async function enter() {
    for (; waiting.length > 0; waiting.shift()) {
      const name = waiting[0]
      const { url } = await findSeat(name)
      const socket = new WebSocket(url, { origin })
      socket.on('open', () => socket.send(JSON.stringify({ type: 'join', name, isBot: true })))
      socket.on('error', () => {})
    }
  }

  return {
    get waiting() {
      return waiting.length
    },
    send() {
      const isEntering = waiting.length > 0
      for (let n = 0; n < CROWD && waiting.length < MOST_WAITING; n += 1) waiting.push(`Guest ${(count += 1)}`)
      // Ends with the matchmaker.
      if (!isEntering) enter().catch(() => (waiting.length = 0))
    },
  }
}

const arenaOf = ({ name, gameServer: { status } }) => {
  const { values = [], capacity = 0 } = status.lists?.roster ?? {}
  return {
    ...{ name, state: status.state, players: values.length, seats: Number(capacity) },
    url: `ws://127.0.0.1:${status.ports?.[0]?.port}`,
  }
}

const KINDS = { allocation: 'allocation', state: 'state', warning: 'trouble' }
/** The events that the terminal shows. */
function newsOf({ event, entry, level, text }) {
  if (event === 'output') return [{ kind: level === 'error' ? 'trouble' : 'game', text, at: Date.now() }]
  if (event !== 'entry' || !Object.hasOwn(KINDS, entry.type)) return []
  return [{ kind: KINDS[entry.type], text: entry.text, at: entry.at }]
}
