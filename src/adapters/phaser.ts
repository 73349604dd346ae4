import { createClient } from '../index.js'
import { definePlugin, type PhaserLike, type SidecarPluginClass } from './phaser-plugin.js'

export { installSidecarPlugin } from './phaser-install.js'

export type { SidecarSource } from './engine-client.js'
export type { InstallOptions } from './phaser-install.js'
export type { PhaserLike, SidecarPlugin, SidecarPluginClass } from './phaser-plugin.js'

/**
 * Makes the class of a global plugin: one client for all scenes of a game, Phaser 3 and 4. Unless `autoHealth: false`
 * is given it keeps the beat, and only while the game loop goes on.
 *
 * ```js
 * const SidecarPlugin = createSidecarPlugin(Phaser)
 * new Phaser.Game(installSidecarPlugin(config, SidecarPlugin))   // then, in a scene: this.sidecar.ready()
 * ```
 */
export function createSidecarPlugin<Int = number>(Phaser: PhaserLike): SidecarPluginClass<Int> {
  return definePlugin<Int>(Phaser, createClient)
}
