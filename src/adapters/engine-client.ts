import type { ClientOptions, SidecarClient } from '../index.js'

/** Options for a client of the adapter's own, or a client that others use as well and that the caller closes. */
export type SidecarSource<Int = number> = ClientOptions | SidecarClient<Int>

/** How an adapter comes by a client: imported in modules, a global in scripts. */
export type CreateClient = (options: ClientOptions) => unknown

export interface EngineClient<Int> {
  _client: SidecarClient<Int>
  /** Closes the client, if it was made here. */
  _release(): void
}

/** The client of one engine; unless told otherwise it keeps the beat for as long as the engine's frames go on. */
export function engineClient<Int>(
  create: CreateClient,
  source: SidecarSource<Int> | null | undefined,
  frame: () => number,
): EngineClient<Int> {
  if (source && 'getGameServer' in source) return { _client: source, _release() {} }
  const client = create(gateByFrames(source || {}, frame)) as SidecarClient<Int>
  return { _client: client, _release: () => client.close() }
}

/** Holds beats back while the frame count stands still: a timer goes on when the game has long been frozen. */
function gateByFrames(options: ClientOptions, frame: () => number): ClientOptions {
  const { autoHealth = true, now = Date.now } = options
  if (!autoHealth) return options
  const given = autoHealth === true ? {} : autoHealth
  // As long as a page may be busy with one frame: its worker beats on meanwhile.
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
