/**
 * The game server's page. `GameServerSidecar`, its Phaser plugin and Phaser itself are scripts in the page;
 * `gameServerHost` is there because the host runs it.
 */
import { SIZE } from './arena.js'
import { ServerScene } from './scene.js'

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
