/**
 * A game server: one match, and everything that it says to the platform through its sidecar. This file is what you would
 * write for a game of your own.
 */
import { createClient } from 'gameserver-sidecar'
import { trackPlayers } from 'gameserver-sidecar/players'
import { headlineOf, winnersOf } from '../shared/scoring.mjs'
import { createMatch } from './match.mjs'

const STEP_SECONDS = 1 / 30
/** Seconds that the loop catches up after a pause. */
const MOST_BEHIND = 0.25
/** ms without a step after which the loop counts as hung. */
const HUNG_AFTER = 1_000
const MOST_PLAYERS = 8

/**
 * @param options.baseUrl the sidecar's address; in a cluster the client takes it from `AGONES_SDK_HTTP_PORT`
 * @param options.send sends a message to every page
 * @param options.tell reports an event: `tell(kind, text, details)`
 */
export function startGameServer({ baseUrl, seconds, send, tell }) {
  // Sends a beat only while the game's loop runs. A game that hangs gets no beats, and the platform replaces it.
  const sidecar = createClient({ baseUrl, autoHealth: { check: () => loop.isAlive() } })
  // Keeps the counter and the list equal to the players who are here, also when the sidecar restarts.
  const seats = trackPlayers(sidecar, { list: 'roster', counter: 'players' })
  let ownUid
  const report = (error) => tell('trouble', error.message)

  const match = createMatch({
    seconds,
    onEnd(ranking) {
      send({ type: 'over', ranking })
      tell('game', `The match is over: ${headlineOf(ranking)}. The game calls shutdown()`)
      void finish(ranking).catch(report)
    },
  })
  const loop = startLoop((duration) => {
    match.step(duration)
    send({ type: 'view', ...match.view() }, { isDroppable: true })
  })

  async function open() {
    await sidecar.connect()
    await sidecar.setLabel('phase', 'lobby')
    await sidecar.ready()
  }

  async function begin() {
    match.start()
    await sidecar.setLabel('phase', 'playing')
  }

  async function finish(ranking) {
    await sidecar.setLabel('phase', 'over')
    if (winnersOf(ranking) !== '') await sidecar.setAnnotation('winner', winnersOf(ranking))
    await sidecar.shutdown()
  }

  // The platform's allocation starts the match.
  sidecar.on('state', ({ state }) => {
    if (state === 'Allocated') begin().catch(report)
  })
  sidecar.on('error', report)
  seats.on('error', report)
  showOnPages(sidecar, send, tell)
  open().catch(report)

  return {
    get state() {
      return sidecar.gameServer?.status.state
    },
    get gameServer() {
      return sidecar.gameServer
    },
    get players() {
      return match.size
    },
    get isFrozen() {
      return !loop.isAlive()
    },
    /** Resolves when this GameServer has ended. Rejects when the client is closed before. */
    ended: sidecar.waitFor(({ object_meta: { uid }, status }) => {
      ownUid ??= uid
      // The dashboard can put another GameServer in the place of this one.
      return uid !== ownUid || ['Shutdown', 'Unhealthy', 'Error'].includes(status.state)
    }),

    /** Lets a player in, or returns the reason for a refusal. */
    join(id, name, isBot) {
      if (match.phase === 'over') return { refused: 'This match is over. Join the next one.' }
      if (match.size >= MOST_PLAYERS) return { refused: 'This match is full.' }
      const player = match.join(id, name, isBot)
      // The game goes on while the platform is told. A player who leaves early, or a server that ends, ends the join.
      seats.join(player.name).catch(({ code, message }) => {
        if (!['ABORTED', 'CLOSED'].includes(code)) tell('trouble', message)
      })
      return { player }
    },
    leave(id) {
      const player = match.leave(id)
      if (player !== undefined && match.phase !== 'over') void seats.leave(player.name)
    },
    steer: match.steer,
    end: match.end,
    /** Stops the loop, as an endless loop in the game would. */
    freeze: () => loop.stop(),

    close() {
      loop.stop()
      seats.close()
      sidecar.close()
    },
  }
}

/** Passes on what the client reports, which is what the right half of the page shows. */
function showOnPages(sidecar, send, tell) {
  sidecar.on('gameserver', (gameServer) => send({ type: 'gameserver', gameServer }))
  sidecar.on('health', ({ ok, at, reason, limit }) => send({ type: 'beat', ok, at, reason, limit }))
  let wasLost = false
  sidecar.on('connection', ({ state, reason }) => {
    send({ type: 'connection', state })
    if (state === 'reconnecting') tell('client', `lost its sidecar and tries again${reason ? ` (${reason})` : ''}`)
    if (wasLost && state === 'connected') tell('client', 'is connected to its sidecar again')
    wasLost = state === 'reconnecting'
  })
  sidecar.on('state', ({ state, previous }) =>
    tell('state', previous === undefined ? state : `${previous} → ${state}`, { state }),
  )
  sidecar.on('counter', ({ name, count, capacity, previous }) => {
    if (previous !== undefined) tell('counter', `${name} ${count} of ${capacity}`)
  })
  sidecar.on('list', ({ name, values, added, removed }) => {
    const changes = [...added.map((value) => `+ ${value}`), ...removed.map((value) => `- ${value}`)]
    if (changes.length > 0) tell('list', `${name} ${values.length}: ${changes.join(', ')}`)
  })
  for (const kind of ['label', 'annotation']) {
    sidecar.on(kind, ({ key, value }) => {
      if (!key.startsWith('agones.dev/')) tell(kind, value === undefined ? `${key} removed` : `${key} = ${value}`)
    })
  }
}

/** Calls `step(seconds)` 30 times a second. */
function startLoop(step) {
  let last = performance.now()
  let behind = 0
  const timer = setInterval(() => {
    const now = performance.now()
    behind = Math.min(behind + (now - last) / 1000, MOST_BEHIND)
    last = now
    for (; behind >= STEP_SECONDS; behind -= STEP_SECONDS) step(STEP_SECONDS)
  }, STEP_SECONDS * 500)
  return { isAlive: () => performance.now() - last < HUNG_AFTER, stop: () => clearInterval(timer) }
}
