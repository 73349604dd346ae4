import { internals, SidecarError, type AbortSignalLike, type SidecarClient, type SidecarEvents } from '../../index.js'
import {
  answered,
  endCheck,
  startCheck,
  connection,
  settle,
  shown,
  tick,
  type Report,
  type Kind,
  type Rules,
  type Send,
  type Tracked,
} from './writes.js'

/** ms; the interval at which the sidecar writes what it has accepted */
const TICK = 500
/** Timeout in ms of each read that finds out the fate of a write */
const READ = 5000

/** What a tracker does for its state. */
interface Actions<Int, What, Effect> {
  /** Makes the call of a write. */
  call(key: string, what: What, limits: { readonly signal: AbortSignalLike }): Promise<unknown>
  perform(effect: Effect | Report): void
  /** Called for each allocation. */
  allocated?(event: SidecarEvents<Int>['allocated']): void
}

/**
 * Runs a state beside a client: what the client tells changes the state at once, and the effects are carried out in
 * order.
 */
export function run<Int, State extends Tracked, What, Effect>(
  state: State & Tracked<What, Effect>,
  kind: Kind<State, What>,
  client: SidecarClient<Int>,
  { call, perform, allocated }: Actions<Int, What, Effect>,
) {
  const signal = internals.follow()
  const limits = { timeout: READ, signal }
  const reported = new Set<string>()
  let isTurning: boolean | undefined
  let isPerforming: boolean | undefined
  let isTicking: boolean | undefined
  let isAsking: boolean | undefined
  /** The missing kind that joins were last refused for. */
  let lack: 'list' | 'counter' | undefined

  /** Makes a change and carries out its effects. At the end of this turn, the state decides. */
  function change(make: () => void): void {
    if (!isTurning) {
      isTurning = true
      void Promise.resolve().then(() => signal.aborted || change(turn))
    }
    make()
    settle(state, kind)
    if (isPerforming) return
    isPerforming = true
    // Effects that a listener causes run after the present effect has reached all listeners.
    for (const effect of state.effects) carryOut(effect)
    state.effects.length = 0
    isPerforming = false
    followUp()
  }

  function turn(): void {
    isTurning = false
    kind.turn(state)
  }

  function carryOut(effect: Effect | Report | Send<What>): void {
    const [type, value, what] = effect as Report | Send<What>
    if (type === 'send') {
      const settle = (error?: SidecarError): void => change(() => answered(state, kind, value, error))
      call(value, what, { signal }).then(() => settle(), settle)
    } else if (type === 'error') report(value)
    else perform(effect as Effect)
  }

  /** Reports each error once, however often it recurs. */
  function report(error: SidecarError): void {
    if (!reported.has(error.message)) perform(['error', error])
    reported.add(error.message)
  }

  /** Sets a timer on the client's clock, which does nothing once the tracker is closed. Returns its cancel function. */
  function after(ms: number, fire: () => void): () => void {
    return client.after(ms, () => void (signal.aborted || fire()))
  }

  function end(error: SidecarError): void {
    state.isOver = true
    change(() => kind.fail(state, error))
  }

  function close(): void {
    const closed = new SidecarError('CLOSED', 'This is not tracked any more')
    end(closed)
    signal.abort(closed)
  }

  function follow<T extends keyof SidecarEvents<Int>>(type: T, listener: (event: SidecarEvents<Int>[T]) => void): void {
    signal.addEventListener('abort', client.on(type, listener))
  }

  /** Counts ticks for writes that don't show yet, asks about overdue ones, and tells of a missing list or counter. */
  function followUp(): void {
    const ticks = Array.from(state.writes.values(), (write) => write.ticks)
    if (!isTicking && ticks.some((left) => left > 0 && left < Infinity)) {
      isTicking = true
      after(TICK, () => {
        isTicking = false
        change(() => tick(state))
      })
    }
    if (!isAsking && ticks.includes(0)) void ask()
    const { missing } = state.facts
    if (missing === lack || state.isOver) return
    lack = missing
    if (!missing) return
    const error = lackOf(missing, state.rules)
    report(error)
    change(() => kind.fail(state, error))
  }

  /** Asks the sidecar about overdue writes. */
  async function ask(): Promise<void> {
    isAsking = true
    startCheck(state)
    const nothing = (): undefined => undefined
    // The client refuses the read of a kind that isn't tracked, since its name is undefined.
    const list = await client.getList(state.rules.list!, limits).catch(nothing)
    const counter = await client.getCounter(state.rules.counter!, limits).catch(nothing)
    // Read the GameServer last, so that it shows every write that has landed before.
    const gameServer = await client.getGameServer(limits).catch(nothing)
    isAsking = false
    const answer = gameServer && {
      values: list?.values,
      count: counter && Number(counter.count),
      gameServer,
    }
    change(() => endCheck(state, kind, answer))
  }

  follow('gameserver', (gameServer) => change(() => shown(state, kind, gameServer)))
  if (allocated) follow('allocated', allocated)
  follow('ending', () => end(new SidecarError('CLOSED', 'This GameServer ends')))
  follow('connection', (now) => {
    if (now.state === 'closed') close()
    const isUp = now.state === 'connected'
    if (isUp || now.state === 'reconnecting') change(() => connection(state, isUp))
  })
  return [change, after, report, close] as const
}

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
  internals.check((Object(client) as { after?: unknown }).after, 'client', client, 'what createClient() gave')
  internals.check(options, 'options', options, 'an object')
  internals.checkNames(options, names, 'option')
  for (const name of numbers) {
    const { [name]: value = 1 } = options as Record<string, number>
    internals.check(value > 0, name, value, 'above 0')
  }
}

function lackOf(kind: 'list' | 'counter', { [kind]: name, limit }: Rules): SidecarError {
  return new SidecarError('NOT_FOUND', `This GameServer has no ${kind} "${name}"`, {
    hint:
      `Add it to the manifest:\nspec:\n  ${kind}s:\n    ${name}:\n      capacity: ${limit < Infinity ? limit : 16}\n` +
      'If it is there, switch on the feature gate CountsAndLists',
  })
}
