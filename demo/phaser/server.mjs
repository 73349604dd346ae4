/**
 * A game server on Phaser without a browser. AGONES_SDK_HTTP_PORT gives the sidecar's port, as in a cluster. The server
 * ends when its match is over.
 */
import { closeWindow } from './headless.mjs'
import Phaser from 'phaser'
import { createSidecarPlugin, installSidecarPlugin } from 'gameserver-sidecar/phaser'

const PLAYERS = ['Ada', 'Grace', 'Linus']
const MATCH_SECONDS = 2
const WIDTH = 800
const HEIGHT = 600

const say = (source, text) => console.log(`${source.padEnd(8)} ${text}`)

/** Waits for players, then for the platform to allocate this server to them. */
class Lobby extends Phaser.Scene {
  constructor() {
    super('lobby')
  }

  async create() {
    const ends = [this.sidecar.on('counter', this.tellCounter, this), this.sidecar.on('list', this.tellList, this)]
    this.game.events.once('destroy', () => ends.forEach((end) => end()))
    try {
      await this.sidecar.connect()
      await this.sidecar.ready({ confirm: true })
      for (const name of PLAYERS) {
        await this.sidecar.addListValue('roster', name)
        await this.sidecar.updateCounter('players', { countDiff: 1 })
      }
      await this.sidecar.waitFor('Allocated')
      this.scene.start('arena')
    } catch (error) {
      fail(error)
    }
  }

  tellCounter({ name, count, capacity }) {
    say('counter', `${name}: ${count} of ${capacity}`)
  }

  tellList({ name, values }) {
    say('list', `${name}: ${values.join(', ') || 'nobody'}`)
  }
}

/** A match: bodies that bounce off the walls and off each other. The same client as in the lobby. */
class Arena extends Phaser.Scene {
  constructor() {
    super('arena')
  }

  create() {
    this.physics.world.setBounds(0, 0, WIDTH, HEIGHT)
    this.bodies = PLAYERS.map((name, i) => {
      const body = this.physics.add.body(100 + 200 * i, 300, 60, 60)
      return body
        .setVelocity(400 - 250 * i, 10 * i)
        .setBounce(1, 1)
        .setCollideWorldBounds(true)
    })
    this.hits = 0
    this.frames = 0
    this.physics.add.collider(this.bodies, this.bodies, () => {
      this.hits += 1
    })
    this.time.delayedCall(MATCH_SECONDS * 1000, this.end, [], this)
    say('match', `${PLAYERS.length} players, arcade physics`)
  }

  update() {
    this.frames += 1
  }

  async end() {
    const positions = this.bodies.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join('  ')
    say('match', `over after ${this.frames} frames and ${this.hits} hits; players at ${positions}`)
    try {
      await this.sidecar.setLabel('last-hits', String(this.hits), { confirm: true })
      for (const name of PLAYERS) {
        await this.sidecar.removeListValue('roster', name)
        await this.sidecar.updateCounter('players', { countDiff: -1 })
      }
      await this.sidecar.shutdown({ confirm: true })
      this.game.destroy(true)
    } catch (error) {
      fail(error)
    }
  }
}

const config = {
  type: Phaser.HEADLESS,
  width: WIDTH,
  height: HEIGHT,
  banner: false,
  audio: { noAudio: true },
  physics: { default: 'arcade' },
  scene: [Lobby, Arena],
}
const game = new Phaser.Game(installSidecarPlugin(config, createSidecarPlugin(Phaser)))

game.events.once('ready', () => {
  const sidecar = game.plugins.get('GameServerSidecarPlugin')
  let beats = 0
  sidecar.on('state', ({ state }) => say('state', state))
  sidecar.on('error', (error) => say('error', error.message))
  sidecar.on('health', ({ ok, reason }) => {
    if (!ok) say('health', reason)
    else if ((beats += 1) === 1) say('health', 'first beat; as long as the game loop goes on')
  })
})
game.events.once('destroy', () => {
  say('game', 'destroyed, and the client with it')
  // After the frame that destroys the game.
  setTimeout(closeWindow)
})

function fail(error) {
  console.error(error)
  process.exitCode = 1
  game.destroy(true)
}
