import { randomBytes, randomUUID } from 'node:crypto'
import { createClient } from 'gameserver-sidecar'
import { createGateway } from 'gameserver-sidecar/node'
import { tellChanges } from '../server/changes.mjs'

export const PLAYERS_TO_START = 2

const health = (initialDelaySeconds) => ({ initialDelaySeconds, periodSeconds: 2, failureThreshold: 3 })

/** What a Fleet would make from its template: a new name each time, and the port at which players come in. */
const describe = (playersPort) => ({
  metadata: {
    name: `star-arena-${randomBytes(3).toString('hex')}`,
    uid: randomUUID(),
    labels: { game: 'star-arena' },
  },
  spec: {
    ports: [{ name: 'players', containerPort: playersPort }],
    health: health(86_400),
    counters: { players: { count: 0, capacity: 8 } },
    lists: { roster: { capacity: 8, values: [] } },
  },
})

/**
 * One GameServer: a local sidecar, and the gateway that serves the game and the sidecar on one origin.
 * Besides, what is the platform's part: to allocate it when enough players are there. `onNews` is told what
 * the sidecar's watch reports.
 */
export async function startGameServer({ dir, port, playersPort, seconds, onNews }) {
  const tell = (kind, text, details = {}) => onNews({ kind, text, ...details })
  const gameServer = describe(playersPort)
  const gateway = await createGateway({
    dir,
    port,
    local: { gameServer },
    autoHealth: true,
    onWarning: (text) => tell('trouble', text),
  })
  tell('gateway', `${gateway.url}/ serves the game, and its sidecar under the same origin`)

  const watcher = createClient({ baseUrl: gateway.sidecarUrl })
  tellChanges(watcher, tell)
  watcher.on('error', (error) => tell('trouble', error.message))
  watcher.on('gameserver', ({ status }) => {
    const enough =
      Number(status.counters.players.count) >= PLAYERS_TO_START && status.lists.roster.values.length >= PLAYERS_TO_START
    if (enough && status.state === 'Ready') allocate()
  })
  const endLog = gateway.local.sidecar.log.subscribe(({ event }) => {
    if (event.type !== 'call' || event.call.operation !== 'health') return
    endLog()
    tell('beat', 'the first beat of the page is here')
    queueMicrotask(expectBeats)
  })

  /** A person opens the page, or doesn't for a while. From its first beat on, the next ones must come. */
  function expectBeats() {
    const spec = { ...gameServer.spec, health: health(5) }
    gateway.local.control({ type: 'reload', gameServer: { ...gameServer, spec } })
  }

  /** As an allocator in a cluster does, which can hand over what the match is to be. */
  function allocate() {
    const annotations = { 'star-arena/seconds': String(seconds) }
    const { ok, message } = gateway.local.control({ type: 'allocate', annotations })
    if (ok) tell('platform', `allocates it for ${seconds} s`)
    else tell('trouble', `Not allocated: ${message}`)
  }

  return {
    url: `${gateway.url}/`,
    port: gateway.port,
    allocate,
    async close() {
      watcher.close()
      endLog()
      await gateway.close('SIGTERM')
    },
  }
}
