import type { Core } from './core.js'
import type { GameServer } from '../protocol/game-server.js'
import type { OperationName } from '../protocol/operations.js'
import { createRunInOrder } from './calls.js'
import { checkBody } from './checks.js'
import type { DirectOutcomes } from './direct/direct-outcomes.js'
import { named, SidecarError } from './errors.js'
import { lostGameServer, own } from './game-server.js'
import { createResourceCalls } from './resource-calls.js'
import type { AbortSignalLike } from './option-types.js'
import type { Outcome, ReadyOptions, SidecarClient, WriteOptions } from './types.js'
import type { Predicate, Watch } from './watch.js'

/** ms after which an accepted label or annotation should be visible; the sidecar writes twice a second. */
const VISIBLE_AFTER = 10000

/** The operations that ask for a state, and the state. */
const STATE_OF = { ready: 'Ready', allocate: 'Allocated', reserve: 'Reserved', shutdown: 'Shutdown' } as const
type StateCall = keyof typeof STATE_OF

export type Commands = Pick<SidecarClient, Exclude<OperationName, 'watchGameServer'> | 'connect'>

/**
 * The operations of the interface, without the watch. Arguments that can't be right are refused before sending.
 *
 * @param direct finds the outcomes of writes whose answers can't be read; only in a page
 * @param onBeat called for a beat that was sent by hand; with the error if it failed
 */
export function createCommands(
  parts: Core,
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
          // A call that its caller aborted says nothing about the sidecar.
          if (!signal.aborted) onBeat(named(error as SidecarError, 'health'))
          throw error
        }
      }),
  } satisfies Omit<Commands, keyof ReturnType<typeof createResourceCalls>>)
}

/**
 * Writes of states, labels and annotations. The sidecar's answer only accepts a write; the watch shows it.
 *
 * @param direct finds the outcomes of writes whose answers can't be read; only in a page
 */
function createWrites(parts: Core, watch: Watch, direct: DirectOutcomes | undefined) {
  const { run, send, connection, state, prefix } = parts
  const inOrder = createRunInOrder()
  const expectVisible = createExpectVisible(parts)

  /**
   * @param key writes of one key are sent in the order of their calls
   * @param predicate whether a GameServer shows the write; throws if the write can no longer land
   * @param isDone whether the watched GameServer makes the write superfluous
   */
  function write(
    operation: OperationName,
    key: string,
    fields: object,
    given: ReadyOptions | undefined,
    predicate: (gameServer: GameServer, before: GameServer | undefined) => boolean,
    isDone: (shown: GameServer, force: boolean | undefined) => boolean,
  ): Promise<Outcome> {
    return run(
      operation,
      given,
      async (signal, { confirm, force }) => {
        const body = checkBody(operation, fields)
        let before: GameServer | undefined
        const answer = await inOrder(key, signal, async () => {
          before = state.last
          const shown = connection.watched()
          return shown && isDone(shown, force) ? undefined : send(signal, operation, body)
        })
        if (!answer) return 'confirmed'
        const isShown: Predicate = (gameServer) => predicate(gameServer, before)
        if (!confirm) return answer.unread ? direct!.ofWrite(signal, before, isShown) : 'accepted'
        await watch.until(signal, isShown)
        return 'confirmed'
      },
      operation === 'ready' ? ['confirm', 'force'] : ['confirm'],
    )
  }

  const setState = (operation: StateCall, given: ReadyOptions | undefined, fields: object = {}): Promise<Outcome> =>
    write(
      operation,
      'state',
      fields,
      given,
      (gameServer, before) => {
        const { state: name } = gameServer.status
        if (name === STATE_OF[operation]) return true
        if (gameServer !== before) throwIfLost(name)
        return false
      },
      ({ status: { state: name } }, force) => {
        // A `ready` that waits in the sidecar's queue undoes an allocation that is made meanwhile.
        if ((operation === 'ready' && name === 'Ready' && !force) || (operation === 'shutdown' && name === 'Shutdown'))
          return true
        throwIfLost(name)
        return false
      },
    )

  const setMetadata = async (
    operation: 'setLabel' | 'setAnnotation',
    key: string,
    value: string,
    given: WriteOptions | undefined,
  ): Promise<Outcome> => {
    const map = operation === 'setLabel' ? 'labels' : 'annotations'
    const isWritten: Predicate = ({ object_meta: meta }) => own(meta[map], prefix + key) === value
    const outcome = await write(operation, 'metadata', { key, value }, given, isWritten, () => false)
    if (outcome === 'accepted') expectVisible(operation, key, isWritten)
    return outcome
  }

  return { setState, setMetadata }
}

/** @throws SidecarError `UNAVAILABLE` for a state in which the sidecar ignores each state call */
function throwIfLost(state: string): void {
  if (state === 'Unhealthy' || state === 'Shutdown') throw lostGameServer(state)
}

/** Reports a label or annotation that the sidecar has accepted and never writes: writes are asynchronous. */
function createExpectVisible({
  timers,
  connection,
  emit,
}: Core): (operation: string, key: string, predicate: Predicate) => void {
  const expected = new Map<string, Predicate>()
  return (operation, key, predicate) => {
    if (!connection.isWatched) return
    expected.set(operation + key, predicate)
    timers.after(VISIBLE_AFTER, () => {
      const shown = connection.watched()
      // A later write of the same key takes the place of this one.
      if (!shown || expected.get(operation + key) !== predicate || predicate(shown)) return
      const summary = `Accepted, but not visible in the watch after ${VISIBLE_AFTER / 1000} s`
      emit('error', new SidecarError('UNKNOWN_OUTCOME', summary, { operation }))
    })
  }
}
