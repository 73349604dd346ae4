import type { GameServer } from '../protocol/game-server.js'
import type { OperationName } from '../protocol/operations.js'
import { equal, own } from '../watch/changes.js'
import { isGameServer } from '../watch/order.js'
import type { Calls } from './calls.js'
import { check, checkInteger, checkMetadata, checkName, checkSeconds, checkText } from './checks.js'
import { fail } from './errors.js'
import type { ParseInteger } from './integers.js'
import type { Scope } from './scope.js'
import type { Timers } from './timers.js'
import type { CallOptions, Counter, List, ListUpdate, SidecarClient, WriteOptions } from './types.js'

/** ms between two looks at whether the sidecar has written what it has accepted. */
const settleInterval = 200

export type Predicate = (gameServer: GameServer) => boolean
export type Commands = Pick<SidecarClient, Exclude<OperationName, 'watchGameServer'> | 'connect'>

/**
 * The operations of the interface, but for the watch. What can't be right is refused before anything is sent.
 *
 * @param onRead is told of each GameServer that a read brought
 * @param seen waits until the watch shows an object that passes
 * @param expect is told what an accepted metadata write should lead to before long
 */
export function createCommands(
  calls: Calls,
  timers: Timers,
  parseInteger: ParseInteger,
  prefix: string,
  onRead: (gameServer: GameServer) => void,
  seen: (scope: Scope, predicate: Predicate) => Promise<GameServer>,
  expect: (id: string, predicate: Predicate) => void,
): Commands {
  /** A method of the client: checks and sends within one call's scope, in the order of its key. */
  const write = async (
    operation: OperationName,
    order: string,
    body: object | undefined,
    options: WriteOptions | undefined,
    predicate: Predicate,
  ): Promise<void> =>
    calls._run(operation, options, async (scope) => {
      await calls._inOrder(order, scope, () => calls._send(scope, operation, body))
      if (options && options.confirm) await seen(scope, predicate)
      else if (order === 'metadata') expect(operation + (body as { key: string }).key, predicate)
    })

  const state =
    (operation: OperationName, name: string, body?: object) =>
    (options?: WriteOptions): Promise<void> =>
      write(operation, 'state', body, options, ({ status }) => status.state === name)

  const metadata =
    (operation: 'setLabel' | 'setAnnotation', map: 'labels' | 'annotations') =>
    async (key: string, value: string, options?: WriteOptions): Promise<void> => {
      checkMetadata(operation, key, value)
      return write(
        operation,
        'metadata',
        { key, value },
        options,
        ({ object_meta: meta }) => own(meta[map], prefix + key) === value,
      )
    }

  const readGameServer = async (scope: Scope): Promise<GameServer> => {
    const answer: unknown = await calls._send(scope, 'getGameServer')
    if (!isGameServer(answer)) throw fail('PROTOCOL', 'Not a GameServer', 'getGameServer')
    onRead(answer)
    return answer
  }

  const toCounter = (operation: string, { name, count, capacity }: Record<string, unknown>): Counter => ({
    name: name as string,
    count: parseInteger(count, operation),
    capacity: parseInteger(capacity, operation),
  })

  const toList = (operation: string, { name, capacity, values }: Record<string, unknown>): List => {
    if (!Array.isArray(values)) throw fail('PROTOCOL', 'Not a list', operation)
    return { name: name as string, capacity: parseInteger(capacity, operation), values }
  }

  /** A method on one counter or list: checked first, then in the order of its name. */
  const named = async <T>(
    operation: OperationName,
    key: string,
    options: CallOptions | undefined,
    run: (scope: Scope, name: string) => Promise<T>,
  ): Promise<T> => {
    const name = checkName(operation, key)
    return calls._run(operation, options, (scope) =>
      calls._inOrder(/list/i.test(operation) + key, scope, () => run(scope, name)),
    )
  }

  const read =
    <T>(operation: OperationName, convert: (operation: string, answer: Record<string, unknown>) => T) =>
    (key: string, options?: CallOptions): Promise<T> =>
      named(operation, key, options, async (scope, name) =>
        convert(operation, await calls._send(scope, operation, undefined, name)),
      )

  const value =
    (operation: 'addListValue' | 'removeListValue') =>
    async (key: string, item: string, options?: CallOptions): Promise<List> => {
      checkText(operation, 'value', item)
      return named(operation, key, options, async (scope, name) =>
        toList(operation, await calls._send(scope, operation, { value: item }, name)),
      )
    }

  return {
    ready: state('ready', 'Ready'),
    allocate: state('allocate', 'Allocated'),
    shutdown: state('shutdown', 'Shutdown'),
    health: (options) => calls._run('health', options, async (scope) => void (await calls._send(scope, 'health'))),
    reserve: async (seconds, options) =>
      state('reserve', 'Reserved', { seconds: checkSeconds('reserve', seconds) })(options),
    connect: (options) => calls._run('connect', options, readGameServer),
    getGameServer: (options) => calls._run('getGameServer', options, readGameServer),
    setLabel: metadata('setLabel', 'labels'),
    setAnnotation: metadata('setAnnotation', 'annotations'),

    getCounter: read('getCounter', toCounter),
    async updateCounter(key, update, options) {
      const operation = 'updateCounter'
      const body: Record<string, string> = {}
      ;(['count', 'capacity', 'countDiff'] as const).forEach((field) => {
        if (update[field] !== undefined) body[field] = checkInteger(operation, field, update[field])
      })
      check(Object.keys(body)[0], operation, 'update', 'empty', 'Give count, capacity or countDiff.')
      // In production the sidecar refuses a change that changes nothing.
      if (body.countDiff === '0') delete body.countDiff
      return named(operation, key, options, async (scope, name) => {
        let answer: Record<string, unknown> = {}
        if (Object.keys(body)[0]) answer = await calls._send(scope, operation, body, name)
        // Some versions answer with an empty counter.
        return toCounter(operation, answer.name ? answer : await calls._send(scope, 'getCounter', undefined, name))
      })
    },

    getList: read('getList', toList),
    async updateList(key, { capacity, values }, options) {
      const operation = 'updateList'
      const body: ListUpdate = {}
      if (capacity !== undefined) body.capacity = checkInteger(operation, 'capacity', capacity)
      if (values) (body.values = values).forEach((item) => checkText(operation, 'values', item))
      const mask = Object.keys(body).join()
      check(mask, operation, 'update', 'empty', 'Give capacity or values.')
      return named(operation, key, options, async (scope, name) => {
        const list = async (): Promise<List> =>
          toList(operation, await calls._send(scope, 'getList', undefined, name))
        // In production an unknown list ends the sidecar, and adds and removes that aren't written yet are dropped.
        for (;;) {
          const now = await list()
          const written = own((await readGameServer(scope)).status.lists, key)
          if (written && equal([now.values, String(now.capacity)], [written.values || [], written.capacity])) break
          await timers._sleep(scope, settleInterval)
        }
        await calls._send(scope, operation, body, name + '?updateMask=' + mask)
        return list()
      })
    },

    addListValue: value('addListValue'),
    removeListValue: value('removeListValue'),
  }
}
