import type { GameServer } from '../protocol/game-server.js'
import { metadataPrefix } from '../protocol/names.js'
import type { OperationName } from '../protocol/operations.js'
import { equal, own } from '../watch/changes.js'
import { checkBody, checkName } from './checks.js'
import type { Core } from './core.js'
import { fail, type SidecarError } from './errors.js'
import { toCounter, toList } from './resources.js'
import { createScope, type Scope } from './scope.js'
import type { Predicate } from './state.js'
import type { CallOptions, List, Outcome, SidecarClient, WriteOptions } from './types.js'

/** ms between two looks at whether the sidecar has written what it has accepted. */
const settleInterval = 200
/** ms after which an accepted label or annotation should have appeared; the sidecar writes twice a second. */
const metadataDeadline = 10000
/** ms in which the watch is to show what was sent in direct mode, and between two looks where it may not tell by itself. */
const directDeadline = 3000
const directInterval = 250

type Body = Record<string, unknown>
/** Sends an operation on the counter or list at hand. */
type Send = (operation: OperationName, body?: object, query?: string) => Promise<Body>

export type Commands = Pick<SidecarClient, Exclude<OperationName, 'watchGameServer'> | 'connect'>

/** The operations of the interface, but for the watch. What can't be right is refused before anything is sent. */
export function createCommands(core: Core): Commands {
  const expected = new Map<string, Predicate>()

  /** A write that the sidecar has accepted may still never be carried out: it writes later, and doesn't say. */
  function expect(id: string, predicate: Predicate): void {
    if (!core._isWatching()) return
    expected.set(id, predicate)
    core._after(core._scope, metadataDeadline, () => {
      // A later write of the same key has taken its place.
      if (expected.get(id) !== predicate) return
      expected.delete(id)
      if (core._connection.transport && !predicate(core._last!))
        core._emit(
          'error',
          fail(
            'UNKNOWN_OUTCOME',
            'Accepted, but not to be seen',
            { _operation: id },
            'Another key may block the queue.',
          ),
        )
    })
  }

  /** A change of the GameServer itself, of which the sidecar only says that it will be made. */
  const write = (
    operation: OperationName,
    given: { key?: string; value?: string; seconds?: unknown },
    options: WriteOptions | undefined,
    predicate: Predicate,
  ): Promise<Outcome> =>
    core._run(operation, options, async (scope) => {
      const { key } = given
      const body = checkBody(scope, operation, given)
      let before: GameServer | undefined
      const found = await core._inOrder(key ? 'metadata' : 'state', scope, () => {
        before = core._last
        return core._send(scope, operation, body)
      })
      if (options && options.confirm) return core._seen(scope, predicate).then(() => 'confirmed')
      if (key) expect(operation + key, predicate)
      // An answer is empty; what direct mode has found before it sent is a GameServer.
      if (!found.object_meta) return 'accepted'
      return predicate(found as never) ? 'sent' : showed(scope, before, predicate)
    })

  /** In direct mode: whether the watch shows what was sent, in anything but what was known before. */
  async function showed(
    scope: Scope,
    before: GameServer | undefined,
    predicate: Predicate,
    ask?: boolean,
  ): Promise<Outcome> {
    const wait = createScope(scope)
    const look = (): void => void core._verify!().then(() => core._after(wait, directInterval, look))
    core._limit(wait, directDeadline)
    try {
      const seen = core._seen(wait, (gameServer) => gameServer !== before && predicate(gameServer))
      if (ask) look()
      await seen
      return 'confirmed'
    } catch (error) {
      // Whatever ends this wait, it was sent.
      if (scope._reason && (error as SidecarError).code !== 'TIMEOUT') throw error
      return 'sent'
    } finally {
      wait._end()
    }
  }

  const state =
    (operation: OperationName, name: string) =>
    (options?: WriteOptions, seconds?: unknown): Promise<Outcome> =>
      write(operation, { seconds }, options, ({ status }) => status.state === name)

  const metadata =
    (operation: OperationName, map: 'labels' | 'annotations') =>
    (key: string, value: string, options?: WriteOptions): Promise<Outcome> =>
      write(
        operation,
        { key, value },
        options,
        ({ object_meta: meta }) => own(meta[map], metadataPrefix(core._platform) + key) === value,
      )

  const readGameServer = (scope: Scope): Promise<GameServer> =>
    core._send(scope, 'getGameServer') as Promise<object> as Promise<GameServer>

  /** The methods on counters or on lists: checked first, then run in the order of the name. */
  const resource =
    <T extends object>(convert: (core: Core, scope: Scope, name: string, answer: object) => T) =>
    (
      operation: OperationName,
      key: string,
      given: object,
      options: CallOptions | undefined,
      run: (send: Send, body: Body, scope: Scope) => Promise<Body> = (send, body) => send(operation, body),
    ): Promise<T> =>
      core._run(operation, options, async (scope) => {
        const name = checkName(scope, key)
        const body = checkBody(scope, operation, given)
        const answer = await core._inOrder(key, scope, () =>
          run((sent, its, query = '') => core._send(scope, sent, its, name + query), body, scope),
        )
        if (!answer._outcome) return convert(core, scope, key, answer)
        const outcome = (await answer._outcome) as Outcome
        const seen = convert(core, scope, key, own(core._last && core._last.status.lists, key) || answer)
        const { values, capacity } = seen as List
        // That it is full is what it isn't refused for at once: a value sent before may still go.
        const refused = operation === 'addListValue' && !values.includes(body.value as string)
        if (outcome === 'sent' && refused && values.length >= capacity)
          throw fail('OUT_OF_RANGE', 'The list is full', scope)
        return Object.assign(seen, { outcome })
      })
  const counter = resource(toCounter)
  const list = resource(toList)

  /** By list and value, what was sent in direct mode and may still show: till then nobody knows what the list holds. */
  const unseen = new Map<string, Promise<unknown>>()

  const listValue =
    (operation: OperationName, added: boolean) =>
    (key: string, value: string, options?: CallOptions): Promise<List> =>
      list(operation, key, { value }, options, async (send, body, scope) => {
        const id = key + '/' + value
        await scope._race(Promise.resolve(unseen.get(id)))
        const before = core._last
        const answer = await send(operation, body)
        if (core._direct) {
          const listed: Predicate = ({ status }) =>
            toList(core, scope, key, own(status.lists, key) || {}).values.includes(value) === added
          const outcome = showed(scope, before, listed, true)
          const forget = (): boolean => unseen.delete(id)
          unseen.set(id, outcome.then(forget, forget))
          answer._outcome = outcome
        }
        return answer
      })

  return {
    ready: state('ready', 'Ready'),
    allocate: state('allocate', 'Allocated'),
    shutdown: state('shutdown', 'Shutdown'),
    reserve: (seconds, options) => state('reserve', 'Reserved')(options, seconds),
    health: (options) =>
      core._run('health', options, (scope) =>
        core._send(scope, 'health').then(
          () => {
            core._say()
            return core._direct ? 'sent' : 'accepted'
          },
          (error: SidecarError) => {
            // One that the caller has ended says nothing of the sidecar.
            if (!scope._reason) core._say(error.message)
            throw error
          },
        ),
      ),
    connect: (options) => core._run('connect', options, readGameServer),
    getGameServer: (options) => core._run('getGameServer', options, readGameServer),
    setLabel: metadata('setLabel', 'labels'),
    setAnnotation: metadata('setAnnotation', 'annotations'),

    getCounter: (key, options) => counter('getCounter', key, {}, options),
    updateCounter: (key, update, options) =>
      counter('updateCounter', key, update, options, async (send, body) => {
        // In production the sidecar refuses a change that changes nothing.
        if (body.countDiff === '0') delete body.countDiff
        const answer = Object.keys(body)[0] ? await send('updateCounter', body) : body
        // Some versions answer with an empty counter.
        return answer.name ? answer : send('getCounter')
      }),

    getList: (key, options) => list('getList', key, {}, options),
    updateList: (key, update, options) =>
      list('updateList', key, update, options, async (send, body, scope) => {
        // In production an unknown list ends the sidecar, and adds and removes that aren't written yet are dropped.
        for (;;) {
          const { values, capacity } = toList(core, scope, key, await send('getList'))
          const written = own((await readGameServer(scope)).status.lists, key)
          if (written && equal([values, String(capacity)], [written.values || [], written.capacity])) break
          await core._sleep(scope, settleInterval)
        }
        await send('updateList', body, '?updateMask=' + Object.keys(body))
        return send('getList')
      }),
    addListValue: listValue('addListValue', true),
    removeListValue: listValue('removeListValue', false),
  }
}
