// Each function takes one event. It changes the state in place, without a copy, and adds effects to it.
import {
  COUNTER,
  createTracked,
  isOpen,
  mostOf,
  send,
  type EffectOf,
  type Kind,
  type Rules,
  type Tracked,
} from './writes.js'

/** A difference of the counter, with the capacity before the write; the label's value; or a state. */
export type SessionWrite =
  | { readonly update: { readonly countDiff: number; readonly capacity?: number }; readonly before: number }
  | { readonly label: string }
  | { readonly state: 'ready' | 'shutdown' }

interface SessionEffects {
  /** `started` and `ended` carry the session's number. */
  started: number
  ended: number
  full: { sessions: number }
}

export interface SessionsState extends Tracked<SessionWrite, EffectOf<SessionEffects>> {
  /** The numbers of the running sessions. */
  active: readonly number[]
  started: number
  /** The last session has ended, and no more may come. */
  isFinished?: boolean
  /** The last capacity above 0, which reopens a closed server. */
  capacity: number
  /**
   * The difference in flight: sent, not shown yet and not known to be lost. The second field: before the last object.
   */
  pending: number
  pendingBefore?: number
  /** Whether the pending difference may have landed beside allocations that hide it. */
  isDoubtful?: boolean
  sentLabel?: string
  /** Whether an older value than the label sent last may still appear. */
  isLabelOpen?: boolean
}

export function createSessionsState(rules: Rules): SessionsState {
  return createTracked(rules, { active: [], started: 0, capacity: 0, pending: 0 })
}

/** Whether no session may start any more. */
function isLocked(state: SessionsState): boolean {
  return state.isFinished || state.started >= (state.rules.thenShutdown as number)
}

export function isFull(state: SessionsState): boolean {
  return state.isOver || isLocked(state) || state.active.length >= mostOf(state)
}

/** The last object shows an allocation. */
export function allocated(state: SessionsState): void {
  const { count = 1, capacity } = state.facts
  // The sessions in the first object were allocated to an earlier process of this game.
  start(state, state.before.state ? allocations(state, state.pendingBefore!) : Math.min(count, capacity))
}

/** The game has ended a session. */
export function ended(state: SessionsState, number: number): void {
  state.active = state.active.filter((other) => other !== number)
  if (!state.active.length && (state.rules.thenShutdown === 'last' || isLocked(state))) state.isFinished = true
  state.effects.push(['ended', number])
}

/** Reconciles the GameServer with the running sessions: one write at a time makes both agree. */
export const sessions: Kind<SessionsState, SessionWrite> = {
  shown(state) {
    const { pending } = state
    state.capacity = state.facts.capacity || state.capacity
    state.pendingBefore = pending
    // Of the counter's change, what goes our way is ours, at most as much as is pending. Others made the rest.
    state.pending = Math.max(Math.min(pending, 0), Math.min(Math.max(pending, 0), pending - growthOf(state)))
    if (state.facts.label !== state.before.label && state.facts.label === state.sentLabel) state.isLabelOpen = false
    // The last session had ended before this process of the game started.
    const { thenShutdown } = state.rules
    if (!state.before.state && state.facts.state === 'Allocated' && state.facts.count === 0)
      state.isFinished = thenShutdown === 'last' || (!!thenShutdown && state.facts.capacity === 0)
  },

  fail() {
    // Sessions start and end even if nobody can be told.
  },

  turn(state) {
    if (state.isOver || !state.facts.state) return
    if (state.facts.count !== undefined) writeCount(state, state.facts.count)
    if (state.rules.label !== undefined) writeLabel(state, String(!isFull(state)))
    const isReused = state.rules.counter === undefined && state.rules.label === undefined && !isLocked(state)
    if (isReused && !state.active.length && state.facts.state === 'Allocated')
      send(state, 'ready', { state: 'ready' }, Infinity)
    if (state.isFinished && isClosed(state)) send(state, 'shutdown', { state: 'shutdown' }, 1)
  },

  shows(state, _, what) {
    if ('update' in what)
      return !state.pending && (what.update.capacity === undefined || state.facts.capacity !== what.before)
    if ('label' in what) return !state.isLabelOpen || what.label !== String(!isFull(state))
    return what.state === 'ready' ? !!state.active.length || state.facts.state !== 'Allocated' : !state.isFinished
  },

  failed(state, key, error) {
    const write = state.writes.get(key)!
    if (write.fate !== 'refused') return
    if ('update' in write.what) state.pending = 0
    if (error.code !== 'OUT_OF_RANGE' && !state.isOver) state.effects.push(['error', error])
  },

  lost(state, _, what) {
    if ('label' in what) state.isLabelOpen = false
    if (!('update' in what)) return
    // The difference may have landed while the watch was down, beside as many allocations.
    const hidden = state.isDoubtful ? -state.pending : 0
    state.pending = 0
    start(state, hidden)
  },
}

/** The growth of the count from the object before to the last one. */
function growthOf(state: SessionsState): number {
  return state.facts.count! - state.before.count! || 0
}

/** The number of allocations between the last two objects, which is at least one. */
function allocations(state: SessionsState, pendingBefore: number): number {
  const growth = growthOf(state)
  // Upper limit of the writes between both objects: every write that changes more than metadata counts.
  const gap = state.facts.generation - state.before.generation || Infinity
  // Our decrement is one write: if the count didn't grow, the decrement has landed, beside as many allocations as
  // make up for it. Our increment opens a closed server, so it lands before any allocation.
  const hidden = growth - pendingBefore
  const canHaveLanded = pendingBefore && hidden < gap
  const hasLanded = canHaveLanded && (pendingBefore < 0 ? growth < 1 : hidden > 0)
  state.pending = hasLanded ? 0 : pendingBefore
  if (canHaveLanded && !hasLanded && gap < Infinity) state.isDoubtful = true
  // No more than the capacity can be in use, and one write is one allocation, however much it adds.
  return Math.max(1, Math.min(hasLanded ? hidden : growth, state.facts.capacity, gap))
}

function start(state: SessionsState, sessions: number): void {
  while (!state.isOver && sessions-- > 0) {
    state.isFinished = false
    state.active = state.active.concat(++state.started)
    state.effects.push(['started', state.started])
    if (isFull(state)) state.effects.push(['full', { sessions: state.active.length }])
  }
}

function writeCount(state: SessionsState, count: number): void {
  const { length } = state.active
  const before = state.facts.capacity
  // The sidecar would cut the count to a capacity below it. The capacity is raised only to reopen a closed server.
  const capacity = Math.min(before || state.capacity, Math.max(length, isLocked(state) ? 0 : state.rules.limit))
  const countDiff = Math.min(length, capacity) - count
  if (!countDiff && capacity === before) return
  if (!send(state, COUNTER, { update: capacity === before ? { countDiff } : { countDiff, capacity }, before }, 2))
    return
  state.pending = countDiff
  state.isDoubtful = false
}

function writeLabel(state: SessionsState, label: string): void {
  // The sidecar remembers each label and writes it again with any other label, so the sidecar must know this value.
  if (state.facts.label === label && (state.sentLabel === undefined || state.sentLabel === label)) return
  // A repeated unlock could land after the next allocation, and undo its lock.
  if (!send(state, 'label', { label }, label === 'true' ? Infinity : 1)) return
  state.isLabelOpen ||= state.facts.label !== label
  state.sentLabel = label
}

/** Whether the watch shows a counter and a label by which no allocation can select this server any more. */
function isClosed(state: SessionsState): boolean {
  const isShut = (key: string, isShown: boolean): boolean => {
    const write = state.writes.get(key)
    // OUT_OF_RANGE means that the count has changed unseen, so the write is retried. Any other refusal is permanent.
    return !isOpen(state, key) && (isShown || (!!write && write.fate === 'refused' && write.ticks === Infinity))
  }
  return (
    isShut(COUNTER, state.rules.counter === undefined || !!state.facts.missing || !state.facts.capacity) &&
    isShut('label', state.rules.label === undefined || state.facts.label === 'false')
  )
}
