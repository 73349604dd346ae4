// Each function takes one event. It changes the state in place, without a copy, and adds effects to it.
import { SidecarError } from '../../index.js'
import {
  COUNTER,
  createTracked,
  isFree,
  isOpen,
  mostOf,
  send,
  type Facts,
  type Kind,
  type Report,
  type Rules,
  type Tracked,
} from './writes.js'

/** The game's wish for a seat. `promised`: joining with an allocation's promise. `gone`: its value is to be removed. */
export type Stage = 'expected' | 'joining' | 'promised' | 'here' | 'gone'

/** The adding of a value, the removal of a value with the facts known at that time, or the counter's count. */
export type SeatWrite = { readonly add: true } | { readonly since: Facts } | { readonly count: number }

export type JoinOutcome = 'expected' | 'joined' | SidecarError

/** An event for the game, or only an end of a join: with the outcome of the join that ends. */
type SeatEffect =
  | readonly [type: 'expected' | 'joined' | 'left' | 'noshow' | 'settle', event: { id: string }, outcome?: JoinOutcome]
  | readonly [type: 'full', event: { capacity: number }, outcome?: undefined]
  | readonly [...Report, outcome?: undefined]

export interface PlayersState extends Tracked<SeatWrite, SeatEffect> {
  readonly seats: Map<string, Stage>
  /** The reason why nobody can join. */
  failure?: SidecarError | undefined
  wasFull?: boolean
}

export function createPlayersState(rules: Rules): PlayersState {
  return createTracked(rules, { seats: new Map<string, Stage>() })
}

export function idsIn(state: PlayersState, ...stages: Stage[]): string[] {
  return Array.from(state.seats.keys()).filter((id) => stages.includes(state.seats.get(id)!))
}

/** The number of seats that are taken, promised or asked for. */
export function takenIn(state: PlayersState): number {
  return state.seats.size - idsIn(state, 'gone').length
}

export function isFull(state: PlayersState): boolean {
  return takenIn(state) >= mostOf(state)
}

export function join(state: PlayersState, id: string): void {
  state.seats.set(id, state.seats.get(id) === 'expected' ? 'promised' : 'joining')
}

/** A seated player leaves, or a join is given up. */
export function quit(state: PlayersState, id: string, error: SidecarError): void {
  if (state.seats.get(id) === 'here') state.effects.push(['left', { id }])
  refuse(state, id, error)
}

export function noShow(state: PlayersState, id: string): void {
  if (state.seats.get(id) !== 'expected') return
  state.seats.set(id, 'gone')
  state.effects.push(['noshow', { id }])
}

/** Reconciles the list with the game: adds and removes values until the watched object agrees with the game's wish. */
export const players: Kind<PlayersState, SeatWrite> = {
  shown(state) {
    const { values, room, missing } = state.facts
    // An accepted add is lost if the list fills up before the sidecar writes the add.
    if (values && values.size >= room)
      state.writes.forEach((write, id) => {
        if (write.fate === 'accepted' && !isHeld(state, id)) write.fate = 'unknown'
      })
    if (state.isOver) return
    if (!missing) state.failure = undefined
    if (values)
      values.forEach((id) => {
        if (state.before.values && state.before.values.has(id) && state.seats.has(id)) return
        if (!isOurs(state, id)) promised(state, id)
        else if (!state.seats.has(id)) state.seats.set(id, 'gone')
      })
  },

  fail(state, error) {
    state.failure = error
    decide(state)
  },

  turn(state) {
    const { values, room } = state.facts
    if (!state.facts.state) return
    decide(state)
    if (!state.facts.missing) {
      if (values) state.seats.forEach((stage, id) => writeSeat(state, id, stage, values.size < room))
      writeCount(state)
    }
    if (isFull(state) && !state.wasFull) state.effects.push(['full', { capacity: mostOf(state) }])
    state.wasFull = isFull(state)
  },

  shows(state, id, what) {
    return 'count' in what ? what.count === state.facts.count : isHeld(state, id) === 'add' in what
  },

  failed(state, id, error) {
    const write = state.writes.get(id)!
    if (write.fate !== 'refused') {
      if (error.code === 'ALREADY_EXISTS' && !write.isShown && !write.isHeld) promised(state, id)
    } else if ('add' in write.what && idsIn(state, 'joining', 'promised').includes(id)) {
      // A value that is being removed makes room for the add.
      const mayHaveRoom = error.code === 'OUT_OF_RANGE' && idsIn(state, 'gone').some((other) => isHeld(state, other))
      if (!mayHaveRoom) refuse(state, id, error)
    } else if (error.code !== 'OUT_OF_RANGE') state.effects.push(['error', error])
  },

  lost(state, id, what) {
    // The removal may have landed, and an allocation may have put the value back.
    if (
      'since' in what &&
      what.since.allocation !== state.facts.allocation &&
      state.facts.generation - what.since.generation !== 1
    )
      promised(state, id)
  },
}

function isHeld(state: PlayersState, id: string): boolean {
  return !state.facts.values || state.facts.values.has(id)
}

/** Whether an allocation has put the value into the list for a player who is joining. */
function hasPromise(state: PlayersState, id: string): boolean {
  return state.seats.get(id) === 'promised' && isHeld(state, id)
}

/** Whether the list holds the value, and no removal of ours is still in flight. */
function isSeated(state: PlayersState, id: string): boolean {
  const write = state.writes.get(id)
  return isHeld(state, id) && !(isOpen(state, id) && 'since' in write!.what && !write!.isShown)
}

/**
 * Whether a new value comes from our own add. A value that appears together with an allocation is a promise. The one
 * exception: one more write lies between both objects, and this write can only be the accepted add of a player who
 * has left since.
 */
function isOurs(state: PlayersState, id: string): boolean {
  const write = state.writes.get(id)
  if (!state.before.state || !write || write.fate === 'refused' || write.isShown || !('add' in write.what)) return false
  if (state.before.allocation === state.facts.allocation) return true
  const isOnly = Array.from(state.writes.keys()).filter((key) => isOpen(state, key)).length === 1
  return (
    isOnly &&
    state.seats.get(id) === 'gone' &&
    write.fate === 'accepted' &&
    state.facts.generation - state.before.generation === 2
  )
}

function expect(state: PlayersState, id: string): void {
  state.seats.set(id, 'expected')
  state.effects.push(['expected', { id }])
}

/** An allocation has put the value into the list, or may have. */
function promised(state: PlayersState, id: string): void {
  const stage = state.seats.get(id)
  if (state.isOver) return
  if (stage === 'joining') state.seats.set(id, 'promised')
  else if (!stage || stage === 'gone') expect(state, id)
}

/** Ends a seat and takes back its writes. */
function refuse(state: PlayersState, id: string, outcome: SidecarError): void {
  const stage = state.seats.get(id)
  if (hasPromise(state, id) && !state.isOver) expect(state, id)
  else if (state.facts.values) state.seats.set(id, 'gone')
  else state.seats.delete(id)
  if (stage !== 'here') state.effects.push(['settle', { id }, outcome])
}

/** In the order of arrival, admits players who have a seat and refuses those beyond the capacity. */
function decide(state: PlayersState): void {
  if (!state.failure && state.facts.missing) return
  let taken = idsIn(state, 'here', 'expected').length
  for (const id of idsIn(state, 'joining', 'promised')) {
    const isPromised = hasPromise(state, id)
    if (state.failure) refuse(state, id, state.failure)
    else if (++taken > mostOf(state) && !isPromised)
      refuse(state, id, new SidecarError('OUT_OF_RANGE', 'Every seat is taken or promised'))
    else if (isSeated(state, id)) {
      state.seats.set(id, 'here')
      state.effects.push(['joined', { id }, isPromised ? 'expected' : 'joined'])
    }
  }
}

/** Writes the wish for a seat once no write for it is in flight. */
function writeSeat(state: PlayersState, id: string, stage: Stage, hasRoom: boolean): void {
  const isUnwanted = stage === 'gone'
  if (isHeld(state, id)) {
    if (isUnwanted) send(state, id, { since: state.facts }, 2)
  } else if (isUnwanted || stage === 'expected') {
    if (isOpen(state, id)) return
    state.seats.delete(id)
    if (!isFree(state, id)) state.writes.delete(id)
    // The list has no room while removals are in flight, or after the capacity was lowered.
  } else if (!state.isOver && hasRoom) send(state, id, { add: true }, 1)
}

function writeCount(state: PlayersState): void {
  const { count: shown, capacity } = state.facts
  if (shown === undefined) return
  const count = Math.min(idsIn(state, 'here').length, capacity)
  if (count !== shown && !(state.isOver && count > shown)) send(state, COUNTER, { count }, 1)
}
