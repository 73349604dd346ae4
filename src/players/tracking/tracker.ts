import {
  internals,
  SidecarError,
  type AbortSignalLike,
  type Counter,
  type List,
  type SidecarClient,
  type SidecarEvents,
} from '../../index.js'
import type { Rules } from './facts.js'
import { isRefusal, type Answer, type EffectOf, type Send, type Writes } from './writes.js'

/** ms; the interval at which the sidecar writes what it has accepted */
const TICK = 500
/** Timeout in ms of each read that finds out the fate of a write */
const READ = 5000

/**
 * @param numbers the names of the options that must be above 0
 * @throws SidecarError `CONFIG` for anything but a client, and for an unknown or invalid option
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

/** What a tracker does for its state. */
export interface Actions<Int, What extends object, Effects extends { error: SidecarError }> {
  emit(type: 'error', error: SidecarError): void
  /** Makes the call of a write. */
  call(what: What, key: string, limits: { readonly signal: AbortSignalLike }): Promise<unknown>
  perform(effect: EffectOf<Effects>): void
  /** Called for each allocation. */
  allocated?(event: SidecarEvents<Int>['allocated']): void
}

/** Runs a state beside a client: events change the state at once, and its effects are carried out in order. */
export function createTracker<Int, What extends object, Effects extends { error: SidecarError }>(
  client: SidecarClient<Int>,
  state: Writes<What, Effects>,
  actions: Actions<Int, What, Effects>,
) {
  const signal = internals.follow()
  const { abort } = signal
  const changes: (() => void)[] = []
  const reported = new Set<string>()
  let isTurning = false
  let isPerforming = false
  const followUp = createFollowUp(client, state, { after, change, signal })

  /** Applies a change together with the next one, or at the end of this turn. */
  function later(make: () => void): void {
    changes.push(make)
    if (isTurning) return
    isTurning = true
    void Promise.resolve().then(() => {
      isTurning = false
      if (signal.aborted) return
      changes.push(() => state.turn())
      makeChanges()
    })
  }

  /** Changes the state and carries out the effects. */
  function change(make: () => void): void {
    later(make)
    makeChanges()
  }

  function makeChanges(): void {
    for (const make of changes.splice(0)) {
      make()
      state.settle()
    }
    // Effects that a listener causes run after the present effect has reached all listeners.
    if (isPerforming) return
    isPerforming = true
    while (state.effects.length) carryOut(state.effects.shift()!)
    isPerforming = false
    followUp()
  }

  function carryOut([type, event]: (typeof state)['effects'][number]): void {
    if (type === 'error') return report(event as SidecarError)
    if (type !== 'send') return actions.perform([type, event] as never)
    const { key, what } = event as Send<What>[1]
    const answered = (error?: SidecarError): void => change(() => state.answered(key, error))
    actions.call(what, key, { signal }).then(() => answered(), answered)
  }

  /** Reports each error once, however often it recurs. */
  function report(error: SidecarError): void {
    if (!reported.has(error.message)) actions.emit('error', error)
    reported.add(error.message)
  }

  /** Sets a timer on the client's clock, which does nothing once the tracker is closed. Returns its cancel function. */
  function after(ms: number, run: () => void): () => void {
    return client.after(ms, () => void (signal.aborted || run()))
  }

  function close(): void {
    const closed = new SidecarError('CLOSED', 'This is not tracked any more')
    change(() => state.end(closed))
    abort(closed)
  }

  function follow<T extends keyof SidecarEvents<Int>>(type: T, listener: (event: SidecarEvents<Int>[T]) => void): void {
    signal.addEventListener('abort', client.on(type, listener))
  }
  follow('gameserver', (gameServer) => change(() => state.object(gameServer)))
  if (actions.allocated) follow('allocated', actions.allocated)
  follow('ending', () => change(() => state.end(new SidecarError('CLOSED', 'This GameServer ends'))))
  follow('connection', (connection) => {
    const { counter } = state.rules
    if (connection.state === 'closed') close()
    const isUp = connection.state === 'connected'
    if (isUp || connection.state === 'reconnecting') change(() => state.connection(isUp))
    // A page of another origin can't write a counter. An empty write reports that at once.
    if (isUp && counter && client.status.direct) client.updateCounter(counter, { countDiff: 0 }).catch(report)
  })
  return { after, change, later, report, close }
}

interface Runner {
  after(ms: number, run: () => void): () => void
  change(make: () => void): void
  readonly signal: AbortSignalLike
}

/**
 * Returns a function to call after each change: counts ticks for writes which don't show yet, asks the sidecar about
 * overdue ones, and why the GameServer lacks a list or counter.
 */
function createFollowUp<Int, What extends object, Effects extends { error: SidecarError }>(
  client: SidecarClient<Int>,
  state: Writes<What, Effects>,
  { after, change, signal }: Runner,
): () => void {
  const { rules } = state
  const limits = { timeout: READ, signal }
  let isTicking = false
  let isAsking = false
  let asked: string | undefined

  // The client refuses the read of a kind that isn't tracked, since its name is undefined.
  const read = (kind: 'list' | 'counter'): Promise<Partial<List<Int> & Counter<Int>>> =>
    client[kind === 'list' ? 'getList' : 'getCounter'](rules[kind]!, limits)
  const nothing = (): undefined => undefined

  async function ask(): Promise<Answer> {
    const [list, counter] = await Promise.all([read('list').catch(nothing), read('counter').catch(nothing)])
    // Read the GameServer last, so that it shows every write that has landed before.
    const gameServer = await client.getGameServer(limits)
    return { values: list?.values, count: counter && Number(counter.count), gameServer }
  }

  /** Finds out why the GameServer lacks a list or counter. */
  async function explain(kind: 'list' | 'counter'): Promise<void> {
    try {
      await read(kind)
    } catch (error) {
      const { code } = error as SidecarError
      if (code === 'NOT_FOUND') return change(() => state.lacks(missing(kind, rules)))
      if (isRefusal(error as SidecarError)) return change(() => state.lacks(error as SidecarError))
    }
    after(2 * TICK, () => {
      asked = undefined
      change(nothing)
    })
  }

  return () => {
    const { missing } = state.facts
    if (missing && asked !== missing && !state.isOver) void explain((asked = missing))
    if (!missing) asked = undefined
    const ticks = Array.from(state.writes.values(), (write) => write.ticks)
    if (!isTicking && ticks.some((left) => left > 0 && left < Infinity)) {
      isTicking = true
      after(TICK, () => {
        isTicking = false
        change(() => state.tick())
      })
    }
    if (isAsking || !ticks.includes(0)) return
    isAsking = true
    state.asking()
    const tell = (answer?: Answer): void => {
      isAsking = false
      change(() => state.asked(answer))
    }
    ask().then(tell, () => tell())
  }
}

function missing(kind: 'list' | 'counter', rules: Rules): SidecarError {
  const name = rules[kind]!
  const capacity = rules.limit < Infinity ? rules.limit : 16
  return new SidecarError('NOT_FOUND', `This GameServer has no ${kind} "${name}"`, {
    hint: `Add it to the manifest:\nspec:\n  ${kind}s:\n    ${name}:\n      capacity: ${capacity}`,
  })
}
