import type { GameServer } from '../protocol/game-server.js'
import type { OperationName } from '../protocol/operations.js'
import type { DirectOutcomes } from './direct/direct-outcomes.js'
import { named, type SidecarError } from './errors.js'
import { createResourceCalls, type ResourceParts } from './resource-calls.js'
import type { AbortSignalLike, SidecarClient } from './types.js'
import type { Watch } from './watch.js'
import { createWrites, type WriteParts } from './writes.js'

export type Commands = Pick<SidecarClient, Exclude<OperationName, 'watchGameServer'> | 'connect'>

/**
 * The operations of the interface, without the watch. Arguments that can't be right are refused before sending.
 *
 * @param direct finds the outcomes of writes whose answers can't be read; only in a page
 * @param onBeat called for a beat that was sent by hand; with the error if it failed
 */
export function createCommands(
  parts: WriteParts & ResourceParts,
  watch: Watch,
  direct: DirectOutcomes | undefined,
  onBeat: (error?: SidecarError) => void,
): Commands {
  const { run, send } = parts
  const { setState, setMetadata } = createWrites(parts, watch, direct)

  const readGameServer = (signal: AbortSignalLike): Promise<GameServer> =>
    send(signal, 'getGameServer').then(({ body }) => body as unknown as GameServer)

  return Object.assign(createResourceCalls(parts, direct), {
    ready: (options) => setState('ready', options),
    allocate: (options) => setState('allocate', options),
    shutdown: (options) => setState('shutdown', options),
    reserve: (seconds, options) => setState('reserve', options, { seconds }),
    setLabel: (key, value, options) => setMetadata('setLabel', key, value, options),
    setAnnotation: (key, value, options) => setMetadata('setAnnotation', key, value, options),
    connect: (options) => run('connect', options, readGameServer),
    getGameServer: (options) => run('getGameServer', options, readGameServer),

    health: (options) =>
      run('health', options, async (signal) => {
        try {
          const { unread } = await send(signal, 'health')
          onBeat()
          return unread ? 'sent' : 'accepted'
        } catch (error) {
          // A call that was ended by its caller says nothing of the sidecar.
          if (!signal.aborted) onBeat(named(error as SidecarError, 'health'))
          throw error
        }
      }),
  } satisfies Omit<Commands, keyof ReturnType<typeof createResourceCalls>>)
}
