import type { SidecarSource } from './engine-client.js'

export interface InstallOptions<Int = number> {
  /** The plugin's key in Phaser; default `GameServerSidecarPlugin` */
  key?: string
  /** The property of each scene that holds the plugin; default `sidecar` */
  mapping?: string
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
 * Installs the plugin into a game's configuration or into an existing game, and returns that. Use it instead of
 * `plugins: { global: [...] }`, which Phaser silently ignores if `type` is `HEADLESS`.
 *
 * @param plugin the class from `createSidecarPlugin()`
 */
export function installSidecarPlugin<Target extends object, Int = number>(
  target: Target,
  plugin: new (manager: never) => object,
  options: InstallOptions<Int> = {},
): Target {
  const { key = 'GameServerSidecarPlugin', mapping = 'sidecar', data } = options
  const install = ({ plugins, scene }: GameLike): void => {
    const installed = plugins.install(key, plugin as never, true, mapping, data)
    // Phaser maps a plugin only into scenes that are created later.
    scene.scenes.forEach((existing) => {
      if (installed) (existing as Record<string, unknown>)[mapping] = installed
    })
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
