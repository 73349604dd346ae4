import { faultPresets } from '../../sidecar/index.js'
import type { ControlCommand, ControlResult, LogEntry } from '../../sidecar/index.js'
import { isManifest } from '../../schema/scenario.js'
import { milliseconds, shownTime, titleOf } from './describe.js'
import { findCall, judge } from './judge.js'
import type { View } from './judge.js'
import type { Allocation, Expectation, Failure, Scenario, ScenarioResult, Step, StepResult, Target } from './types.js'

const defaultWithin = '5s'
/** Most entries of the log that are kept for expectations; the oldest go first. */
const mostEntries = 20_000

export interface PlayOptions {
  /** Ends the run: the present step fails, the rest is skipped. */
  readonly signal?: AbortSignal
  readonly onStep?: (result: StepResult, entries: readonly LogEntry[]) => void
}

/** Plays a scenario's steps with a target, one after the other, up to the first that fails. */
export async function playSteps(
  scenario: Scenario,
  target: Target,
  { signal, onStep }: PlayOptions = {},
): Promise<ScenarioResult> {
  const player = new Player(target, signal)
  const now = (): number => target.sidecar.snapshot().now
  const start = now()
  let ended = start
  const steps: StepResult[] = []
  for (const [index, step] of scenario.steps.entries()) {
    const isSkipped = steps.some(({ status }) => status !== 'passed')
    if (!isSkipped && step.at !== undefined) {
      const base = step.at.startsWith('+') ? ended : start
      await player.pass(base + milliseconds(step.at) - now())
    }
    const begun = now()
    const failure = isSkipped ? undefined : await player.play(step)
    ended = now()
    const result: StepResult = {
      number: index + 1,
      title: titleOf(step),
      status: isSkipped ? 'skipped' : failure === undefined ? 'passed' : 'failed',
      at: begun - start,
      ms: ended - begun,
      ...(failure === undefined ? {} : { failure }),
    }
    steps.push(result)
    onStep?.(result, player.entries)
  }
  player.end()
  const ok = steps.every(({ status }) => status === 'passed')
  return { name: scenario.name ?? 'scenario', ok, ms: ended - start, steps, entries: player.entries }
}

/** Plays single steps, and tracks what has happened since the last step that did something. */
class Player {
  readonly entries: LogEntry[]
  readonly #target: Target
  readonly #signal: AbortSignal | undefined
  readonly end: () => void
  #gameEnd: { readonly exitCode: number } | undefined
  /** Calls that have met an expectation. */
  readonly #used = new Set<LogEntry>()
  /** The last entry before the last step that did something. */
  #mark = 0
  /** Checks the awaited condition again. */
  #wake: () => void = () => undefined

  constructor(target: Target, signal: AbortSignal | undefined) {
    this.#target = target
    this.#signal = signal
    const { log } = target.sidecar
    this.entries = [...log.entries()]
    this.end = log.subscribe((entry) => {
      this.entries.push(entry)
      if (this.entries.length > mostEntries) this.#used.delete(this.entries.shift()!)
      this.#wake()
    })
    void target.gameEnd?.then((end) => {
      this.#gameEnd = end
      this.#wake()
    })
  }

  /** Lets the target's time advance by `ms`. */
  async pass(ms: number): Promise<void> {
    await this.#until(() => false, ms)
  }

  async play(step: Step): Promise<Failure | undefined> {
    if (this.#isStopped()) return this.#stopped()
    const failure = await this.#act(step)
    return failure ?? (this.#isStopped() ? this.#stopped() : undefined)
  }

  async #act(step: Step): Promise<Failure | undefined> {
    if (step.expect !== undefined) return this.#meet(step.expect)
    this.#mark = this.entries.at(-1)?.seq ?? 0
    if (step.wait !== undefined) return void (await this.pass(milliseconds(step.wait)))
    return refusal(await perform(step, this.#target), step.refused === true)
  }

  async #meet(expectation: Expectation): Promise<Failure | undefined> {
    const { noCall } = expectation
    if (noCall !== undefined) {
      const ms = milliseconds(expectation.within ?? '0s')
      const isForbidden = (): boolean => findCall({ ...expectation, call: noCall }, this.#view()) !== undefined
      return (await this.#until(isForbidden, ms))
        ? { expected: `no call ${noCall}`, actual: `call ${noCall}` }
        : undefined
    }
    const within = milliseconds(expectation.within ?? defaultWithin)
    let verdict = judge(expectation, this.#view())
    await this.#until(() => (verdict = judge(expectation, this.#view())).failure === undefined, within)
    const { failure, call } = verdict
    if (call !== undefined) this.#used.add(call)
    return failure && { ...failure, expected: `${failure.expected} within ${shownTime(within)}` }
  }

  #view(): View {
    return {
      snapshot: this.#target.sidecar.snapshot(),
      entries: this.entries.filter(({ seq }) => seq > this.#mark),
      used: this.#used,
      gameEnd: this.#gameEnd,
    }
  }

  /** Lets time pass until a condition holds. */
  async #until(isTrue: () => boolean, ms: number): Promise<boolean> {
    if (isTrue()) return true
    const done = new AbortController()
    let result = false
    this.#wake = () => {
      result ||= isTrue()
      if (result) done.abort()
    }
    const signal = this.#signal === undefined ? done.signal : AbortSignal.any([done.signal, this.#signal])
    if (ms > 0 && !this.#isStopped()) await this.#target.sleep(ms, signal)
    this.#wake = () => undefined
    return result || isTrue()
  }

  #isStopped(): boolean {
    return this.#signal?.aborted === true
  }

  #stopped(): Failure {
    const reason: unknown = this.#signal?.reason
    return { expected: 'the step to end', actual: reason instanceof Error ? reason.message : 'the run was stopped' }
  }
}

/** Carries out a step's action; the first refused command decides. */
async function perform(step: Step, target: Target): Promise<ControlResult> {
  if (step.advance !== undefined) return target.advance(milliseconds(step.advance))
  for (const command of commandsOf(step)) {
    const outcome = target.control(command)
    if (!outcome.ok) return outcome
  }
  return { ok: true }
}

function commandsOf({ control, allocate, fault, terminate }: Step): readonly ControlCommand[] {
  if (allocate !== undefined) return [commandOf(allocate)]
  if (control !== undefined) return [control]
  if (typeof fault === 'string') return faultPresets.find(({ name }) => name === fault)?.commands ?? []
  if (fault !== undefined) return [fault]
  const graceMs = typeof terminate === 'string' ? milliseconds(terminate) : terminate?.graceMs
  return [{ type: 'terminate', ...(graceMs === undefined ? {} : { graceMs }) }]
}

function commandOf(allocation: Allocation): ControlCommand {
  if (isManifest(allocation)) return { type: 'allocate', manifest: allocation }
  const changes: Pick<Allocation, 'labels' | 'annotations' | 'counters' | 'lists'> = allocation
  return { type: 'allocate', ...changes }
}

function refusal(outcome: ControlResult, isExpected: boolean): Failure | undefined {
  if (outcome.ok !== isExpected) return undefined
  return outcome.ok
    ? { expected: 'a refusal', actual: 'it was accepted' }
    : { expected: 'it to be accepted', actual: outcome.message }
}
