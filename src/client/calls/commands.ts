import type { GameServer } from '../../protocol/game-server.js'
import type { OperationName } from '../../protocol/operations.js'
import type { DirectOutcomes } from '../direct/direct-outcomes.js'
import { equal, own } from '../game-server/game-server.js'
import type { Resources } from '../game-server/resources.js'
import type { GameServerStore, Predicate } from '../game-server/store.js'
import { named, type SidecarError } from '../runtime/errors.js'
import type { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { CallOptions, List, Outcome, ReadyOptions, SidecarClient, WriteOptions } from '../types.js'
import type { Watch } from '../watch/watch.js'
import { checkBody, checkName } from './checks.js'
import type { ExpectInWatch } from './confirmations.js'
import { createRunInOrder, type RunCall } from './run.js'
import type { Answer, Send } from './send.js'
import { isDone, STATE_OF, type StateCall } from './state-calls.js'

/** ms between two looks at whether the sidecar has written what it has accepted. */
const SETTLE_INTERVAL = 200

export type Commands = Pick<SidecarClient, Exclude<OperationName, 'watchGameServer'> | 'connect'>

interface Parts {
  readonly run: RunCall
  readonly send: Send
  readonly timers: Timers
  readonly store: GameServerStore
  readonly resources: Resources
  readonly watch: Watch
  readonly expectInWatch: ExpectInWatch
  readonly direct: DirectOutcomes
  /** Stands before the keys of labels and annotations. */
  readonly prefix: string
  readGameServer(scope: Scope): Promise<GameServer>
  /** The GameServer as the watch tells it, if that is connected. */
  watched(): GameServer | undefined
  /** A beat was sent by hand; with the error if it failed. */
  onBeat(error?: SidecarError): void
}

/** Sends an operation on the counter or list at hand. */
type SendNow = (operation: OperationName, body?: object, query?: string) => Promise<object>

/** The operations of the interface, without the watch. Arguments that can't be right are refused before sending. */
export function createCommands(parts: Parts): Commands {
  const { run, send, timers, store, watch, expectInWatch, direct, prefix, readGameServer, watched, onBeat } = parts
  const { toCounter, toList } = parts.resources
  const inOrder = createRunInOrder()

  /** Finds the outcome of a write: the sidecar itself only says that it will make it. */
  async function outcomeOf(
    scope: Scope,
    { body, unread }: Answer,
    before: GameServer | undefined,
    predicate: Predicate,
    confirm: boolean | undefined,
  ): Promise<Outcome> {
    if (confirm) {
      await watch.until(scope, predicate)
      return 'confirmed'
    }
    return unread ? direct.ofWrite(scope, before, body, predicate) : 'accepted'
  }

  function callState(operation: StateCall, given: ReadyOptions | undefined, fields = {}): Promise<Outcome> {
    return run(
      operation,
      given,
      async (scope, { confirm, force }) => {
        const body = checkBody(operation, fields)
        let before: GameServer | undefined
        const answer = await inOrder('state', scope, async () => {
          before = store.last
          return isDone(operation, watched(), force) ? undefined : send(scope, operation, body)
        })
        if (!answer) return 'confirmed'
        return outcomeOf(scope, answer, before, ({ status }) => status.state === STATE_OF[operation], confirm)
      },
      operation === 'ready' ? ['confirm', 'force'] : ['confirm'],
    )
  }

  function setMetadata(
    operation: 'setLabel' | 'setAnnotation',
    map: 'labels' | 'annotations',
    key: string,
    value: string,
    given: WriteOptions | undefined,
  ): Promise<Outcome> {
    const isWritten: Predicate = ({ object_meta: meta }) => own(meta[map], prefix + key) === value
    return run(
      operation,
      given,
      async (scope, { confirm }) => {
        const body = checkBody(operation, { key, value })
        let before: GameServer | undefined
        const answer = await inOrder('metadata', scope, () => {
          before = store.last
          return send(scope, operation, body)
        })
        if (watch.isOn && !confirm) expectInWatch(operation, key, isWritten)
        return outcomeOf(scope, answer, before, isWritten, confirm)
      },
      ['confirm'],
    )
  }

  /** An operation on a counter or list: checked first, then run in the order of the name. */
  function onResource<T>(
    operation: OperationName,
    key: string,
    given: object,
    options: CallOptions | undefined,
    work: (sendNow: SendNow, body: Record<string, unknown>, scope: Scope) => Promise<T>,
  ): Promise<T> {
    return run(operation, options, async (scope) => {
      const name = checkName(operation, key)
      const body = checkBody(operation, given)
      return inOrder(key, scope, () =>
        work(async (sent, sentBody, query = '') => (await send(scope, sent, sentBody, name + query)).body, body, scope),
      )
    })
  }

  /** In production, `updateList` of an unknown list ends the sidecar, and drops changes that aren't written yet. */
  async function whenListIsWritten(scope: Scope, key: string, readList: () => Promise<object>): Promise<void> {
    for (;;) {
      const { values, capacity } = toList(key, await readList())
      const written = own((await readGameServer(scope)).status.lists, key)
      if (written && equal([values, String(capacity)], [written.values ?? [], written.capacity])) return
      await timers.sleep(scope, SETTLE_INTERVAL)
    }
  }

  function changeList(
    operation: 'addListValue' | 'removeListValue',
    key: string,
    value: string,
    options: CallOptions | undefined,
  ): Promise<List> {
    return run(operation, options, async (scope) => {
      const name = checkName(operation, key)
      const body = checkBody(operation, { value })
      const change = { list: key, value, added: operation === 'addListValue' }
      const { answer, unread } = await inOrder(key, scope, async () => {
        await direct.whenSettled(scope, change)
        const before = store.last
        const answer = await send(scope, operation, body, name)
        // Not awaited here: the next change need not wait until this one shows.
        return { answer, unread: answer.unread && direct.ofListChange(scope, before, answer.body, change) }
      })
      return unread || toList(key, answer.body)
    })
  }

  return {
    ready: (options) => callState('ready', options),
    allocate: (options) => callState('allocate', options),
    shutdown: (options) => callState('shutdown', options),
    reserve: (seconds, options) => callState('reserve', options, { seconds }),

    health: (options) =>
      run('health', options, async (scope) => {
        try {
          const { unread } = await send(scope, 'health')
          onBeat()
          return unread ? 'sent' : 'accepted'
        } catch (error) {
          // A call that was ended by its caller says nothing of the sidecar.
          if (!scope.reason) onBeat(named(error as SidecarError, 'health'))
          throw error
        }
      }),

    connect: (options) => run('connect', options, readGameServer),
    getGameServer: (options) => run('getGameServer', options, readGameServer),
    setLabel: (key, value, options) => setMetadata('setLabel', 'labels', key, value, options),
    setAnnotation: (key, value, options) => setMetadata('setAnnotation', 'annotations', key, value, options),

    getCounter: (key, options) =>
      onResource('getCounter', key, {}, options, async (sendNow) => toCounter(key, await sendNow('getCounter'))),

    updateCounter: (key, update, options) =>
      onResource('updateCounter', key, update, options, async (sendNow, body) => {
        // In production the sidecar refuses a change that changes nothing.
        if (body.countDiff === '0') delete body.countDiff
        const answer = Object.keys(body).length ? await sendNow('updateCounter', body) : {}
        // Some versions answer with an empty counter.
        return toCounter(key, 'name' in answer && answer.name ? answer : await sendNow('getCounter'))
      }),

    getList: (key, options) =>
      onResource('getList', key, {}, options, async (sendNow) => toList(key, await sendNow('getList'))),

    updateList: (key, update, options) =>
      onResource('updateList', key, update, options, async (sendNow, body, scope) => {
        await whenListIsWritten(scope, key, () => sendNow('getList'))
        await sendNow('updateList', body, '?updateMask=' + Object.keys(body).join(','))
        return toList(key, await sendNow('getList'))
      }),

    addListValue: (key, value, options) => changeList('addListValue', key, value, options),
    removeListValue: (key, value, options) => changeList('removeListValue', key, value, options),
  }
}
