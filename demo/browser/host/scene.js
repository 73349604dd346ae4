import { createArena } from './arena.js'
import { startClock } from './clock.js'
import { createMatch } from './match.js'
import { joinNetwork } from './network.js'
import { createPlatform } from './platform.js'

const STEPS_PER_SECOND = 60
/** Players get every second step: 30 pictures a second. */
const STEPS_PER_PICTURE = 2
/** Where whoever allocates this server may say how long the match is; any key will do. */
const SECONDS = 'star-arena/seconds'

/** The game server is a scene of Phaser; `this.sidecar` is there because the plugin is installed. */
export class ServerScene extends Phaser.Scene {
  constructor(panel) {
    super('server')
    this.panel = panel
    this.steps = 0
  }

  create() {
    this.match = createMatch({ ended: (ranking) => this.end(ranking) })
    this.arena = createArena(this, (id) => this.match.caught(id))
    this.platform = createPlatform(this.sidecar, (error) => this.panel.trouble(error.message))
    // From the platform's allocation to the match: this is all there is to it.
    this.sidecar.on('state', ({ state, gameServer }) => {
      if (state === 'Allocated') this.match.start(Number(gameServer.object_meta.annotations[SECONDS] ?? 60))
    })
    startClock(STEPS_PER_SECOND, { step: () => this.step(), rate: (rate) => this.panel.showRate(rate) })
    this.open().catch((error) => this.panel.trouble(error.message))
  }

  /** Players come in at the port that the platform has given this GameServer. Only then is it ready. */
  async open() {
    const {
      status: { address, ports },
    } = await this.sidecar.connect()
    const players = `${address}:${ports[0].port}`
    this.panel.showPlayersAddress(`http://${players}/`)
    this.network = joinNetwork(`ws://${players}/host`, {
      opened: () => this.platform.opened('harbour'),
      message: (id, message) => this.receive(id, message),
      left: (id) => this.leave(id),
    })
  }

  /**
   * One step of the simulation, and a sign of life from it: without them the sidecar gets no more heartbeats
   * and the platform replaces this server, even if the rest of the page is in the best of health.
   */
  step() {
    this.sidecar.alive()
    this.steps += 1
    this.arena.step()
    this.match.step(1 / STEPS_PER_SECOND)
    if (this.steps % STEPS_PER_PICTURE === 0) this.network?.broadcast({ type: 'picture', ...this.view() })
  }

  /** What Phaser calls for each picture on this page; nothing here matters to the match. */
  update() {
    this.arena.draw()
    this.panel.showMatch(this.view())
  }

  view() {
    const { players, stars } = this.arena.view()
    const scored = players.map((player) => ({ ...player, score: this.match.score(player.id) }))
    return { phase: this.match.phase, left: Math.max(0, Math.ceil(this.match.left)), players: scored, stars }
  }

  receive(id, { type, name, x, y }) {
    if (type === 'join') this.join(id, String(name ?? ''))
    if (type === 'move' && Number.isFinite(x) && Number.isFinite(y)) this.arena.steer(id, x, y)
  }

  join(id, text) {
    const capacity = Number(this.sidecar.gameServer.status.counters.players.capacity)
    const refused =
      this.match.phase === 'over'
        ? 'This match is over.'
        : this.match.size >= capacity
          ? 'This match is full.'
          : undefined
    if (refused !== undefined) return this.network.send(id, { type: 'refused', reason: refused })
    const name = this.match.join(id, cleanName(text))
    this.arena.join(id, name)
    this.platform.joined(name)
    this.network.send(id, { type: 'joined', id })
  }

  leave(id) {
    const player = this.match.leave(id)
    if (player === undefined) return
    this.arena.leave(id)
    if (this.match.phase !== 'over') this.platform.left(player.name)
  }

  end(ranking) {
    this.network.broadcast({ type: 'over', ranking })
    this.panel.showRanking(ranking)
    this.platform.ended(ranking)
  }
}

/** A name from outside: short, and without what has no width or changes the direction of the text. */
const cleanName = (text) =>
  text
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 16) || 'Player'
