import { maxReserveSeconds } from '../../../protocol/names.js'
import { done, failUnknown, ok } from '../state/answer.js'
import type { Answer } from '../state/answer.js'
import { lessThan, reserveMilliseconds } from '../state/int64.js'
import type { Call } from '../state/sidecar-event.js'
import { record, updateFaults, updateProcess, warn } from '../state/step.js'
import type { Step } from '../state/step.js'
import { counterView, updateCounter } from './production-counters.js'
import { addListValue, listView, removeListValue, updateList } from './production-lists.js'
import { setMetadata } from './production-metadata.js'
import { refuseIfGone, requestState } from './write-queue.js'

/**
 * Handles a call as the real sidecar does in a pod: it reads the object as the API server holds it, and it queues
 * writes and answers them at once.
 */
export function productionCall(step: Step, call: Call, now: number): Answer {
  switch (call.operation) {
    case 'ready':
      record(step, 'ready')
      return requestState(step, 'RequestReady', undefined, now)
    case 'allocate':
      record(step, 'allocate')
      return requestState(step, 'Allocated', undefined, now)
    case 'shutdown':
      record(step, 'shutdown')
      return requestState(step, 'Shutdown', undefined, now)
    case 'reserve':
      record(step, 'reserve')
      return reserve(step, call.seconds, now)
    case 'health':
      return beat(step, call.beats, now)
    case 'setLabel':
    case 'setAnnotation':
      return setMetadata(step, call, now)
    case 'getGameServer':
      record(step, 'gameserver')
      return refuseIfGone(step.state) ?? ok(step.state.object)
    case 'getCounter': {
      record(step, 'getcounter')
      const gone = refuseIfGone(step.state)
      if (gone) return gone
      const counter = counterView(step.state, call.key)
      return counter ? ok({ name: call.key, ...counter }) : failUnknown(`counter not found: ${call.key}`)
    }
    case 'updateCounter':
      return updateCounter(step, call, now)
    case 'getList': {
      record(step, 'getlist')
      const gone = refuseIfGone(step.state)
      if (gone) return gone
      const list = listView(step.state, call.key)
      return list ? ok({ name: call.key, ...list }) : failUnknown(`list not found: ${call.key}`)
    }
    case 'updateList':
      return updateList(step, call, now)
    case 'addListValue':
      return addListValue(step, call.key, call.value, now)
    case 'removeListValue':
      return removeListValue(step, call.key, call.value, now)
  }
}

function reserve(step: Step, seconds: string, now: number): Answer {
  const limited = lessThan('0', seconds)
  if (lessThan(String(maxReserveSeconds), seconds)) {
    warn(
      step,
      'reserve-overflow',
      `A reservation of ${seconds} s overflows: the real sidecar can count to ${maxReserveSeconds} s and ` +
        'ends this one almost at once. Use 0 for a reservation without an end.',
    )
  }
  return requestState(step, 'Reserved', limited ? reserveMilliseconds(seconds) : undefined, now)
}

function beat(step: Step, beats: number, now: number): Answer {
  if (beats > 0) {
    record(step, 'health')
    const { faults, process } = step.state
    if (faults.ignoreBeats) {
      ignoreBeat(step)
    } else {
      const health = { ...process.health, lastBeat: now, failures: 0, beats: process.health.beats + beats }
      updateProcess(step, { health })
    }
  }
  return done
}

/** Answers a beat without counting it, for as many calls as it was asked for. */
function ignoreBeat(step: Step): void {
  const left = step.state.faults.beatsToIgnore
  const rest = left === undefined ? undefined : left - 1
  step.effects.push({
    type: 'fault',
    rule: `ignoreBeats answered it with 200 and didn't count it${rest === undefined ? '' : `, ${rest} more to ignore`}`,
  })
  if (rest !== undefined) updateFaults(step, { ignoreBeats: rest > 0, beatsToIgnore: rest > 0 ? rest : undefined })
}
