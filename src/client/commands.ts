import type { GameServer } from '../protocol/game-server.js'
import type { OperationName } from '../protocol/operations.js'
import type { Calls, Predicate } from './calls.js'
import { checkBody, checkKey } from './checks.js'
import type { Connection } from './connection.js'
import type { SidecarError } from './errors.js'
import { equal, GONE, lostGameServer, own, type Resources, type State } from './state.js'
import type { Task } from './time.js'
import type { CallOptions, List, Outcome, ReadyOptions, SidecarClient, WriteOptions } from './types.js'
import type { Watch } from './watch.js'

/** The operations that ask for a state, and the state. */
const STATE_OF = { ready: 'Ready', allocate: 'Allocated', reserve: 'Reserved', shutdown: 'Shutdown' } as const
type StateCall = keyof typeof STATE_OF

type MetadataCall = 'setLabel' | 'setAnnotation'
type ListChange = 'addListValue' | 'removeListValue'
type CounterCall = 'getCounter' | 'updateCounter'
type ListCall = 'getList' | 'updateList' | ListChange

/** ms between two checks whether the sidecar has written an accepted change. */
const SETTLE_INTERVAL = 200

/** States, labels, annotations and the GameServer. The sidecar's answer only accepts a write; the watch shows it. */
export function createCommands(
  { run, send, inOrder, findOutcome }: Calls,
  connection: Connection,
  state: State,
  watch: Watch,
): Pick<SidecarClient, StateCall | MetadataCall | 'getGameServer' | 'connect'> {
  interface Write {
    readonly operation: StateCall | MetadataCall
    /** Writes of one key are sent in the order of their calls. */
    readonly key: string
    readonly fields: object
    /** Whether a GameServer shows the write; throws if the write can no longer land. */
    isShown(gameServer: GameServer, before: GameServer | undefined): boolean
    /** Whether the state of the watched GameServer makes the write superfluous. */
    isDone(shown: string, force: boolean | undefined): boolean
  }

  const write = ({ operation, key, fields, isShown, isDone }: Write, given?: ReadyOptions): Promise<Outcome> =>
    run(operation, given, async (task, { confirm, force }) => {
      const body = checkBody(operation, fields)
      let before: GameServer | undefined
      const answer = await inOrder(task, key, async () => {
        before = state.last
        const shown = connection.watched()
        return shown && isDone(shown.status.state, force) ? undefined : send(task, operation, body)
      })
      if (!answer) return 'confirmed'
      const passes: Predicate = (gameServer) => isShown(gameServer, before)
      if (!confirm) return answer.unread ? findOutcome!(task, before, passes) : 'accepted'
      await watch.until(task, passes)
      return 'confirmed'
    })

  const setState = (operation: StateCall, given: ReadyOptions | undefined, fields: object = {}): Promise<Outcome> =>
    write(
      {
        operation,
        key: 'state',
        fields,
        isShown(gameServer, before) {
          const { state: name } = gameServer.status
          if (name === STATE_OF[operation]) return true
          if (gameServer !== before) throwIfLost(name)
          return false
        },
        isDone(name, force) {
          // A `ready` that waits in the sidecar's queue undoes an allocation that is made meanwhile.
          if (name === STATE_OF[operation] && ((operation === 'ready' && !force) || operation === 'shutdown'))
            return true
          throwIfLost(name)
          return false
        },
      },
      given,
    )

  const setMetadata =
    (operation: MetadataCall, map: 'labels' | 'annotations') =>
    (key: string, value: string, options?: WriteOptions): Promise<Outcome> => {
      const isShown: Predicate = ({ object_meta: meta }) => own(meta[map], state.prefix + key) === value
      return write({ operation, key: 'metadata', fields: { key, value }, isShown, isDone: () => false }, options)
    }

  const read = (operation: 'getGameServer' | 'connect') => (options?: CallOptions) =>
    run(operation, options, async (task) => (await send(task, 'getGameServer')).body as unknown as GameServer)

  return {
    ready: (options) => setState('ready', options),
    allocate: (options) => setState('allocate', options),
    shutdown: (options) => setState('shutdown', options),
    reserve: (seconds, options) => setState('reserve', options, { seconds }),
    setLabel: setMetadata('setLabel', 'labels'),
    setAnnotation: setMetadata('setAnnotation', 'annotations'),
    connect: read('connect'),
    getGameServer: read('getGameServer'),
  }
}

/** @throws SidecarError `UNAVAILABLE` for a state in which the sidecar ignores each state call */
function throwIfLost(state: string): void {
  if (state === 'Unhealthy' || state === 'Shutdown') throw lostGameServer(state)
}

/** The counter or list of a call, and how to send operations on it. */
interface Target {
  readonly task: Task
  readonly key: string
  readonly body: Record<string, unknown>
  /** @param query added to the path */
  send(operation: OperationName, body?: object, query?: string): ReturnType<Calls['send']>
}

/** Counters and lists. Operations on one name run in the order of their calls. */
export function createResourceCommands(
  { run, send, inOrder, findOutcome }: Calls,
  { time }: Connection,
  state: State,
  { toCounter, toList }: Resources,
): Pick<SidecarClient, CounterCall | ListCall> {
  /** Checks an operation on a counter or list, then runs it after earlier operations on the same name. */
  const on = <T>(
    operation: CounterCall | ListCall,
    key: string,
    options: CallOptions | undefined,
    fields: object,
    work: (target: Target) => Promise<T>,
  ): Promise<T> =>
    run(operation, options, async (task) => {
      const name = checkKey(operation, key)
      const body = checkBody(operation, fields)
      const sendOn: Target['send'] = (sent, sentBody, query = '') => send(task, sent, sentBody, name + query)
      return inOrder(task, key, () => work({ task, key, body, send: sendOn }))
    })

  async function whenWritten({ task, key, send: sendOn }: Target): Promise<void> {
    for (;;) {
      const { values, capacity } = toList(key, (await sendOn('getList')).body)
      const { body } = await send(task, 'getGameServer')
      const written = own((body as unknown as GameServer).status.lists, key)
      if (written && equal([values, String(capacity)], [written.values ?? [], written.capacity])) return
      await time.sleep(task, SETTLE_INTERVAL)
    }
  }

  async function updateList(target: Target): Promise<List> {
    const { key, body, send: sendOn } = target
    const read = async (): Promise<List> => toList(key, (await sendOn('getList')).body)
    // Up to 1.58, `updateList` of an unknown list crashes the sidecar; in all versions, it drops unwritten changes.
    await whenWritten(target)
    try {
      await sendOn('updateList', body, '?updateMask=' + Object.keys(body).join())
    } catch (error) {
      if ((error as SidecarError).code !== 'FORBIDDEN' || body.capacity !== undefined) throw error
      // The sidecar's role always allows to change values one by one.
      const { values } = await read()
      const wanted = body.values as string[]
      for (const value of values) if (!wanted.includes(value)) await sendOn('removeListValue', { value })
      for (const value of wanted) if (!values.includes(value)) await sendOn('addListValue', { value })
    }
    return read()
  }

  const changeList =
    (operation: ListChange) =>
    (list: string, value: string, options?: CallOptions): Promise<List> =>
      on(operation, list, options, { value }, async ({ task, body, send: sendOn }) => {
        const before = state.last
        const answer = await sendOn(operation, body)
        if (!answer.unread) return toList(list, answer.body)
        const listIn = (gameServer: GameServer | undefined, otherwise: object): List =>
          toList(list, own<object>(gameServer?.status.lists, list) ?? otherwise)
        const passes: Predicate = (gameServer) =>
          listIn(gameServer, GONE).values.includes(value) === (operation === 'addListValue')
        const outcome = await findOutcome!(task, before, passes, true)
        return Object.assign(listIn(state.last, answer.body), { outcome })
      })

  const read =
    <T>(operation: 'getCounter' | 'getList', convert: (name: string, raw: object) => T) =>
    (key: string, options?: CallOptions): Promise<T> =>
      on(operation, key, options, {}, async ({ send: sendOn }) => convert(key, (await sendOn(operation)).body))

  return {
    getCounter: read('getCounter', toCounter),
    getList: read('getList', toList),
    addListValue: changeList('addListValue'),
    removeListValue: changeList('removeListValue'),

    updateCounter: (key, update, options) =>
      on('updateCounter', key, options, update, async ({ body: fields, send: sendOn }) => {
        // In production the sidecar refuses an update without effect.
        if (fields.countDiff === '0') delete fields.countDiff
        const isUpdate = Object.keys(fields).length
        return toCounter(key, (await (isUpdate ? sendOn('updateCounter', fields) : sendOn('getCounter'))).body)
      }),

    updateList: (key, update, options) => on('updateList', key, options, update, updateList),
  }
}
