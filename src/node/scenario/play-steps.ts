import { faultPresets } from '../../sidecar/index.js'
import type { ControlCommand, LogEntry } from '../../sidecar/index.js'
import { isManifest } from '../../schema/scenario.js'
import { milliseconds, shownTime, titleOf } from './describe.js'
import { forbiddenCall, judge } from './judge.js'
import type { View } from './judge.js'
import type { Allocation, Expectation, Failure, Outcome, Scenario, ScenarioResult, Step } from './types.js'
import type { StepResult, Target } from './types.js'

/** How long an expectation waits that doesn't say so. */
const defaultWithin = '5s'
/** Most entries of the log that are kept for expectations; the oldest go first. */
const mostEntries = 20_000

export interface PlayOptions {
  /** Ends the run: the present step fails, the rest is skipped. */
  readonly signal?: AbortSignal
  /** Called after each step. */
  readonly onStep?: (result: StepResult, entries: readonly LogEntry[]) => void
}

/** Plays a scenario's steps with a target, one after the other, up to the first that fails. */
export async function playSteps(
  scenario: Scenario,
  target: Target,
  { signal, onStep }: PlayOptions = {},
): Promise<ScenarioResult> {
  const entries: LogEntry[] = [...target.entries()]
  const used = new Set<LogEntry>()
  let wake: () => void = () => undefined
  /** The last entry before the last step that did something. */
  let mark = 0
  const forget = [
    target.subscribe((entry) => {
      entries.push(entry)
      if (entries.length > mostEntries) used.delete(entries.shift()!)
      wake()
    }),
    target.onGameEnd?.(() => wake()),
  ]
  const isStopped = (): boolean => signal?.aborted === true

  const view = (): View => ({
    snapshot: target.snapshot(),
    entries: entries.filter(({ seq }) => seq > mark),
    used,
    gameEnd: target.gameEnd?.(),
  })

  /** Lets time pass until something is true. */
  async function until(isTrue: () => boolean, ms: number): Promise<boolean> {
    if (isTrue()) return true
    const done = new AbortController()
    const end = (): void => done.abort()
    let result = false
    wake = () => {
      result ||= isTrue()
      if (result) end()
    }
    signal?.addEventListener('abort', end)
    if (ms > 0 && !isStopped()) await target.sleep(ms, done.signal)
    signal?.removeEventListener('abort', end)
    wake = () => undefined
    return result || isTrue()
  }

  async function meet(expectation: Expectation): Promise<Failure | undefined> {
    if (expectation.noCall !== undefined) {
      const ms = milliseconds(expectation.within ?? '0s')
      const isForbidden = (): boolean => forbiddenCall(expectation, view()) !== undefined
      if (!(await until(isForbidden, ms))) return undefined
      return { expected: `no call ${expectation.noCall}`, actual: `call ${expectation.noCall}` }
    }
    const within = expectation.within ?? defaultWithin
    let verdict = judge(expectation, view())
    const isMet = (): boolean => (verdict = judge(expectation, view())).failure === undefined
    await until(isMet, milliseconds(within))
    if (verdict.call !== undefined) used.add(verdict.call)
    const { failure } = verdict
    return failure && { ...failure, expected: `${failure.expected} within ${shownTime(milliseconds(within))}` }
  }

  async function act(step: Step): Promise<Failure | undefined> {
    const before = entries.at(-1)?.seq ?? 0
    if (step.expect !== undefined) return meet(step.expect)
    mark = before
    if (step.wait !== undefined) return void (await until(() => false, milliseconds(step.wait)))
    return refusal(await perform(step, target), step.refused === true)
  }

  const start = target.now()
  let ended = start
  let failed = false
  const steps: StepResult[] = []
  for (const [index, step] of scenario.steps.entries()) {
    if (!failed && step.at !== undefined) {
      const base = step.at.startsWith('+') ? ended : start
      await until(() => false, base + milliseconds(step.at) - target.now())
    }
    const begun = target.now()
    const failure: Failure | undefined = failed ? undefined : isStopped() ? stopped(signal) : await act(step)
    ended = target.now()
    const status: StepResult['status'] = failed
      ? 'skipped'
      : failure === undefined && !isStopped()
        ? 'passed'
        : 'failed'
    const why = status === 'failed' ? { failure: failure ?? stopped(signal) } : {}
    const result = {
      number: index + 1,
      title: titleOf(step),
      status,
      at: begun - start,
      ms: ended - begun,
      ...why,
    } as const
    steps.push(result)
    failed ||= status === 'failed'
    onStep?.(result, entries)
  }
  for (const end of forget) end?.()
  return { name: scenario.name ?? 'scenario', ok: !failed, ms: ended - start, steps, entries }
}

/** Does what a step says; the first command that is refused counts. */
async function perform(step: Step, target: Target): Promise<Outcome> {
  if (step.advance !== undefined) return target.advance(milliseconds(step.advance))
  for (const command of commandsOf(step)) {
    const outcome = await target.control(command)
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

function refusal(outcome: Outcome, isExpected: boolean): Failure | undefined {
  if (outcome.ok !== isExpected) return undefined
  return outcome.ok
    ? { expected: 'a refusal', actual: 'it was accepted' }
    : { expected: 'it to be accepted', actual: outcome.message }
}

const stopped = (signal: AbortSignal | undefined): Failure => ({
  expected: 'the step to end',
  actual: signal?.reason instanceof Error ? signal.reason.message : 'the run was stopped',
})
