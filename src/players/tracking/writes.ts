import type { GameServer, SidecarError } from '../../index.js'
import { NOTHING, type Rules } from './facts.js'

/** Ticks until an accepted write should show, and from a refusal until the retry. */
const SETTLE = 3
/** Ticks for which the sidecar may hold a call that timed out: it waits up to about 35 s for the platform's answer. */
const HELD = 80

/** Codes of a call that certainly had no effect. */
const REFUSED = /^(OUT|FEAT|UNIM|INV|CROSS|LIM)/
export const isRefusal = ({ code }: SidecarError): boolean => REFUSED.test(code)

/** The `ticks` of a write that the sidecar is being asked about. */
const ASKED = -1

/** The key of the counter's writes, which no player's id can equal. */
export const COUNTER = ''

/** A write of the tracker, from its call until its effect shows, its loss is certain, or its refusal has expired. */
export interface Write<What> {
  readonly what: What
  /**
   * How many more answers of the sidecar must lack the write before it counts as lost. 1: repeating the write does no
   * harm. Infinity: no answer tells whether the sidecar still holds the write, so only its restart may have lost it.
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
export type Send<What> = readonly [type: 'send', write: { readonly key: string; readonly what: What }]

/** Whether a write may still land. */
export const isOpen = (write: Write<unknown> | undefined): boolean => !!write && !/^[rl]/.test(write.fate)

/**
 * The state of a tracker and the fate of its writes. A write that doesn't show is never simply repeated: if the first
 * write has landed, the second one would undo what an allocation has changed since. The tracker asks the sidecar first.
 *
 * After each call of a method, the caller calls `settle()` and carries out the effects.
 */
export abstract class Writes<What extends object, Effects extends { error: SidecarError }> {
  /** Writes by the key that they change: at most one for each key. */
  writes = new Map<string, Write<What>>()
  /** Effects that are still to be carried out. */
  effects: (EffectOf<Effects> | EffectOf<{ error: SidecarError }> | Send<What>)[] = []
  /** The facts of the last object. */
  facts = NOTHING
  isOver = false
  readonly rules: Rules
  private wasDown = false

  constructor(rules: Rules) {
    this.rules = rules
  }

  /** The most players or sessions, as far as the capacity is known. */
  get most(): number {
    return Math.min(this.rules.limit, this.facts.capacity)
  }

  /** The watch has shown an object. */
  abstract object(gameServer: GameServer): void
  /** Decides and writes, once all events of one turn are known. */
  abstract turn(): void
  /** The GameServer is shutting down, or is no longer tracked. */
  abstract end(error: SidecarError): void
  /** The sidecar has said why the GameServer lacks the list or counter. */
  abstract lacks(error: SidecarError): void
  /** Whether the last object shows the write. */
  protected abstract shows(what: What, key: string): boolean
  protected abstract failed(key: string, write: Write<What>, error: SidecarError, isRefused: boolean): void
  protected abstract lost(key: string, what: What): void

  protected isFree(key: string): boolean {
    const write = this.writes.get(key)
    return !write || write.fate === 'late'
  }

  /** Sends a write, unless another write of that key is in flight. */
  protected write(key: string, what: What, questions: number): void {
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
    const isRefused = isRefusal(error)
    write.fate = isRefused ? 'refused' : 'unknown'
    if (isRefused) {
      // Retry after OUT_OF_RANGE, since room may become free. The same sidecar would repeat any other refusal.
      if (!/^OUT/.test(error.code)) write.ticks = Infinity
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

  /** The watch has lost its connection or has a new one. A restarted sidecar has forgotten its unwritten changes. */
  connection(isUp: boolean): void {
    // The first connection is no restart, so no write can have been forgotten.
    if (isUp && !this.wasDown) return
    this.wasDown = !isUp
    this.writes.forEach((write, key) => {
      if (!isOpen(write)) {
        if (isUp) this.writes.delete(key)
      } else if (write.fate !== 'sent') {
        // A write that was accepted at least one tick ago has landed by now.
        if (write.ticks >= SETTLE) write.fate = 'unknown'
        // An answer in flight may still come from the previous sidecar.
        if (isUp || write.ticks === ASKED) write.ticks = 0
        if (!isUp) return
        write.isHeld = false
        write.questions = Math.min(write.questions, 2)
        // If only the watch broke, the same sidecar still writes what it has accepted, and no answer shows that.
        if (!this.isReadable(key)) write.ticks = SETTLE
      }
    })
  }

  /** The sidecar is being asked about all overdue writes. */
  asking(): void {
    this.writes.forEach((write) => {
      if (!write.ticks) write.ticks = ASKED
    })
  }

  /** The sidecar has answered, or the question has failed. */
  asked(answer?: Answer): void {
    // Compare only if the watch is up to date. In the real sidecar's local mode, the watch doesn't show list changes.
    const isCurrent = answer?.gameServer.object_meta.resource_version === this.facts.version
    if (answer && isCurrent) this.object(answer.gameServer)
    this.settle()
    this.writes.forEach((write, key) => {
      if (write.ticks !== ASKED) return
      write.ticks = 1
      if (answer && isCurrent && this.isGone(key, answer)) write.questions--
      if (write.questions) return
      this.done(key)
      this.lost(key, write.what)
    })
  }

  /** Completes the writes that show. */
  settle(): void {
    this.writes.forEach((write, key) => {
      if (!isOpen(write) || !(write.isShown || this.shows(write.what, key))) return
      if (write.fate === 'sent') write.isShown = true
      else this.done(key)
    })
  }

  /** Whether an answer includes what the sidecar has accepted for that key and not written yet. */
  private isReadable(key: string): boolean {
    return key === COUNTER || !!this.facts.values
  }

  /** Whether the sidecar holds no unwritten change of that key. */
  private isGone(key: string, { values, count }: Answer): boolean {
    const { facts } = this
    if (!this.isReadable(key)) return true
    return key === COUNTER ? count === facts.count : values?.includes(key) === facts.values!.has(key)
  }
}
