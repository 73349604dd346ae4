/**
 * The game server's page. `GameServerSidecar`, its Phaser plugin and Phaser itself are scripts in the page;
 * the host defines `gameServerHost`.
 */
import { createArena, SIZE } from './arena.js'
import { createMatch } from './match.js'
import { createPlatform } from './platform.js'
import { listenToPlayers } from './players.js'
import { cleanName, headlineOf } from './scoring.mjs'

const STEP_MS = 1000 / 60
/** The longest pause for which the game catches up. It skips the rest of a longer one. */
const MOST_BEHIND_MS = 250
/** Players get every second step: 30 pictures a second. */
const STEPS_PER_PICTURE = 2
/** The annotation in which an allocation may give the length of the match. Any key works. */
const SECONDS = 'star-arena/seconds'
const USUAL_SECONDS = 60
/** The number of seats if the GameServer has no counter with a capacity. */
const USUAL_CAPACITY = 8

/** The game server is a scene of Phaser; `this.sidecar` is there because the plugin is installed. */
class ServerScene extends Phaser.Scene {
  constructor() {
    super('server')
    this.behind = 0
    this.steps = 0
  }

  create() {
    this.match = createMatch({ ended: (ranking) => this.end(ranking) })
    this.arena = createArena(this, (id) => this.match.caught(id))
    this.platform = createPlatform(this.sidecar)
    this.players = listenToPlayers({
      came: (socket) => this.players.send(socket, this.describe()),
      message: (socket, message) => this.receive(socket, message),
      left: (id) => this.leave(id),
    })
    this.sidecar.on('error', ({ message }) => console.error(message))
    this.sidecar.on('gameserver', () => this.players.broadcast(this.describe()))
    // This line starts the match when the platform allocates the server.
    this.sidecar.on('state', ({ state, gameServer }) => {
      if (state === 'Allocated') this.start(gameServer)
      // The platform is ending this server, so the game makes no further calls.
      if (state === 'Shutdown') this.sidecar.close()
    })
    // The platform ends this server. The host waits for the promise.
    gameServerHost.addEventListener('shutdown', (event) => event.waitUntil(this.stop()))
    this.platform.opened('harbour')
  }

  /** Phaser's loop calls this. Makes as many steps as have become due. */
  update(_time, delta) {
    this.behind = Math.min(this.behind + delta, MOST_BEHIND_MS)
    for (; this.behind >= STEP_MS; this.behind -= STEP_MS) this.step()
  }

  /**
   * One step of the simulation, with two signs of life. Without `alive()`, the sidecar gets no more heartbeats and the
   * platform replaces this server. Without `tick()`, the host ends the page and prints where it hangs. So a page whose
   * simulation has stopped doesn't count as healthy.
   */
  step() {
    this.sidecar.alive()
    gameServerHost.tick()
    this.steps += 1
    this.arena.step()
    this.match.step(STEP_MS / 1000)
    if (this.steps % STEPS_PER_PICTURE === 0) this.players.broadcast({ type: 'picture', ...this.view() })
  }

  view() {
    const { players, stars } = this.arena.view()
    const scored = players.map((player) => ({ ...player, score: this.match.score(player.id) }))
    return { phase: this.match.phase, left: Math.max(0, Math.ceil(this.match.left)), players: scored, stars }
  }

  /** The server's state, for players. */
  describe() {
    const gameServer = this.sidecar.gameServer
    return { type: 'server', name: gameServer?.object_meta.name, state: gameServer?.status.state }
  }

  get capacity() {
    return Number(this.sidecar.gameServer?.status.counters?.players?.capacity ?? USUAL_CAPACITY)
  }

  start(gameServer) {
    const seconds = Number(gameServer.object_meta.annotations[SECONDS]) || USUAL_SECONDS
    this.match.start(seconds)
    console.log(`The match begins: ${seconds} s`)
  }

  receive(socket, { type, name, x, y }) {
    if (type === 'join') this.join(socket, name)
    if (type === 'move' && Number.isFinite(x) && Number.isFinite(y)) this.arena.steer(socket.id, x, y)
  }

  join(socket, wanted) {
    if (this.match.has(socket.id)) return
    const refused =
      this.match.phase === 'over'
        ? 'This match is over.'
        : this.match.size >= this.capacity
          ? 'This match is full.'
          : undefined
    if (refused !== undefined) return this.players.send(socket, { type: 'refused', reason: refused })
    const name = this.match.join(socket.id, cleanName(wanted))
    this.arena.join(socket.id, name)
    this.platform.joined(name)
    this.players.send(socket, { type: 'joined', id: socket.id })
    console.log(`${name} has joined`)
  }

  leave(id) {
    const player = this.match.leave(id)
    if (player === undefined) return
    this.arena.leave(id)
    if (this.match.phase === 'over') return
    this.platform.left(player.name)
    console.log(`${player.name} has left`)
  }

  end(ranking) {
    this.players.broadcast({ type: 'over', ranking })
    void this.platform.ended(ranking)
    console.log(`The match is over: ${headlineOf(ranking)}`)
  }

  /** Ends the match if it still runs. Resolves when the platform has the result. */
  stop() {
    if (this.match.phase !== 'over') this.players.broadcast({ type: 'stopped' })
    return this.platform.ended()
  }
}

// No options: the host gives the page the sidecar's address and turns the heartbeat on.
const sidecar = GameServerSidecar.createClient()

const config = {
  // The engine's loop and physics, without graphics and sound.
  type: Phaser.HEADLESS,
  ...SIZE,
  banner: false,
  audio: { noAudio: true },
  // Passes real time, which the scene divides into steps.
  fps: { smoothStep: false },
  physics: { default: 'arcade', arcade: { fps: 60, customUpdate: true } },
  scene: new ServerScene(),
}
// With a client of its own, the plugin would beat while Phaser's loop runs. This server calls `alive()` instead.
new Phaser.Game(GameServerSidecarPlugin.install(config, { data: sidecar }))
