import {
  internals,
  SidecarError,
  type AbortSignalLike,
  type Counter,
  type List,
  type SidecarClient,
  type SidecarEvents,
} from '../index.js'
import type { Rules } from './facts.js'
import type { Answer, EffectOf, Send, TrackerEvent, Writes } from './writes.js'

/** ms: what the sidecar has accepted it writes as often */
const TICK = 500
/** ms for each of the reads that find out what became of a write */
const READ = 5000

/**
 * @param numbers the names of those that must be above 0
 * @throws SidecarError `CONFIG` for what is no client, and for an option that doesn't exist or can't be right
 */
export function checkOptions(
  client: unknown,
  options: object,
  names: readonly string[],
  numbers: readonly string[],
): void {
  const { check, checkNames } = internals
  check((Object(client) as { after?: unknown }).after, 'client', client, 'what createClient() gave')
  check(options, 'options', options, 'an object')
  checkNames(options, names, 'option')
  for (const name of numbers) {
    const { [name]: value = 1 } = options as Record<string, number>
    check(value > 0, name, value, 'above 0')
  }
}

/** A tracker of one kind: what it knows, tells, calls, and does with effects that no other kind has. */
export interface Kind<Int, What extends object, Effects extends { error: SidecarError }, Own> {
  readonly state: Writes<What, Effects, Own>
  emit(type: 'error', error: SidecarError): void
  /** Makes the call of a write. */
  call(what: What, key: string, limits: { readonly signal: AbortSignalLike }): Promise<unknown>
  perform(effect: EffectOf<Effects>): void
  /** Called for each allocation. */
  allocated?(event: SidecarEvents<Int>['allocated']): void
}

export interface Tracker<Own> {
  /** Runs something on the client's clock, unless the tracker is closed. Returns what cancels it. */
  after(ms: number, run: () => void): () => void
  dispatch(event: TrackerEvent<Own>): void
  /** Takes an event with the next, or at the end of this turn. */
  later(event: TrackerEvent<Own>): void
  /** Tells an error once, however often it comes back. */
  tellError(error: SidecarError): void
  close(): void
}

/** Runs a state beside a client: events change it at once, and their effects are carried out in order. */
export function createTracker<Int, What extends object, Effects extends { error: SidecarError }, Own>(
  client: SidecarClient<Int>,
  kind: Kind<Int, What, Effects, Own>,
): Tracker<Own> {
  const { state } = kind
  const { signal, abort } = internals.follow()
  const { ask, find } = createReads(client, state.rules, signal)
  const events: TrackerEvent<Own>[] = []
  const told = new Set<string>()
  const progress = { isTurning: false, isBusy: false, isTicking: false, isAsking: false }

  function dispatch(event: TrackerEvent<Own>): void {
    events.push(event)
    while (events.length) state.take(events.shift()!)
    if (event.type !== 'turn') later()
    // What a listener does meanwhile comes after what all are being told.
    if (progress.isBusy) return
    progress.isBusy = true
    while (state.effects.length) carryOut(state.effects.shift()!)
    progress.isBusy = false
    watchWrites()
  }

  function later(...more: TrackerEvent<Own>[]): void {
    events.push(...more)
    if (progress.isTurning) return
    progress.isTurning = true
    void Promise.resolve().then(() => {
      progress.isTurning = false
      if (!signal.aborted) dispatch({ type: 'turn' })
    })
  }

  function carryOut([type, event]: (typeof state)['effects'][number]): void {
    if (type === 'error') return tellError(event as SidecarError)
    if (type !== 'send') return kind.perform([type, event] as never)
    const { key, what } = event as Send<What>[1]
    const answered = (error?: SidecarError): void => dispatch({ type: 'answered', key, error })
    const answer = 'find' in what ? find(what.find) : kind.call(what, key, { signal })
    answer.then(() => answered(), answered)
  }

  /** Gives what lets writes that don't show have their time; then the sidecar is asked about them. */
  function watchWrites(): void {
    const ticks = Array.from(state.writes.values(), (write) => write.ticks)
    if (!progress.isTicking && ticks.some((left) => left > 0 && left < Infinity)) {
      progress.isTicking = true
      after(TICK, () => {
        progress.isTicking = false
        dispatch({ type: 'tick' })
      })
    }
    if (progress.isAsking || !ticks.includes(0)) return
    progress.isAsking = true
    state.take({ type: 'asking' })
    const tell = (answer?: Answer): void => {
      progress.isAsking = false
      dispatch({ type: 'asked', answer })
    }
    ask().then(tell, () => tell())
  }

  function tellError(error: SidecarError): void {
    if (!told.has(error.message)) kind.emit('error', error)
    told.add(error.message)
  }

  const after: Tracker<Own>['after'] = (ms, run) => client.after(ms, () => void (signal.aborted || run()))

  function close(): void {
    dispatch(endWith('This is not tracked any more'))
    abort()
  }

  const tracker = { after, dispatch, later, tellError, close }
  followClient(client, kind, tracker, signal)
  return tracker
}

/** Hands on what the client tells, until the tracker is closed. */
function followClient<Int, What extends object, Effects extends { error: SidecarError }, Own>(
  client: SidecarClient<Int>,
  { state, allocated }: Kind<Int, What, Effects, Own>,
  { dispatch, tellError, close }: Tracker<Own>,
  signal: AbortSignalLike,
): void {
  function follow<T extends keyof SidecarEvents<Int>>(type: T, listener: (event: SidecarEvents<Int>[T]) => void): void {
    signal.addEventListener('abort', client.on(type, listener))
  }
  follow('gameserver', (gameServer) => dispatch({ type: 'object', gameServer }))
  if (allocated) follow('allocated', allocated)
  follow('ending', () => dispatch(endWith('This GameServer ends')))
  follow('connection', (connection) => {
    const { counter } = state.rules
    if (connection.state === 'closed') close()
    const isUp = connection.state === 'connected'
    if (isUp || connection.state === 'reconnecting') dispatch({ type: 'connection', isUp })
    // A page of another origin can't write a counter, which it is told at once.
    if (isUp && counter && client.status.direct) client.updateCounter(counter, { countDiff: 0 }).catch(tellError)
  })
}

const endWith = (message: string) => ({ type: 'end', error: new SidecarError('CLOSED', message) }) as const

interface Reads {
  /** What the sidecar holds of all that is tracked. */
  ask(): Promise<Answer>
  /** Rejects with the reason why a list or counter isn't in the GameServer. */
  find(kind: 'list' | 'counter'): Promise<unknown>
}

function createReads<Int>(client: SidecarClient<Int>, rules: Rules, signal: AbortSignalLike): Reads {
  const limits = { timeout: READ, signal }
  const read = (kind: 'list' | 'counter'): Promise<Partial<List<Int> & Counter<Int>>> =>
    client[kind === 'list' ? 'getList' : 'getCounter'](rules[kind]!, limits)
  const nothing = (): undefined => undefined
  return {
    async ask() {
      // What has no name is refused by the client.
      const [list, counter] = await Promise.all([read('list').catch(nothing), read('counter').catch(nothing)])
      // After them, since what is written by then shows.
      const gameServer = await client.getGameServer(limits)
      return { values: list?.values, count: counter && Number(counter.count), gameServer }
    },
    find: (kind) =>
      read(kind).catch((error: unknown) => {
        if ((error as SidecarError).code !== 'NOT_FOUND') throw error
        const capacity = rules.limit < Infinity ? rules.limit : 16
        throw new SidecarError('NOT_FOUND', `This GameServer has no ${kind} "${rules[kind]}"`, {
          hint: `Add it to the manifest:\nspec:\n  ${kind}s:\n    ${rules[kind]}:\n      capacity: ${capacity}`,
        })
      }),
  }
}
