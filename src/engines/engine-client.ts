import type { ClientOptions, SidecarClient } from '../index.js'

/** Options for a client that the adapter creates and closes, or a shared client that its owner closes. */
export type SidecarSource<Int = number> = ClientOptions | SidecarClient<Int>

/** `createClient`: imported by modules, taken from the global by scripts. */
export type CreateClient = (options: ClientOptions) => unknown

/**
 * Returns the client for one engine, and a function that closes the client unless it was passed in. Unless `autoHealth`
 * is false, the client sends beats while the engine makes frames.
 */
export function engineClient<Int>(
  create: CreateClient,
  source: SidecarSource<Int> | null | undefined,
  frame: () => number,
): { client: SidecarClient<Int>; release: () => void } {
  if (source && 'getGameServer' in source) return { client: source, release() {} }
  const client = create(gateByFrames(source ?? {}, frame)) as SidecarClient<Int>
  return { client, release: () => client.close() }
}

/** Holds back beats while the frame count stands still, because timers still fire when the game is frozen. */
function gateByFrames(options: ClientOptions, frame: () => number): ClientOptions {
  const { autoHealth = true, now = Date.now } = options
  if (!autoHealth) return options
  const given = autoHealth === true ? {} : autoHealth
  // The limit that a page has for one frame while its worker sends the beats.
  const { stallTimeout = 3000 } = given
  let last: number | undefined
  let changed = 0
  return Object.assign({}, options, {
    autoHealth: Object.assign({}, given, {
      check() {
        const current = frame()
        if (current !== last) {
          last = current
          changed = now()
        } else if (now() - changed >= stallTimeout) throw new Error('The game loop stands still')
        return given.check ? given.check() : true
      },
    }),
  })
}
