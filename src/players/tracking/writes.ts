import type { GameServer, SidecarError } from '../../index.js'

/** What is tracked of a GameServer, and within which limits. */
export interface Rules {
  readonly list?: string | undefined
  readonly counter?: string | undefined
  readonly label?: string | undefined
  /** Upper limit of players or sessions, below the GameServer's own capacity. */
  readonly limit: number
  /** Only for sessions. */
  readonly thenShutdown?: number | 'last' | undefined
}

/** The tracked state of a GameServer: one list, one counter and one label. */
export interface Facts {
  /** undefined before the first object */
  readonly state?: string
  /** The list's values; undefined if the GameServer lacks the list, or no list is tracked */
  readonly values?: ReadonlySet<string> | undefined
  readonly count?: number | undefined
  /** The list's capacity. */
  readonly room: number
  /** The smaller capacity of list and counter. */
  readonly capacity: number
  /** The tracked kind that the GameServer lacks. */
  readonly missing?: 'list' | 'counter' | undefined
  readonly label?: string | undefined
  /** Time of the last allocation. */
  readonly allocation?: string | undefined
  /** Grows by one with each write that changes more than metadata; NaN if the platform doesn't count. */
  readonly generation: number
  readonly version?: string
}

/** A write of the tracker, from its call until its effect shows, its loss is certain, or its refusal has expired. */
export interface Write<What> {
  readonly what: What
  /**
   * Answers without this write that are still accepted before it counts as lost. 1: the write is safe to repeat.
   * Infinity: only a restart of the sidecar loses it.
   */
  questions: number
  /**
   * The fate of the write. `sent`: no answer yet. `unknown`: the answer leaves the fate open. `late`: counts as lost,
   * but the sidecar may still hold its call.
   */
  fate: 'sent' | 'accepted' | 'unknown' | 'refused' | 'late'
  /**
   * Ticks until the sidecar is asked about the write, or until a refused write is retried. Infinity: waits for events
   */
  ticks: number
  /** An object has shown the write. */
  isShown?: boolean
  /** The call timed out. */
  isHeld?: boolean
}

/** What the sidecar holds, including accepted writes that haven't landed; and the GameServer as it is written. */
export interface Answer {
  readonly values: readonly string[] | undefined
  readonly count: number | undefined
  readonly gameServer: GameServer
}

export type EffectOf<Effects> = { [Type in keyof Effects]: readonly [type: Type, event: Effects[Type]] }[keyof Effects]
/** Tell the game of an error. */
export type Report = readonly [type: 'error', error: SidecarError]
/** Make the call of a write, and report its outcome by `answered`. */
export type Send<What> = readonly [type: 'send', key: string, what: What]

/** The state of a tracker: plain data, so that a copy is another tracker. */
export interface Tracked<What = unknown, Effect = unknown> {
  readonly rules: Rules
  /** Writes by the key that they change: at most one for each key. */
  readonly writes: Map<string, Write<What>>
  /** What is still to be carried out, in this order. */
  readonly effects: (Effect | Report | Send<What>)[]
  /** The facts of the last object, and of the one before. */
  facts: Facts
  before: Facts
  isOver?: boolean
}

/** What players and sessions do differently. */
export interface Kind<State, What> {
  /** `facts` are those of a new object. */
  shown(state: State): void
  /** Decides and writes, once all events of one turn are known. */
  turn(state: State): void
  /** Rejects all joins: the GameServer ends, or the sidecar said why it lacks the list or counter. */
  fail(state: State, error: SidecarError): void
  /** Whether the last object shows the write. */
  shows(state: State, key: string, what: What): boolean
  /** The call of a write has failed. */
  failed(state: State, key: string, error: SidecarError): void
  lost(state: State, key: string, what: What): void
}

/** Ticks until an accepted write should show, and from a refusal until the retry. */
const SETTLE = 3
/** Ticks for which the sidecar may hold a call that timed out: it waits up to about 35 s for the platform's answer. */
const HELD = 80
/** The `ticks` of a write that the sidecar is being asked about. */
const CHECKING = -1

/** The key of the counter's writes, which no player's id can equal. */
export const COUNTER = ''

/** The facts before the first object. */
const NOTHING: Facts = { room: Infinity, capacity: Infinity, generation: NaN }

export function createTracked<What, Effect, Own>(rules: Rules, own: Own): Tracked<What, Effect> & Own {
  return Object.assign({ rules, writes: new Map(), effects: [], facts: NOTHING, before: NOTHING }, own)
}

/** Parses a count of the sidecar. A malformed count becomes 0, so that nobody is admitted by mistake. */
const toCount = (text: string): number => Number(text) || 0

const capacityOf = (kind: { capacity: string } | undefined): number => (kind ? toCount(kind.capacity) : Infinity)

/** Returns the value of the key with that ending. The platform's name precedes the ending. */
export function find(map: Record<string, string> | null | undefined, end: string): string | undefined {
  for (const key in map) if (key.endsWith(end)) return map[key]
  return undefined
}

function factsOf({ status, object_meta: meta }: GameServer, { list, counter, label }: Rules): Facts {
  const { [list!]: seats } = Object(status.lists) as NonNullable<typeof status.lists>
  const { [counter!]: counted } = Object(status.counters) as NonNullable<typeof status.counters>
  return {
    state: status.state,
    values: seats && new Set(seats.values),
    count: counted && toCount(counted.count),
    room: capacityOf(seats),
    capacity: Math.min(capacityOf(seats), capacityOf(counted)),
    missing: list !== undefined && !seats ? 'list' : counter !== undefined && !counted ? 'counter' : undefined,
    label: find(meta.labels, `/sdk-${label}`),
    allocation: find(meta.annotations, '/last-allocated'),
    generation: parseInt(meta.generation),
    version: meta.resource_version,
  }
}

/** The most players or sessions, as far as the capacity is known. */
export function mostOf(state: Tracked): number {
  return Math.min(state.rules.limit, state.facts.capacity)
}

/** Whether a call certainly had no effect. */
const isRefusal = ({ code }: SidecarError): boolean => /^(OUT|FEAT|UNIM|INV|CROSS|LIM)/.test(code)

/** Whether a write may still land. */
export function isOpen(state: Tracked, key: string): boolean {
  const write = state.writes.get(key)
  return !!write && write.fate !== 'refused' && write.fate !== 'late'
}

/** Whether no write of that key is in flight. */
export function isFree(state: Tracked, key: string): boolean {
  const write = state.writes.get(key)
  return !write || write.fate === 'late'
}

/** Sends a write, unless another write of that key is in flight. Returns whether it is sent. */
export function send<What>(state: Tracked<What>, key: string, what: What, questions: number): boolean {
  if (!isFree(state, key)) return false
  state.writes.set(key, { what, questions, fate: 'sent', ticks: Infinity, isHeld: state.writes.has(key) })
  state.effects.push(['send', key, what])
  return true
}

/** The watch has shown an object. */
export function shown(state: Tracked, kind: Kind<Tracked, unknown>, gameServer: GameServer): void {
  state.before = state.facts
  state.facts = factsOf(gameServer, state.rules)
  kind.shown(state)
}

/** The call of a write has ended. */
export function answered(state: Tracked, kind: Kind<Tracked, unknown>, key: string, error?: SidecarError): void {
  const write = state.writes.get(key)!
  write.fate = 'accepted'
  write.ticks = SETTLE
  if (!error) return
  if (isRefusal(error)) {
    write.fate = 'refused'
    // Retry after OUT_OF_RANGE, since room may become free. The same sidecar would repeat any other refusal.
    if (error.code !== 'OUT_OF_RANGE') write.ticks = Infinity
  } else {
    write.fate = 'unknown'
    write.ticks = 1
    write.questions = Math.min(write.questions, 2)
    if ((Object(error.cause) as SidecarError).code === 'TIMEOUT') {
      write.isHeld = true
      if (write.questions > 1) write.questions = HELD
    }
  }
  kind.failed(state, key, error)
}

/** A tick has passed. */
export function tick(state: Tracked): void {
  state.writes.forEach((write, key) => {
    if (write.ticks === 1 && write.fate === 'refused') state.writes.delete(key)
    if (write.ticks > 0) write.ticks--
  })
}

/** The watch has a new connection or has lost it. A restarted sidecar has forgotten its unwritten changes. */
export function connection(state: Tracked, isUp: boolean): void {
  state.writes.forEach((write, key) => {
    if (!isOpen(state, key)) {
      if (isUp) state.writes.delete(key)
    } else if (write.fate !== 'sent') {
      // A write that was accepted at least one tick ago has landed by now.
      if (write.ticks >= SETTLE) write.fate = 'unknown'
      // An answer in flight may still come from the previous sidecar.
      if (isUp || write.ticks === CHECKING) write.ticks = 0
      if (!isUp) return
      write.isHeld = false
      write.questions = Math.min(write.questions, 2)
      // If only the watch broke, the same sidecar still writes what it has accepted, and no answer shows that.
      if (!isReadable(state, key)) write.ticks = SETTLE
    }
  })
}

/** Marks all overdue writes: a read of the sidecar is in flight to check them. */
export function startCheck(state: Tracked): void {
  state.writes.forEach((write) => {
    if (!write.ticks) write.ticks = CHECKING
  })
}

/**
 * The sidecar has answered, or the question has failed. A write that doesn't show is never simply repeated: if the first
 * write has landed, the second one would undo what an allocation has changed since.
 */
export function endCheck(state: Tracked, kind: Kind<Tracked, unknown>, answer?: Answer): void {
  // Compare only if the watch is up to date. In the real sidecar's local mode, the watch doesn't show list changes.
  const isCurrent = answer && answer.gameServer.object_meta.resource_version === state.facts.version
  if (isCurrent) shown(state, kind, answer.gameServer)
  settle(state, kind)
  state.writes.forEach((write, key) => {
    if (write.ticks !== CHECKING) return
    write.ticks = 1
    if (isCurrent && isGone(state, key, answer)) write.questions--
    if (write.questions) return
    done(state, key)
    kind.lost(state, key, write.what)
  })
}

/** Completes the writes that show. Call it after each change. */
export function settle(state: Tracked, kind: Kind<Tracked, unknown>): void {
  state.writes.forEach((write, key) => {
    if (!isOpen(state, key) || !(write.isShown || kind.shows(state, key, write.what))) return
    if (write.fate === 'sent') write.isShown = true
    else done(state, key)
  })
}

function done(state: Tracked, key: string): void {
  const write = state.writes.get(key)!
  if (write.isHeld) {
    write.fate = 'late'
    write.ticks = Infinity
  } else state.writes.delete(key)
}

/** Whether an answer includes what the sidecar has accepted for that key and not written yet. */
function isReadable(state: Tracked, key: string): boolean {
  return key === COUNTER || !!state.facts.values
}

/** Whether the sidecar holds no unwritten change of that key. */
function isGone(state: Tracked, key: string, { values, count }: Answer): boolean {
  if (!isReadable(state, key)) return true
  return key === COUNTER
    ? count === state.facts.count
    : !!values && values.includes(key) === state.facts.values!.has(key)
}
