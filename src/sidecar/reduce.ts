import type { OperationName } from '../protocol/operations.js'
import { performControl, restart } from './control/perform-control.js'
import type { Call, SidecarEvent } from './model/state/sidecar-event.js'
import { localCall } from './model/calls/local-calls.js'
import { nextDeed, passTime } from './model/time/due-work.js'
import { productionCall } from './model/calls/production-calls.js'
import { readable } from './model/calls/write-queue.js'
import type { Effect, FailureFault, SidecarState } from './model/state/sidecar-state.js'
import { errorBody, failUnknown, record, update, warn } from './model/state/step.js'
import type { Answer, Step } from './model/state/step.js'

export { createState } from './model/state/sidecar-state.js'

const counted: ReadonlySet<OperationName> = new Set([
  'getCounter',
  'updateCounter',
  'getList',
  'updateList',
  'addListValue',
  'removeListValue',
] as const)

/**
 * The whole sidecar: what it is and does after an event at the time `now`. First everything that was due by
 * then
 * happens, in order; then the event. Pure: no clock, no timer, no chance, and `state` isn't changed.
 */
export function reduce(
  state: SidecarState,
  event: SidecarEvent,
  now: number,
): { readonly state: SidecarState; readonly effects: readonly Effect[] } {
  const step: Step = { state, effects: [] }
  passTime(step, now)
  switch (event.type) {
    case 'call':
      answerCall(step, event.call, now)
      break
    case 'refused':
      if (event.path === '/health' && event.status === 400 && event.message === '') {
        warn(step, 'beat-without-body', 'A health call without a body is refused and is no beat. Send {} as the body.')
      }
      break
    case 'control': {
      const problem = performControl(step, event.command, now)
      step.effects.push({ type: 'control-result', ok: problem === undefined, message: problem ?? '' })
      passTime(step, now)
      break
    }
    case 'watch-opened':
      openWatch(step, event.id)
      break
    case 'watch-closed':
      update(step, { watchers: step.state.watchers.filter((id) => id !== event.id) })
      break
    case 'crashed':
      restart(step, false, now)
      step.effects.push({ type: 'disconnect', reason: 'crash' })
      break
    case 'tick':
      break
  }
  const next = nextDeed(step.state)
  if (next) step.effects.push({ type: 'wake', at: next.at })
  return step
}

function answerCall(step: Step, call: Call, now: number): void {
  const failure = step.state.faults.failures.find((fault) => applies(fault, call.operation))
  const answer = failure && !failure.apply ? undefined : carryOut(step, call, now)
  if (failure) {
    useUp(step, failure)
    const body = errorBody(codeOf(failure.status), failure.message)
    step.effects.push({ type: 'reply', status: failure.status, body, drop: failure.drop })
  } else if (answer) {
    step.effects.push({ type: 'reply', ...answer, drop: false })
  }
}

function carryOut(step: Step, call: Call, now: number): Answer {
  const { config } = step.state
  if (counted.has(call.operation) && config.featureGates.CountsAndLists !== true) {
    return failUnknown('CountsAndLists not enabled')
  }
  return config.mode === 'local' ? localCall(step, call, now) : productionCall(step, call, now)
}

function openWatch(step: Step, id: number): void {
  record(step, 'watch')
  const failure = step.state.faults.failures.find((fault) => applies(fault, 'watchGameServer'))
  const refusal = failure
    ? { status: failure.status, body: errorBody(codeOf(failure.status), failure.message) }
    : step.state.config.mode === 'production'
      ? readable(step)
      : undefined
  if (failure) useUp(step, failure)
  if (failure?.drop) {
    step.effects.push({ type: 'refuse-watch', id, status: 0, body: undefined })
  } else if (refusal) {
    step.effects.push({ type: 'refuse-watch', id, status: refusal.status, body: { error: refusal.body } })
  } else {
    update(step, { watchers: [...step.state.watchers, id] })
    step.effects.push({ type: 'greet', id, gameServer: step.state.object })
  }
}

/** Whether a fault is meant for an operation; one without a list is meant for all. */
export function applies(
  fault: { readonly operations: readonly OperationName[] | undefined },
  operation: OperationName,
): boolean {
  return !fault.operations || fault.operations.length === 0 || fault.operations.includes(operation)
}

function useUp(step: Step, failure: FailureFault): void {
  const { faults } = step.state
  const failures = faults.failures.flatMap((fault) => {
    if (fault !== failure || fault.remaining === undefined) return [fault]
    return fault.remaining > 1 ? [{ ...fault, remaining: fault.remaining - 1 }] : []
  })
  update(step, { faults: { ...faults, failures } })
}

/** The gRPC code that usually comes with an HTTP status. */
function codeOf(status: number): number {
  const codes: Readonly<Record<number, number>> = {
    400: 3,
    401: 16,
    403: 7,
    404: 5,
    409: 10,
    429: 8,
    501: 12,
    503: 14,
    504: 4,
  }
  return codes[status] ?? 2
}
