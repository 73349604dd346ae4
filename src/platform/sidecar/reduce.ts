import { operations, type Operation, type OperationName } from '../../protocol/operations.js'
import { didYouMean } from '../../protocol/nearest.js'
import { performControl } from './perform-control.js'
import { performCall } from './calls/perform-call.js'
import { noteAllocation, refuseIfGone } from './calls/write-queue.js'
import { done, failWithStatus, type Answer } from './state/answer.js'
import type { Call, Effect, SidecarEvent } from './state/events.js'
import { applies, type FailureFault } from './state/faults.js'
import { show } from './state/show.js'
import type { SidecarState } from './state/sidecar-state.js'
import { record, update, warn, type Step } from './state/step.js'
import { doDueWork, followObject, startHealthClock } from './due-work.js'

/**
 * The whole sidecar as one function: the next state and the effects of an event at the time `now`. First everything
 * that was due by then happens, in order; then the event. Pure: it reads no clock, starts no timer, uses no random
 * numbers and leaves `state` as it is.
 */
export function reduce(
  state: SidecarState,
  event: SidecarEvent,
  now: number,
): { readonly state: SidecarState; readonly effects: readonly Effect[] } {
  const step: Step = { state, effects: [], now }
  doDueWork(step)
  switch (event.type) {
    case 'call':
      if (event.tool === true) answerTool(step, event.call)
      else {
        startHealthClock(step)
        answerCall(step, event.call)
      }
      warnOfBody(step, event)
      break
    case 'refused':
      if (event.path === '/health' && event.status === 400 && event.message === '') {
        warn(step, 'beat-without-body', NO_BEAT)
      }
      break
    case 'control': {
      const { object } = step.state
      const problem = performControl(step, event.command)
      noteAllocation(step, object)
      step.effects.push({ type: 'control-result', problem })
      doDueWork(step)
      break
    }
    case 'watch-opened':
      openWatch(step, event)
      break
    case 'watch-closed':
    case 'tick':
      break
  }
  followObject(step)
  return step
}

/** A command of this package is never taken for the game: it starts no health clock, counts as no beat, and proves nothing. */
function answerTool(step: Step, call: Call): void {
  const { conformance } = step.state
  if (call.operation === 'health') step.effects.push({ type: 'reply', ...done, drop: false })
  else answerCall(step, call)
  update(step, { conformance })
}

const NO_BEAT = 'A health call without a body is no beat. Send {} as the body.'

/** The real sidecar, too, answers these bodies with 200. */
function warnOfBody(step: Step, { call, unread, tool }: Extract<SidecarEvent, { type: 'call' }>): void {
  const { operation } = call
  if (operation === 'health' && call.beats === 0) warn(step, 'beat-without-body', NO_BEAT)
  if (operation === 'health' && tool === true) {
    warn(step, 'beat-of-tool', "A beat by a command isn't the game's, so it doesn't count here. A cluster counts it.")
  }
  if (unread === undefined) return
  const fields = Object.keys((operations[operation] as Operation)[2] ?? {})
  const advice = fields.length === 0 ? 'it takes none' : didYouMean(unread, fields)
  const message = `The sidecar ignores the field ${show(unread)} in the body of ${operation}; ${advice}`
  warn(step, 'unknown-field', message.endsWith('?') ? message : `${message}.`)
}

function answerCall(step: Step, call: Call): void {
  const failure = meetFailure(step, call.operation)
  if (failure === undefined) {
    const answer = loseWrite(step, call) ?? performCall(step, call)
    step.effects.push({ type: 'reply', ...answer, drop: false })
    return
  }
  if (failure.apply) performCall(step, call)
  const { status, message, drop, retryAfter } = failure
  const answer = failWithStatus(status, message)
  step.effects.push({ type: 'fault', rule: failureRule(failure) })
  step.effects.push({ type: 'reply', ...answer, drop, ...(retryAfter === undefined ? {} : { retryAfter }) })
}

/** Answers a write as usual and forgets it, if one is to be lost. Refused writes don't use up the fault. */
function loseWrite(step: Step, call: Call): Answer | undefined {
  const { faults } = step.state
  if (faults.writesToLose === 0 || operations[call.operation][0] === 'GET' || call.operation === 'health')
    return undefined
  const lost: Step = { ...step, effects: [] }
  const answer = performCall(lost, call)
  if (answer.status !== 200) return undefined
  update(step, { conformance: lost.state.conformance, faults: { ...faults, writesToLose: faults.writesToLose - 1 } })
  step.effects.push({ type: 'fault', rule: 'loseWrites answered it with 200 and forgot it' })
  return answer
}

function failureRule({ status, drop, apply, remaining }: FailureFault): string {
  const left = remaining === undefined ? '' : `, ${remaining - 1} more to fail`
  const outcome = drop ? 'cut the connection' : `answered it with ${status}`
  return `failCalls ${outcome} ${apply ? 'after' : 'before'} it took effect${left}`
}

function openWatch(step: Step, { id, tool }: Extract<SidecarEvent, { type: 'watch-opened' }>): void {
  if (tool !== true) {
    startHealthClock(step)
    record(step, 'watch')
  }
  const failure = meetFailure(step, 'watchGameServer')
  if (failure) step.effects.push({ type: 'fault', rule: failureRule(failure) })
  if (failure?.drop) {
    step.effects.push({ type: 'refuse-watch', id, status: 0, body: undefined })
    return
  }
  const { config, object } = step.state
  const gone = config.mode === 'production' ? refuseIfGone(step.state) : undefined
  const refusal = failure ? failWithStatus(failure.status, failure.message) : gone
  if (refusal) {
    step.effects.push({ type: 'refuse-watch', id, status: refusal.status, body: { error: refusal.body } })
    return
  }
  step.effects.push({ type: 'greet', id, gameServer: object })
}

/** Takes the first failure that affects an operation. */
function meetFailure(step: Step, operation: OperationName): FailureFault | undefined {
  const { faults } = step.state
  const failure = faults.failures.find((fault) => applies(fault, operation))
  if (failure === undefined) return undefined
  if (failure.remaining !== undefined) {
    const used = { ...failure, remaining: failure.remaining - 1 }
    const failures = faults.failures.map((fault) => (fault === failure ? used : fault))
    update(step, { faults: { ...faults, failures: failures.filter(({ remaining }) => remaining !== 0) } })
  }
  return failure
}
