import { maxReserveSeconds, metadataKey } from '../../../protocol/names.js'
import { done, fail, failUnknown, ok } from '../state/answer.js'
import type { Answer } from '../state/answer.js'
import { lessThan, reserveMilliseconds } from '../state/int64.js'
import { withKey } from '../state/records.js'
import { quote } from '../state/show.js'
import type { Call, CallOf } from '../state/sidecar-event.js'
import { prefixOf, record, recordValue, updateFaults, updateProcess, warn } from '../state/step.js'
import type { Step } from '../state/step.js'
import { keyRefusal, valueRefusal } from './metadata-rules.js'
import { counterView, updateCounter } from './production-counters.js'
import { addListValue, listView, removeListValue, updateList } from './production-lists.js'
import { enqueue, refuseIfGone, requestState } from './write-queue.js'

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

/** Queues a label or annotation that passes the real sidecar's checks, which miss some keys. */
function setMetadata(step: Step, call: CallOf<'setLabel' | 'setAnnotation'>, now: number): Answer {
  const { key, value } = call
  const { process, object } = step.state
  const kind = call.operation === 'setLabel' ? 'label' : 'annotation'
  const refusal = keyRefusal(kind, key) ?? (kind === 'label' ? valueRefusal(key, value) : undefined)
  if (refusal !== undefined) return fail(3, refusal)
  if (!metadataKey.test(key)) {
    warn(
      step,
      kind === 'label' ? 'poison-label' : 'poison-annotation',
      `The ${kind} key ${quote(key)} is accepted, ` +
        `but Kubernetes refuses it with ${prefixOf(step.state)} in front: ` +
        `in production no ${kind} at all is written from now on until the sidecar restarts. ` +
        'Use at most 59 characters and no slash.',
    )
  }
  const field = kind === 'label' ? 'labels' : 'annotations'
  const remembered = withKey(process[field], key, value)
  if (kind === 'label') {
    recordValue(step, 'setlabel', value, object.object_meta.creation_timestamp)
    updateProcess(step, { labels: remembered })
  } else {
    recordValue(step, 'setannotation', value, object.object_meta.uid)
    updateProcess(step, { annotations: remembered })
  }
  enqueue(step, field, now)
  return done
}
