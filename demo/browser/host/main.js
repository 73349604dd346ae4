/**
 * The game server's page. `GameServerSidecar`, its Phaser plugin and Phaser itself are scripts in the page.
 */
import { SIZE } from './arena.js'
import { createPanel } from './panel.js'
import { ServerScene } from './scene.js'

// No options: the gateway has told the page where the sidecar is, and that it wants a heartbeat.
const sidecar = GameServerSidecar.createClient()

const config = {
  // A browser without a graphics card draws a small scene for less with canvas than with WebGL in software.
  type: /[?&]renderer=canvas\b/.test(location.search) ? Phaser.CANVAS : Phaser.AUTO,
  parent: 'arena',
  ...SIZE,
  backgroundColor: '#111a2e',
  banner: false,
  audio: { noAudio: true },
  // The server's own clock steps the physics, since Phaser's stops while nobody looks at the page.
  physics: { default: 'arcade', arcade: { fps: 60, customUpdate: true } },
  scene: new ServerScene(createPanel(sidecar)),
}
// With a client of its own the plugin would beat as long as pictures are drawn; this server gives its own
// sign of life.
new Phaser.Game(GameServerSidecarPlugin.install(config, { data: sidecar }))

// The platform has deleted this server and there is a new one. In a cluster this page's process is gone as
// well; here the page takes the place of the next.
let uid
sidecar.on('gameserver', ({ object_meta: meta }) => {
  uid ??= meta.uid
  if (meta.uid !== uid) location.reload()
})
