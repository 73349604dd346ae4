import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createClient } from 'gameserver-sidecar'
import { createHost } from 'gameserver-sidecar/node'
import { tellChanges, tellHost } from './report.mjs'

export const PLAYERS_TO_START = 2

/** A player's messages are short. */
const MOST_BYTES = 1024

/** A GameServer as a Fleet makes it from its template: with a new name, and the port for players. */
const describe = (port) => ({
  metadata: {
    name: `star-arena-${randomBytes(3).toString('hex')}`,
    uid: randomUUID(),
    labels: { game: 'star-arena' },
  },
  spec: {
    ports: [{ name: 'players', containerPort: port }],
    // The delay is longer than the start of a browser on a busy machine.
    health: { initialDelaySeconds: 30, periodSeconds: 2, failureThreshold: 3 },
    counters: { players: { count: 0, capacity: 8 } },
    lists: { roster: { capacity: 8, values: [] } },
  },
})

/**
 * One GameServer: the page in its headless browser, a local sidecar, and the port for players. It also plays the
 * platform, which allocates the GameServer when enough players are there, and the site, which sends players to it while
 * it accepts them. `onNews` gets the events of the host and of the sidecar's watch.
 */
export async function startGameServer({ dir, site, browser, seconds, onNews }) {
  const tell = (kind, text, details = {}) => onNews({ kind, text, ...details })
  const playersPort = await freePort()
  let watcher
  let host

  /** Allocates as a cluster does, with the settings of the match. */
  function allocate() {
    const annotations = { 'star-arena/seconds': String(seconds) }
    const { ok, message } = host.local.control({ type: 'allocate', annotations })
    if (ok) tell('platform', `allocates it for ${seconds} s`)
    else tell('trouble', `Not allocated: ${message}`)
  }

  /** Watches from the start, so that no state is missed. */
  function watch(baseUrl) {
    watcher = createClient({ baseUrl })
    watcher.on('state', ({ state }) => {
      if (state === 'Ready') site.lead(host.playersUrl)
      if (['Shutdown', 'Unhealthy'].includes(state)) site.lead(undefined)
    })
    tellChanges(watcher, tell)
    watcher.on('error', (error) => tell('trouble', error.message))
    watcher.on('gameserver', ({ status }) => {
      const { counters, lists, state } = status
      const enough =
        Number(counters.players.count) >= PLAYERS_TO_START && lists.roster.values.length >= PLAYERS_TO_START
      if (enough && state === 'Ready') allocate()
    })
  }

  try {
    host = await createHost({
      dir,
      browser,
      playersPort,
      maxMessage: MOST_BYTES,
      // Any page can open a WebSocket to this machine. Only the origin identifies the page.
      playerOrigins: [site.origin],
      autoHealth: true,
      local: { gameServer: describe(playersPort), onWarning: (text) => tell('trouble', text) },
      onEvent(event) {
        if (event.event === 'listening') watch(event.sidecar)
        if (['crash', 'hang', 'shutdown', 'exit'].includes(event.event)) site.lead(undefined)
        tellHost(event, tell)
      },
    })
  } catch (error) {
    watcher?.close()
    throw error
  }
  const ended = host.exited.finally(() => watcher.close())

  return {
    allocate,
    /** The address for players. */
    playersUrl: host.playersUrl,
    /** Resolves with the reason of the end. */
    ended,
    async close(signal) {
      await host.close(signal)
      await ended
    },
  }
}

/** A free port, as the platform picks one for each server. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
