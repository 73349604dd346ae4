import type { SidecarClient } from '../index.js'
import { engineClient, type CreateClient, type SidecarSource } from './engine-client.js'

/** The part of Phaser that is used. */
export interface PhaserLike {
  readonly Plugins: { readonly BasePlugin: new (manager: never) => { destroy(): void } }
}

/**
 * The plugin has all members of the client: a scene calls `this.sidecar.ready()`. Only `destroy()` is Phaser's: Phaser
 * calls it when the game is destroyed or the plugin is removed, and it closes the client that the plugin created.
 */
export interface SidecarPlugin<Int = number> extends SidecarClient<Int> {
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
      const { client, release } = engineClient<Int>(create, source, () => game.loop.frame)
      const step = (): void => client.tick()
      this.client = client
      this.end = () => {
        game.events.off('step', step)
        release()
      }
      // Copies the client's members that a plugin doesn't have, getters included.
      Reflect.ownKeys(client).forEach((name) => {
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

export interface InstallOptions<Int = number> {
  /**
   * Options for the client, or a client. Without it, the client looks for its options as `docs/configuration.md` says.
   */
  data?: SidecarSource<Int>
}

interface GameLike {
  readonly isBooted: boolean
  readonly events: { once(event: string, listener: () => void): unknown }
  readonly plugins: {
    install(key: string, plugin: never, start: boolean, mapping: string, data?: unknown): unknown
  }
  readonly scene: { readonly scenes: readonly object[] }
}

interface GameConfigLike {
  callbacks?: { preBoot?: ((game: never) => void) | undefined }
}

/**
 * Installs the plugin into a game's configuration or into an existing game, and returns that argument. Use it instead
 * of `plugins: { global: [...] }`, which Phaser silently ignores if `type` is `HEADLESS`.
 *
 * @param plugin the class from `createSidecarPlugin()`
 */
export function installSidecarPlugin<Target extends object, Int = number>(
  target: Target,
  plugin: new (manager: never) => object,
  options: InstallOptions<Int> = {},
): Target {
  const install = ({ plugins, scene }: GameLike): void => {
    const sidecar = plugins.install('GameServerSidecarPlugin', plugin as never, true, 'sidecar', options.data)
    // Phaser maps a plugin only into scenes that are created later.
    if (sidecar) scene.scenes.forEach((existing) => Object.assign(existing, { sidecar }))
  }
  const game = target as unknown as GameLike
  if ('isBooted' in target) {
    if (game.isBooted) install(game)
    else game.events.once('boot', () => install(game))
  } else {
    const config = target as GameConfigLike
    const { preBoot } = config.callbacks ?? {}
    config.callbacks = Object.assign({}, config.callbacks, {
      preBoot(booting: never) {
        install(booting)
        if (preBoot) preBoot(booting)
      },
    })
  }
  return target
}
