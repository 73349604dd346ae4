import type { SidecarClient } from '../index.js'
import { engineClient, type CreateClient, type EngineClient, type SidecarSource } from './engine-client.js'

/** The part of Phaser that is used. */
export interface PhaserLike {
  readonly Plugins: { readonly BasePlugin: new (manager: never) => { destroy(): void } }
}

/**
 * The plugin has all members of the client: a scene calls `this.sidecar.ready()`. Only `destroy()` is Phaser's: Phaser
 * calls it when the game is destroyed or the plugin is removed, and it closes the client that the plugin created.
 */
export interface SidecarPlugin<Int = number> extends Omit<SidecarClient<Int>, 'destroy' | typeof Symbol.dispose> {
  readonly client: SidecarClient<Int>
  /** Called by Phaser. */
  init(source?: SidecarSource<Int> | null): void
  start(): void
  stop(): void
  destroy(): void
}

export type SidecarPluginClass<Int = number> = new (manager: never) => SidecarPlugin<Int>

interface Game {
  readonly loop: { readonly frame: number }
  readonly events: {
    on(event: string, listener: () => void): unknown
    off(event: string, listener: () => void): unknown
  }
}

type BasePlugin = new (manager: never) => { game: Game | null; start(): void; stop(): void; destroy(): void }

export function definePlugin<Int>({ Plugins }: PhaserLike, create: CreateClient): SidecarPluginClass<Int> {
  class Plugin extends (Plugins.BasePlugin as unknown as BasePlugin) {
    declare client: SidecarClient<Int>
    declare private end: (() => void) | undefined

    init(source?: SidecarSource<Int> | null): void {
      const game = this.game!
      const made: EngineClient<Int> = engineClient(create, source, () => game.loop.frame)
      const client = made.client
      const step = (): void => client.tick()
      this.client = client
      this.end = () => {
        game.events.off('step', step)
        made.release()
      }
      // Copies the client's members that a plugin doesn't have, getters included.
      Object.getOwnPropertyNames(client).forEach((name) => {
        if (!(name in this)) Object.defineProperty(this, name, Object.getOwnPropertyDescriptor(client, name)!)
      })
      game.events.on('step', step)
    }

    override destroy(): void {
      if (!this.game) return
      if (this.end) this.end()
      super.destroy()
    }
  }
  return Plugin as unknown as SidecarPluginClass<Int>
}
