import type { GameServer } from '../protocol/game-server.js'
import type { OperationName } from '../protocol/operations.js'
import { isGameServer } from '../watch/order.js'
import { equal } from '../watch/changes.js'
import type { Calls } from './calls.js'
import { checkInteger, checkMetadata, checkName, checkSeconds, checkText } from './checks.js'
import { SidecarError } from './errors.js'
import type { ParseInteger } from './integers.js'
import type { Scope } from './scope.js'
import type { Timers } from './timers.js'
import type { CallOptions, Counter, List, SidecarClient, WriteOptions } from './types.js'

/** ms between two looks at whether the sidecar has written what it has accepted. */
const settleInterval = 200

export interface CommandDeps {
  _calls: Calls
  _timers: Timers
  _parseInteger: ParseInteger
  _prefix: string
  /** Told of each GameServer that a read brought. */
  _onRead(gameServer: GameServer): void
  /** Waits until the watch shows an object that passes. */
  _seen(scope: Scope, predicate: (gameServer: GameServer) => boolean): Promise<GameServer>
  /** Told of a metadata write that was accepted; it should show up before long. */
  _onMetadata(type: 'label' | 'annotation', key: string, value: string): void
}

export type Commands = Pick<SidecarClient, Exclude<OperationName, 'watchGameServer'>>

/** The operations of the interface, but for the watch. What can't be right is refused before anything is sent. */
export function createCommands(deps: CommandDeps): Commands {
  const { _calls: calls } = deps

  const stateCall =
    (operation: 'ready' | 'allocate' | 'shutdown', state: string) =>
    (options?: WriteOptions): Promise<void> =>
      changeState(operation, state, undefined, options)

  function changeState(operation: OperationName, state: string, body?: object, options?: WriteOptions): Promise<void> {
    return calls._run(operation, options, async (scope) => {
      await calls._inOrder('state', scope, () => calls._send(scope, operation, body))
      if (options && options.confirm) await deps._seen(scope, ({ status }) => status.state === state)
    })
  }

  const metadataCall =
    (operation: 'setLabel' | 'setAnnotation', type: 'label' | 'annotation') =>
    (key: string, value: string, options?: WriteOptions): Promise<void> =>
      calls._run(operation, options, async (scope) => {
        checkMetadata(operation, key, value)
        await calls._inOrder('metadata', scope, () => calls._send(scope, operation, { key, value }))
        if (options && options.confirm)
          await deps._seen(scope, ({ object_meta: meta }) => (meta[`${type}s`] ?? {})[deps._prefix + key] === value)
        else deps._onMetadata(type, key, value)
      })

  async function readGameServer(scope: Scope): Promise<GameServer> {
    const answer: unknown = await calls._send(scope, 'getGameServer')
    if (!isGameServer(answer))
      throw new SidecarError('PROTOCOL', 'The answer is not a GameServer', { operation: 'getGameServer' })
    deps._onRead(answer)
    return answer
  }

  function toCounter(operation: string, answer: Record<string, unknown>): Counter {
    const { name, count, capacity } = answer
    return {
      name: String(name),
      count: deps._parseInteger(count, operation),
      capacity: deps._parseInteger(capacity, operation),
    }
  }

  function toList(operation: string, answer: Record<string, unknown>): List {
    const { name, capacity, values } = answer
    return {
      name: String(name),
      capacity: deps._parseInteger(capacity, operation),
      values: Array.isArray(values) ? values.map(String) : [],
    }
  }

  const valueCall =
    (operation: 'addListValue' | 'removeListValue') =>
    (key: string, value: string, options?: CallOptions): Promise<List> =>
      calls._run(operation, options, (scope) => {
        const name = checkName(operation, key)
        checkText(operation, 'value', value)
        return calls._inOrder('list ' + key, scope, async () =>
          toList(operation, await calls._send(scope, operation, { value }, name)),
        )
      })

  return {
    ready: stateCall('ready', 'Ready'),
    allocate: stateCall('allocate', 'Allocated'),
    shutdown: stateCall('shutdown', 'Shutdown'),
    health: (options) => calls._run('health', options, async (scope) => void (await calls._send(scope, 'health'))),
    reserve: async (seconds, options) =>
      changeState('reserve', 'Reserved', { seconds: checkSeconds('reserve', seconds) }, options),
    getGameServer: (options) => calls._run('getGameServer', options, readGameServer),
    setLabel: metadataCall('setLabel', 'label'),
    setAnnotation: metadataCall('setAnnotation', 'annotation'),

    getCounter: (key, options) =>
      calls._run('getCounter', options, async (scope) =>
        toCounter('getCounter', await calls._send(scope, 'getCounter', undefined, checkName('getCounter', key))),
      ),

    updateCounter: (key, update, options) =>
      calls._run('updateCounter', options, (scope) => {
        const operation = 'updateCounter'
        const name = checkName(operation, key)
        const body: Record<string, string> = {}
        ;(['count', 'capacity', 'countDiff'] as const).forEach((field) => {
          if (update[field] !== undefined) body[field] = checkInteger(operation, field, update[field])
        })
        // In production the sidecar refuses a change that changes nothing.
        if (body.countDiff === '0') delete body.countDiff
        else if (!Object.keys(body).length)
          throw new SidecarError('INVALID_ARGUMENT', 'Nothing to update', { operation, hint: 'Give count, capacity or countDiff.' })
        const read = async (): Promise<Counter> =>
          toCounter(operation, await calls._send(scope, 'getCounter', undefined, name))
        return calls._inOrder('counter ' + key, scope, async () => {
          if (!Object.keys(body).length) return read()
          const answer = await calls._send(scope, operation, body, name)
          return answer.name ? toCounter(operation, answer) : read() // some versions answer with an empty counter
        })
      }),

    getList: (key, options) =>
      calls._run('getList', options, async (scope) =>
        toList('getList', await calls._send(scope, 'getList', undefined, checkName('getList', key))),
      ),

    updateList: (key, update, options) =>
      calls._run('updateList', options, (scope) => {
        const operation = 'updateList'
        const name = checkName(operation, key)
        const body: { capacity?: string; values?: readonly string[] } = {}
        if (update.capacity !== undefined) body.capacity = checkInteger(operation, 'capacity', update.capacity)
        if (update.values !== undefined) {
          update.values.forEach((value) => checkText(operation, 'values', value))
          body.values = update.values
        }
        const mask = Object.keys(body)
        if (!mask.length)
          throw new SidecarError('INVALID_ARGUMENT', 'Nothing to update', { operation, hint: 'Give capacity or values.' })
        return calls._inOrder('list ' + key, scope, async () => {
          // In production an unknown list ends the sidecar, and adds and removes that aren't written yet are dropped.
          for (;;) {
            const { capacity, values } = await calls._send(scope, 'getList', undefined, name)
            const written = ((await readGameServer(scope)).status.lists ?? {})[key]
            if (written && equal([capacity, values ?? []], [written.capacity, written.values ?? []])) break
            await deps._timers._sleep(scope, settleInterval)
          }
          await calls._send(scope, operation, body, name + '?updateMask=' + mask.join())
          return toList(operation, await calls._send(scope, 'getList', undefined, name))
        })
      }),

    addListValue: valueCall('addListValue'),
    removeListValue: valueCall('removeListValue'),
  }
}
