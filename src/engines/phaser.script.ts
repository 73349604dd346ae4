import type { CreateClient } from './engine-client.js'
import {
  definePlugin,
  installSidecarPlugin,
  type InstallOptions,
  type PhaserLike,
  type SidecarPluginClass,
} from './phaser-plugin.js'

interface ScriptGlobals {
  Phaser?: PhaserLike
  GameServerSidecar?: { createClient: CreateClient }
  GameServerSidecarPlugin?: unknown
}

const root = globalThis as ScriptGlobals

function need<Name extends 'Phaser' | 'GameServerSidecar'>(name: Name): NonNullable<ScriptGlobals[Name]> {
  const found = root[name]
  if (!found) throw new Error('GameServerSidecarPlugin needs the global ' + name + ': load its script first')
  return found
}

let Plugin: SidecarPluginClass | undefined

/** `this.load.plugin(key, url)` expects a class at `window[key]`. Phaser's own script may be loaded later. */
function GameServerSidecarPlugin(manager: never): object {
  Plugin = Plugin ?? definePlugin(need('Phaser'), (options) => need('GameServerSidecar').createClient(options))
  return new Plugin(manager)
}

GameServerSidecarPlugin.install = <Target extends object>(target: Target, options?: InstallOptions): Target =>
  installSidecarPlugin(target, GameServerSidecarPlugin as unknown as SidecarPluginClass, options)

root.GameServerSidecarPlugin = GameServerSidecarPlugin
