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
import { reduce, type Answer, type Send, type TrackerEvent, type Writes } from './writes.js'

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

type Effect = readonly [type: string, event: never]

export interface Tracker<Int, Events, Own, State> {
  state: State
  /** Runs something on the client's clock, unless the tracker is closed. Returns what cancels it. */
  after(ms: number, run: () => void): () => void
  /** Listens to the client until the tracker is closed. */
  follow<T extends keyof SidecarEvents<Int>>(type: T, listener: (event: SidecarEvents<Int>[T]) => void): void
  dispatch(event: TrackerEvent<Own>): void
  /** Takes an event with the next, or at the end of this turn. */
  later(event: TrackerEvent<Own>): void
  on<T extends keyof Events & string>(type: T, listener: (event: Events[T]) => void): () => void
  emit<T extends keyof Events & string>(type: T, event: Events[T]): void
  /** Tells an error once, however often it comes back. */
  tellError(error: SidecarError): void
  close(): void
}

/**
 * Runs a state beside a client: events change it at once, and their effects are carried out in order.
 *
 * @param types of the events that are told
 * @param call makes the call of a write
 * @param perform carries out what no other tracker does
 */
export function createTracker<
  Int,
  Events extends { error: SidecarError },
  What extends object,
  Own,
  Effects extends { error: SidecarError },
  State extends Writes<What, Effects>,
>(
  client: SidecarClient<Int>,
  first: State,
  types: readonly string[],
  call: (what: What, key: string, limits: { readonly signal: AbortSignalLike }) => Promise<unknown>,
  perform: (effect: Exclude<State['effects'][number], Send<What>>) => void,
): Tracker<Int, Events, Own, State> {
  const { on, emit } = internals.createEmitter<Events>(types)
  const { signal, abort } = internals.follow()
  const { ask, find } = createReads(client, first.rules, signal)
  const events: TrackerEvent<Own>[] = []
  const effects: Effect[] = []
  const told = new Set<string>()
  let isTurning = false
  let isBusy = false

  function dispatch(event: TrackerEvent<Own>): void {
    const [next, more] = reduce(tracker.state, ...events.splice(0), event)
    tracker.state = next
    effects.push(...(more as Effect[]))
    if (event.type !== 'turn') later()
    // What a listener does meanwhile comes after what all are being told.
    if (isBusy) return
    isBusy = true
    while (effects.length) carryOut(effects.shift()!)
    isBusy = false
    watchWrites()
  }

  function later(...more: TrackerEvent<Own>[]): void {
    events.push(...more)
    if (isTurning) return
    isTurning = true
    void Promise.resolve().then(() => {
      isTurning = false
      if (!signal.aborted) dispatch({ type: 'turn' })
    })
  }

  function carryOut(effect: Effect): void {
    const [type, event] = effect
    if (type === 'error') return tracker.tellError(event)
    if (type !== 'send') return perform(effect as never)
    const { key, what }: Send<What>[1] = event
    const answered = (error?: SidecarError): void => dispatch({ type: 'answered', key, error })
    const answer = 'find' in what ? find(what.find) : call(what, key, { signal })
    answer.then(() => answered(), answered)
  }

  const end = (message: string): void => dispatch({ type: 'end', error: new SidecarError('CLOSED', message) })

  const tracker: Tracker<Int, Events, Own, State> = {
    state: first,
    after: (ms, run) => client.after(ms, () => void (signal.aborted || run())),
    follow: (type, listener) => signal.addEventListener('abort', client.on(type, listener)),
    dispatch,
    later,
    on,
    emit,
    tellError(error) {
      if (!told.has(error.message)) emit('error', error)
      told.add(error.message)
    },
    close() {
      end('This is not tracked any more')
      abort()
    },
  }
  const watchWrites = createQuestions(tracker, ask)
  listen(client, tracker, end)
  return tracker
}

/** Tells a tracker's state what the client hears. */
function listen<Int, State extends { readonly rules: Rules }>(
  client: SidecarClient<Int>,
  { state, follow, dispatch, tellError, close }: Omit<Tracker<Int, unknown, unknown, State>, 'on' | 'emit'>,
  end: (message: string) => void,
): void {
  const { counter } = state.rules
  follow('gameserver', (gameServer) => dispatch({ type: 'object', gameServer }))
  follow('ending', () => end('This GameServer ends'))
  follow('connection', (connection) => {
    if (connection.state === 'closed') close()
    const isUp = connection.state === 'connected'
    if (isUp || connection.state === 'reconnecting') dispatch({ type: 'connection', isUp })
    // A page of another origin can't write a counter, which it is told at once.
    if (isUp && counter && client.status.direct) client.updateCounter(counter, { countDiff: 0 }).catch(tellError)
  })
}

/** Gives what lets writes that don't show have their time; then the sidecar is asked about them. */
function createQuestions(
  tracker: Pick<
    Tracker<never, unknown, unknown, Pick<Writes<object, { error: SidecarError }>, 'writes'>>,
    'state' | 'dispatch' | 'after'
  >,
  ask: () => Promise<Answer>,
): () => void {
  let isTicking = false
  let isAsking = false
  return () => {
    const asked = tracker.state.writes
    const ticks = Array.from(asked.values(), (write) => write.ticks)
    if (!isTicking && ticks.some((left) => left && left < Infinity)) {
      isTicking = true
      tracker.after(TICK, () => {
        isTicking = false
        tracker.dispatch({ type: 'tick' })
      })
    }
    if (isAsking || !ticks.includes(0)) return
    isAsking = true
    const tell = (answer?: Answer): void => {
      isAsking = false
      tracker.dispatch({ type: 'asked', asked, answer })
    }
    ask().then(tell, () => tell())
  }
}

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
