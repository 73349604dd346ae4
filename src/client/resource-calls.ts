import type { OperationName } from '../protocol/operations.js'
import { createRunInOrder, type RunCall } from './calls.js'
import { checkBody, checkKey } from './checks.js'
import type { DirectOutcomes } from './direct/direct-outcomes.js'
import { createListCalls, type ListCallParts, type ListChange } from './list-calls.js'
import type { State } from './state.js'
import type { AbortSignalLike, CallOptions, List, SidecarClient } from './types.js'

export type ResourceCalls = Pick<
  SidecarClient,
  'getCounter' | 'updateCounter' | 'getList' | 'updateList' | 'addListValue' | 'removeListValue'
>

export interface ResourceParts extends ListCallParts {
  readonly run: RunCall
  readonly state: State
}

/** Sends an operation on the counter or list at hand. */
type SendNow = (operation: OperationName, body?: object, query?: string) => Promise<object>

/**
 * The operations on counters and lists, those of one name in the order of their calls.
 *
 * @param direct finds the outcomes of writes whose answers can't be read; only in a page
 */
export function createResourceCalls(parts: ResourceParts, direct: DirectOutcomes | undefined): ResourceCalls {
  const { run, send, state } = parts
  const { toCounter, toList } = parts.resources
  const inOrder = createRunInOrder()
  const lists = createListCalls(parts)

  /** An operation on a counter or list: checked first, then run in the order of the name. */
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
        // Not awaited here: the next change need not wait until this one shows.
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
        // In production the sidecar refuses a change that changes nothing.
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
