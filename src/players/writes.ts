import type { GameServer, SidecarError } from '../index.js'
import { NOTHING, type Rules } from './facts.js'

/** Ticks until what was accepted should show, and from a refusal until the next try. */
const SETTLE = 3
/** Ticks for which the sidecar may hold a call that timed out: as long as the platform doesn't answer it, some 35 s. */
const HELD = 80

/** Codes of a write that surely was not made. */
const REFUSED = /^(OUT|FEAT|UNIM|INV|CROSS|LIM)/

/** The `ticks` of a write that the sidecar is being asked about. */
const ASKED = -1

/** The keys of the counter's writes and of a read: no player has them. */
export const COUNTER = ''
export const FIND = '\n'

/** Reads why the GameServer lacks what was asked for, instead of a write. */
interface Find {
  readonly find: 'list' | 'counter'
}

/** A write of the game's, from its call until its effect shows, it is known to be lost, or its refusal is over. */
export interface Write<What> {
  readonly what: What
  /**
   * How often the sidecar must answer still that it knows nothing of an accepted write before it counts as lost. 1: made
   * twice, it does no harm; Infinity: the sidecar can't be asked, so only its restart tells
   */
  questions: number
  /**
   * What became of it. `sent`: there is no answer yet; `unknown`: the answer doesn't tell; `late`: it counts as lost, and
   * the sidecar may hold its call still
   */
  fate: 'sent' | 'accepted' | 'unknown' | 'refused' | 'late'
  /** Until the sidecar is asked about it; of a refused one, until the next may be made. Infinity: only events change it */
  ticks: number
  /** An object has shown it. */
  isShown?: boolean
  /** Its call timed out. */
  isHeld?: boolean
}

/** What the sidecar holds, with what it has accepted and not written yet; then the object, which is what is written. */
export interface Answer {
  readonly values: readonly string[] | undefined
  readonly count: number | undefined
  readonly gameServer: GameServer
}

export type EffectOf<Effects> = { [Type in keyof Effects]: readonly [type: Type, event: Effects[Type]] }[keyof Effects]
export type Send<What> = readonly [type: 'send', write: { readonly key: string; readonly what: What | Find }]

/** A write that may still come about. */
export const isOpen = (write: Write<unknown> | undefined): boolean => !!write && !/^[rl]/.test(write.fate)

/**
 * The state of a tracker, and what became of its writes: the same is found out for all of them. A write that doesn't show
 * is never just made again: the first may have come about, and what an allocation has changed since would be undone by
 * the second. So the sidecar is asked first.
 *
 * Whoever calls one of the methods calls `settle()` then, and carries out the effects.
 */
export abstract class Writes<What extends object, Effects extends { error: SidecarError }> {
  /** By what they change: there is never more than one of each. */
  writes = new Map<string, Write<What | Find>>()
  /** What events have led to, and nobody has carried out yet. */
  effects: (EffectOf<Effects> | EffectOf<{ error: SidecarError }> | Send<What>)[] = []
  /** What the last object says. */
  facts = NOTHING
  isOver = false
  readonly rules: Rules
  private wasDown = false

  constructor(rules: Rules) {
    this.rules = rules
  }

  /** As far as that is known. */
  get most(): number {
    return Math.min(this.rules.limit, this.facts.capacity)
  }

  /** The watch has told an object. */
  abstract object(gameServer: GameServer): void
  /** All that was said in one turn is known: now it is decided, and written. */
  abstract turn(): void
  /** The GameServer ends, or is no longer tracked. */
  abstract end(error: SidecarError): void
  /** Whether the last object shows what was written. */
  protected abstract shows(what: What, key: string): boolean
  protected abstract failed(key: string, write: Write<What | Find>, error: SidecarError, isRefused: boolean): void
  protected abstract lost(key: string, what: What): void

  protected isFree(key: string): boolean {
    const write = this.writes.get(key)
    return !write || write.fate === 'late'
  }

  /** Makes a write, unless another one of that key is on its way. */
  protected write(key: string, what: What | Find, questions: number): void {
    if (!this.isFree(key)) return
    const isHeld = this.writes.has(key)
    this.writes.set(key, { what, questions, fate: 'sent', ticks: Infinity, isHeld })
    this.effects.push(['send', { key, what }])
  }

  private done(key: string): void {
    const write = this.writes.get(key)!
    if (write.isHeld) Object.assign(write, { fate: 'late', ticks: Infinity })
    else this.writes.delete(key)
  }

  answered(key: string, error?: SidecarError): void {
    const write = this.writes.get(key)!
    write.fate = 'accepted'
    write.ticks = SETTLE
    if (!error) return
    const { code } = error
    const isRefused = REFUSED.test(code) || ('find' in write.what && code === 'NOT_FOUND')
    write.fate = isRefused ? 'refused' : 'unknown'
    if (isRefused) {
      // What there is no room for may find some soon; anything else is refused again by the same sidecar.
      if (!/^OUT/.test(code)) write.ticks = Infinity
    } else {
      write.ticks = 1
      write.questions = Math.min(write.questions, 2)
      if ((Object(error.cause) as SidecarError).code === 'TIMEOUT') {
        write.isHeld = true
        if (write.questions > 1) write.questions = HELD
      }
    }
    this.failed(key, write, error, isRefused)
  }

  tick(): void {
    this.writes.forEach((write, key) => {
      if (write.ticks === 1 && write.fate === 'refused') this.writes.delete(key)
      if (write.ticks > 0) write.ticks--
    })
  }

  /** The watch has lost its connection, or has a new one: a restarted sidecar has forgotten what it hadn't written. */
  connection(isUp: boolean): void {
    // Before the first connection there was no sidecar that could have forgotten anything.
    if (isUp && !this.wasDown) return
    this.wasDown = !isUp
    this.writes.forEach((write, key) => {
      if (!isOpen(write)) {
        if (isUp) this.writes.delete(key)
      } else if (write.fate !== 'sent') {
        // What was accepted a tick ago is written by now.
        if (write.ticks >= SETTLE) write.fate = 'unknown'
        // An answer that comes now may be of the sidecar before.
        if (isUp || write.ticks === ASKED) write.ticks = 0
        if (isUp) Object.assign(write, { isHeld: false, questions: Math.min(write.questions, 2) })
      }
    })
  }

  /** The sidecar is being asked about all that should show by now and doesn't. */
  asking(): void {
    this.writes.forEach((write) => {
      if (!write.ticks) write.ticks = ASKED
    })
  }

  /** It has answered, if it could. */
  asked(answer?: Answer): void {
    // Only a watch that is up to date can be compared with. In the real sidecar's local mode it tells nothing of lists.
    const isCurrent = answer?.gameServer.object_meta.resource_version === this.facts.version
    if (answer && isCurrent) this.object(answer.gameServer)
    this.settle()
    this.writes.forEach((write, key) => {
      if (write.ticks !== ASKED) return
      write.ticks = 1
      if (answer && isCurrent && this.isGone(key, answer)) write.questions--
      if (write.questions) return
      this.done(key)
      if (!('find' in write.what)) this.lost(key, write.what)
    })
  }

  /** Ends what shows. */
  settle(): void {
    this.writes.forEach((write, key) => {
      const { what } = write
      if (!isOpen(write) || 'find' in what || !(write.isShown || this.shows(what, key))) return
      if (write.fate === 'sent') write.isShown = true
      else this.done(key)
    })
  }

  /** Whether the sidecar has nothing of it that isn't written. */
  private isGone(key: string, { values, count }: Answer): boolean {
    const { facts } = this
    return key === COUNTER ? count === facts.count : !facts.values || values?.includes(key) === facts.values.has(key)
  }
}
