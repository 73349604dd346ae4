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
import type { Answer, EffectOf, Send, Writes } from './writes.js'

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

/** The parts in which trackers differ: state, events, calls, and the effects of their own kind. */
export interface Kind<Int, What extends object, Effects extends { error: SidecarError }> {
  readonly state: Writes<What, Effects>
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
  kind: Kind<Int, What, Effects>,
) {
  const { state } = kind
  const { signal, abort } = internals.follow()
  const { ask, find } = createReads(client, state.rules, signal)
  const changes: (() => void)[] = []
  const told = new Set<string>()
  const progress = { isTurning: false, isBusy: false }
  const watchWrites = createWriteWatch(state, after, change, ask)

  function makeChanges(): void {
    for (const make of changes.splice(0)) {
      make()
      state.settle()
    }
    // Effects that a listener causes run after the present effect has reached all listeners.
    if (progress.isBusy) return
    progress.isBusy = true
    while (state.effects.length) carryOut(state.effects.shift()!)
    progress.isBusy = false
    watchWrites()
  }

  /** Changes the state and carries out the effects. */
  function change(make: () => void): void {
    later(make)
    makeChanges()
  }

  /** Applies a change together with the next one, or at the end of this turn. */
  function later(make: () => void): void {
    changes.push(make)
    if (progress.isTurning) return
    progress.isTurning = true
    void Promise.resolve().then(() => {
      progress.isTurning = false
      if (signal.aborted) return
      changes.push(() => state.turn())
      makeChanges()
    })
  }

  function carryOut([type, event]: (typeof state)['effects'][number]): void {
    if (type === 'error') return tellError(event as SidecarError)
    if (type !== 'send') return kind.perform([type, event] as never)
    const { key, what } = event as Send<What>[1]
    const answered = (error?: SidecarError): void => change(() => state.answered(key, error))
    const answer = 'find' in what ? find(what.find) : kind.call(what, key, { signal })
    answer.then(() => answered(), answered)
  }

  /** Reports each error once, however often it recurs. */
  function tellError(error: SidecarError): void {
    if (!told.has(error.message)) kind.emit('error', error)
    told.add(error.message)
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

  const tracker = { after, change, later, tellError, close }
  followClient(client, kind, tracker, signal)
  return tracker
}

/** Returns a function that counts ticks for writes which don't show yet, and asks the sidecar about overdue ones. */
function createWriteWatch<What extends object, Effects extends { error: SidecarError }>(
  state: Writes<What, Effects>,
  after: (ms: number, run: () => void) => void,
  change: (make: () => void) => void,
  ask: () => Promise<Answer>,
): () => void {
  const progress = { isTicking: false, isAsking: false }
  return () => {
    const ticks = Array.from(state.writes.values(), (write) => write.ticks)
    if (!progress.isTicking && ticks.some((left) => left > 0 && left < Infinity)) {
      progress.isTicking = true
      after(TICK, () => {
        progress.isTicking = false
        change(() => state.tick())
      })
    }
    if (progress.isAsking || !ticks.includes(0)) return
    progress.isAsking = true
    state.asking()
    const tell = (answer?: Answer): void => {
      progress.isAsking = false
      change(() => state.asked(answer))
    }
    ask().then(tell, () => tell())
  }
}

/** Passes the client's events to the state until the tracker is closed. */
function followClient<Int, What extends object, Effects extends { error: SidecarError }>(
  client: SidecarClient<Int>,
  { state, allocated }: Kind<Int, What, Effects>,
  { change, tellError, close }: Pick<ReturnType<typeof createTracker>, 'change' | 'tellError' | 'close'>,
  signal: AbortSignalLike,
): void {
  function follow<T extends keyof SidecarEvents<Int>>(type: T, listener: (event: SidecarEvents<Int>[T]) => void): void {
    signal.addEventListener('abort', client.on(type, listener))
  }
  follow('gameserver', (gameServer) => change(() => state.object(gameServer)))
  if (allocated) follow('allocated', allocated)
  follow('ending', () => change(() => state.end(new SidecarError('CLOSED', 'This GameServer ends'))))
  follow('connection', (connection) => {
    const { counter } = state.rules
    if (connection.state === 'closed') close()
    const isUp = connection.state === 'connected'
    if (isUp || connection.state === 'reconnecting') change(() => state.connection(isUp))
    // A page of another origin can't write a counter. An empty write reports that at once.
    if (isUp && counter && client.status.direct) client.updateCounter(counter, { countDiff: 0 }).catch(tellError)
  })
}

function createReads<Int>(client: SidecarClient<Int>, rules: Rules, signal: AbortSignalLike) {
  const limits = { timeout: READ, signal }
  const read = (kind: 'list' | 'counter'): Promise<Partial<List<Int> & Counter<Int>>> =>
    client[kind === 'list' ? 'getList' : 'getCounter'](rules[kind]!, limits)
  const nothing = (): undefined => undefined
  return {
    /** Reads the tracked list and counter, and the GameServer, from the sidecar. */
    async ask(): Promise<Answer> {
      // The client refuses the read of a kind that isn't tracked, since its name is undefined.
      const [list, counter] = await Promise.all([read('list').catch(nothing), read('counter').catch(nothing)])
      // Read the GameServer last, so that it shows every write that has landed before.
      const gameServer = await client.getGameServer(limits)
      return { values: list?.values, count: counter && Number(counter.count), gameServer }
    },
    /** Rejects with the reason why a list or counter isn't in the GameServer. */
    find: (kind: 'list' | 'counter') =>
      read(kind).catch((error: unknown) => {
        if ((error as SidecarError).code !== 'NOT_FOUND') throw error
        const capacity = rules.limit < Infinity ? rules.limit : 16
        throw new SidecarError('NOT_FOUND', `This GameServer has no ${kind} "${rules[kind]}"`, {
          hint: `Add it to the manifest:\nspec:\n  ${kind}s:\n    ${rules[kind]}:\n      capacity: ${capacity}`,
        })
      }),
  }
}
