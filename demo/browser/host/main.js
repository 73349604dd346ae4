/**
 * The game server's page. `GameServerSidecar`, its Phaser plugin and Phaser itself are scripts in the page;
 * `gameServerHost` is there because the host runs it.
 */
import { createArena, SIZE } from './arena.js'
import { createMatch } from './match.js'
import { createPlatform } from './platform.js'
import { listenToPlayers } from './players.js'
import { cleanName, headlineOf } from './scoring.mjs'

const STEP_MS = 1000 / 60
/** What may be caught up after a pause; beyond it the game simply goes on from there. */
const MOST_BEHIND_MS = 250
/** Players get every second step: 30 pictures a second. */
const STEPS_PER_PICTURE = 2
/** Where whoever allocates this server may say how long the match is; any key will do. */
const SECONDS = 'star-arena/seconds'
const USUAL_SECONDS = 60
/** Players that fit if the GameServer has no counter that says it. */
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
    // From the platform's allocation to the match: this is all there is to it.
    this.sidecar.on('state', ({ state, gameServer }) => {
      if (state === 'Allocated') this.start(gameServer)
      // The platform has taken leave of this server, so there is nothing more to say to it.
      if (state === 'Shutdown') this.sidecar.close()
    })
    // The platform ends this server; what it takes to do so in order is waited for.
    gameServerHost.addEventListener('shutdown', (event) => event.waitUntil(this.stop()))
    this.platform.opened('harbour')
  }

  /** What Phaser's loop calls: as many steps as the time that has passed takes. */
  update(_time, delta) {
    this.behind = Math.min(this.behind + delta, MOST_BEHIND_MS)
    for (; this.behind >= STEP_MS; this.behind -= STEP_MS) this.step()
  }

  /**
   * One step of the simulation, and two signs of life from it. Without `alive()` the sidecar gets no more
   * heartbeats and the platform replaces this server; without `tick()` the host ends it, and says where it
   * hangs. That the rest of the page is in the best of health is no help.
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

  /** What players are told of the server itself. */
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

  /** Resolves when the match has ended, now if it hasn't yet, and the platform knows it. */
  stop() {
    if (this.match.phase !== 'over') this.players.broadcast({ type: 'stopped' })
    return this.platform.ended()
  }
}

// No options: the page has been told where the sidecar is, and that it wants a heartbeat.
const sidecar = GameServerSidecar.createClient()

const config = {
  // The engine's loop and its physics; there is nothing to draw and nothing to hear.
  type: Phaser.HEADLESS,
  ...SIZE,
  banner: false,
  audio: { noAudio: true },
  // The time that has really passed, which the scene divides into steps.
  fps: { smoothStep: false },
  physics: { default: 'arcade', arcade: { fps: 60, customUpdate: true } },
  scene: new ServerScene(),
}
// With a client of its own the plugin would beat as long as Phaser's loop runs; this server gives its own sign
// of life.
new Phaser.Game(GameServerSidecarPlugin.install(config, { data: sidecar }))
