/**
 * Plays the platform: a local sidecar, and one game server after the other, as a Fleet starts them. In a cluster you
 * write none of this.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLocalSidecar } from 'gameserver-sidecar/node'
import { startGameServer } from './game-server.mjs'
import { BOTS } from './match.mjs'

const GAME_SERVER = fileURLToPath(new URL('./gameserver.yaml', import.meta.url))
/** Seconds that a Ready server with players waits for its allocation. */
const ALLOCATE_AFTER = 6
/** ms that a result stays on the page before the next game server starts. */
const RESULT_MS = 4_000
/** ms during which a killed sidecar is away. */
const SIDECAR_AWAY_MS = 4_000

/**
 * @param options.send sends a message to every page
 * @param options.tell reports an event: `tell(kind, text, details)`
 * @param options.isWatched whether a page is open
 */
export async function startArena({ seconds, send, tell, isWatched }) {
  const local = await createLocalSidecar({
    port: 'usual',
    file: GAME_SERVER,
    onWarning: (text) => tell('trouble', text),
  })
  const closing = new AbortController()
  let server
  let wait = ALLOCATE_AFTER

  /** Bots play whenever a page is open, so that there is something to see. */
  function addBots() {
    if (!isWatched() || server.players > 0) return
    for (const name of BOTS) server.join(name, name, true)
  }

  function startNext() {
    wait = ALLOCATE_AFTER
    server = startGameServer({ baseUrl: local.url, seconds, send, tell })
    addBots()
  }

  async function play() {
    for (;;) {
      startNext()
      await server.ended
      await sleep(RESULT_MS, undefined, { signal: closing.signal })
      server.close()
      tell('platform', 'starts a new GameServer in place of the old one')
      local.control({ type: 'restart', fresh: true })
    }
  }

  function allocate(who) {
    tell('platform', `${who} allocates this GameServer`)
    local.allocate({})
  }

  /** A matchmaker that allocates a Ready server soon after it has players. */
  const matchmaker = setInterval(() => {
    if (server.state !== 'Ready' || server.players === 0 || server.isFrozen) return
    wait -= 1
    if (wait <= 0) allocate('the matchmaker')
    else send({ type: 'matchmaker', wait })
  }, 1_000)

  /** The commands of the page's buttons. */
  const actions = {
    allocate: () => server.state === 'Ready' && allocate('your click'),
    end: () => server.state === 'Allocated' && server.end(),
    kill() {
      tell('platform', `your click kills the sidecar for ${SIDECAR_AWAY_MS / 1000} s`)
      // Another program may take the port meanwhile.
      local.restart({ downMs: SIDECAR_AWAY_MS }).catch((error) => tell('trouble', error.message))
    },
    freeze() {
      tell('game', 'your click freezes the game: its loop stops, and so do its beats')
      server.freeze()
    },
  }

  play().catch((error) => {
    if (!closing.signal.aborted) tell('trouble', error.message)
  })

  return {
    dashboard: `${local.url}/_/`,
    /** A page was opened. */
    opened(visitor) {
      if (server.gameServer !== undefined) visitor.send({ type: 'gameserver', gameServer: server.gameServer })
      addBots()
    },
    message(visitor, { type, name, x, y, action }) {
      if (type === 'join') visitor.send({ type: 'joined', id: visitor.id, ...server.join(visitor.id, name) })
      if (type === 'move' && Number.isFinite(x) && Number.isFinite(y)) server.steer(visitor.id, x, y)
      if (type === 'action' && Object.hasOwn(actions, action)) actions[action]()
    },
    left: (visitor) => server.leave(visitor.id),
    async close() {
      closing.abort()
      clearInterval(matchmaker)
      server.close()
      await local.close()
    },
  }
}
