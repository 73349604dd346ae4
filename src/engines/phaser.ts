import { createClient } from '../index.js'
import { definePlugin, type PhaserLike, type SidecarPluginClass } from './phaser-plugin.js'

export { installSidecarPlugin } from './phaser-plugin.js'

export type { SidecarSource } from './engine-client.js'
export type { InstallOptions, PhaserLike, SidecarPlugin, SidecarPluginClass } from './phaser-plugin.js'

/**
 * Creates the class of a global plugin, with one client for all scenes of a game, for Phaser 3 and 4. Unless
 * `autoHealth` is false, the client sends beats while the game loop runs.
 *
 * ```js
 * new Phaser.Game(installSidecarPlugin(config, createSidecarPlugin(Phaser))) // then, in a scene: this.sidecar.ready()
 * ```
 */
export function createSidecarPlugin<Int = number>(Phaser: PhaserLike): SidecarPluginClass<Int> {
  return definePlugin<Int>(Phaser, createClient)
}
