import type { Core } from './core.js'
import type { GameServer } from '../protocol/game-server.js'
import type { OperationName } from '../protocol/operations.js'
import { type Answer, createRunInOrder } from './calls.js'
import { checkBody, checkKey } from './checks.js'
import type { DirectOutcomes } from './direct/direct-outcomes.js'
import type { SidecarError } from './errors.js'
import { equal, own } from './game-server.js'
import type { AbortSignalLike } from './option-types.js'
import type { CallOptions, List, SidecarClient } from './types.js'

/** ms between two checks whether the sidecar has written an accepted change. */
const SETTLE_INTERVAL = 200

export type ResourceCalls = Pick<
  SidecarClient,
  'getCounter' | 'updateCounter' | 'getList' | 'updateList' | 'addListValue' | 'removeListValue'
>

/** Sends an operation on the counter or list at hand. */
type SendNow = (operation: OperationName, body?: object, query?: string) => Promise<object>

/**
 * The operations on counters and lists. Operations on one name run in the order of their calls.
 *
 * @param direct finds the outcomes of writes whose answers can't be read; only in a page
 */
export function createResourceCalls(parts: Core, direct: DirectOutcomes | undefined): ResourceCalls {
  const { run, send, state } = parts
  const { toCounter, toList } = parts.resources
  const inOrder = createRunInOrder()
  const lists = createListCalls(parts)

  /** Checks an operation on a counter or list, then runs it after earlier operations on the same name. */
  function onResource<T>(
    operation: OperationName,
    key: string,
    given: object,
    options: CallOptions | undefined,
    work: (sendNow: SendNow, body: Record<string, unknown>, signal: AbortSignalLike, name: string) => Promise<T>,
  ): Promise<T> {
    return run(operation, options, async (signal) => {
      const name = checkKey(operation, key)
      const body = checkBody(operation, given)
      const sendNow: SendNow = async (sent, sentBody, query = '') =>
        (await send(signal, sent, sentBody, name + query)).body
      return inOrder(key, signal, () => work(sendNow, body, signal, name))
    })
  }

  function changeList(
    operation: ListChange,
    key: string,
    value: string,
    options: CallOptions | undefined,
  ): Promise<List> {
    return run(operation, options, async (signal) => {
      const name = checkKey(operation, key)
      const body = checkBody(operation, { value })
      const change = { list: key, value, added: operation === 'addListValue' }
      const { answer, unread } = await inOrder(key, signal, async () => {
        if (direct) await direct.whenSettled(signal, change)
        const before = state.last
        const answer = await lists.change(signal, operation, key, name, body)
        // Not awaited: the next change may start before this change shows.
        return { answer, unread: answer.unread && direct!.ofListChange(signal, before, answer.body, change) }
      })
      return unread || toList(key, answer.body)
    })
  }

  return {
    getCounter: (key, options) =>
      onResource('getCounter', key, {}, options, async (sendNow) => toCounter(key, await sendNow('getCounter'))),

    updateCounter: (key, update, options) =>
      onResource('updateCounter', key, update, options, async (sendNow, body) => {
        // In production the sidecar refuses an update without effect.
        if (body.countDiff === '0') delete body.countDiff
        const answer: { name?: unknown } = Object.keys(body).length ? await sendNow('updateCounter', body) : {}
        // Up to 1.53 the sidecar answers with an empty counter.
        return toCounter(key, answer.name ? answer : await sendNow('getCounter'))
      }),

    getList: (key, options) =>
      onResource('getList', key, {}, options, async (sendNow) => toList(key, await sendNow('getList'))),

    updateList: (key, update, options) =>
      onResource('updateList', key, update, options, async (_sendNow, body, signal, name) =>
        toList(key, await lists.update(signal, key, name, body)),
      ),

    addListValue: (key, value, options) => changeList('addListValue', key, value, options),
    removeListValue: (key, value, options) => changeList('removeListValue', key, value, options),
  }
}

type ListChange = 'addListValue' | 'removeListValue'

/** The changes of lists, as the sidecars since 1.50 need them. Only one change of the same list runs at a time. */
interface ListCalls {
  change(signal: AbortSignalLike, operation: ListChange, list: string, name: string, body: object): Promise<Answer>
  /** @param name the encoded name of the list */
  update(signal: AbortSignalLike, list: string, name: string, body: Record<string, unknown>): Promise<object>
}

function createListCalls({ send, timers, resources: { toList } }: Core): ListCalls {
  /** Lists that a sidecar up to 1.52.2 has added to: it undoes a removal until it has written the addition. */
  const unwritten = new Set<string>()

  const read = async (signal: AbortSignalLike, name: string): Promise<object> =>
    (await send(signal, 'getList', {}, name)).body

  async function whenWritten(signal: AbortSignalLike, list: string, name: string): Promise<void> {
    for (;;) {
      const { values, capacity } = toList(list, await read(signal, name))
      const { body } = await send(signal, 'getGameServer')
      const written = own((body as unknown as GameServer).status.lists, list)
      if (written && equal([values, String(capacity)], [written.values ?? [], written.capacity])) return
      await timers.sleep(signal, SETTLE_INTERVAL)
    }
  }

  /** Changes the values one by one, which the sidecar's role always allows. */
  async function changeEach(signal: AbortSignalLike, list: string, name: string, wanted: string[]): Promise<void> {
    const { values } = toList(list, await read(signal, name))
    for (const value of values)
      if (!wanted.includes(value)) await calls.change(signal, 'removeListValue', list, name, { value })
    for (const value of wanted)
      if (!values.includes(value)) await calls.change(signal, 'addListValue', list, name, { value })
  }

  const calls: ListCalls = {
    async change(signal, operation, list, name, body) {
      if (operation === 'removeListValue' && unwritten.has(list)) {
        await whenWritten(signal, list, name)
        unwritten.delete(list)
      }
      const answer = await send(signal, operation, body, name)
      if (answer.unread || answer.body.name) return answer
      if (operation === 'addListValue') unwritten.add(list)
      return { body: (await read(signal, name)) as Answer['body'], unread: false }
    },

    async update(signal, list, name, body) {
      // Up to 1.58, `updateList` of an unknown list crashes the sidecar; in all versions, it drops unwritten changes.
      await whenWritten(signal, list, name)
      try {
        await send(signal, 'updateList', body, `${name}?updateMask=${Object.keys(body).join(',')}`)
      } catch (error) {
        if ((error as SidecarError).code !== 'FORBIDDEN' || body.capacity !== undefined) throw error
        await changeEach(signal, list, name, body.values as string[])
      }
      return read(signal, name)
    },
  }
  return calls
}
