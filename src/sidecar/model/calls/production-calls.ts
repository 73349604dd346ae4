import { metadataKey } from '../../../protocol/names.js'
import { counterView, updateCounter } from './production-counters.js'
import { askForState, enqueue, readable } from './write-queue.js'
import { addListValue, listView, removeListValue, updateList } from './production-lists.js'
import type { Call } from '../state/sidecar-event.js'
import { lessThan, longestReservation, reserveMilliseconds } from '../state/int64.js'
import { keyRefusal, valueRefusal } from './metadata-rules.js'
import { withKey } from '../state/records.js'
import { done, fail, failUnknown, ok, prefixOf, record, recordValue, updateProcess, warn } from '../state/step.js'
import type { Answer, Step } from '../state/step.js'

/**
 * A call as the real sidecar handles it in a pod: what it reads is the object as the API server has it,
 * what it
 * writes is queued and answered at once.
 */
export function productionCall(step: Step, call: Call, now: number): Answer {
  switch (call.operation) {
    case 'ready':
      record(step, 'ready')
      return askForState(step, 'RequestReady', undefined, now)
    case 'allocate':
      record(step, 'allocate')
      return askForState(step, 'Allocated', undefined, now)
    case 'shutdown':
      record(step, 'shutdown')
      return askForState(step, 'Shutdown', undefined, now)
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
      return readable(step) ?? ok(step.state.object)
    case 'getCounter': {
      record(step, 'getcounter')
      const counter = counterView(step.state, call.key)
      return (
        readable(step) ?? (counter ? ok({ name: call.key, ...counter }) : failUnknown(`counter not found: ${call.key}`))
      )
    }
    case 'updateCounter':
      return updateCounter(step, call, now)
    case 'getList': {
      record(step, 'getlist')
      const list = listView(step.state, call.key)
      return readable(step) ?? (list ? ok({ name: call.key, ...list }) : failUnknown(`list not found: ${call.key}`))
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
  if (lessThan(longestReservation, seconds)) {
    warn(
      step,
      'reserve-overflow',
      `A reservation of ${seconds} s overflows: the real sidecar can count to ${longestReservation} s and ` +
        'ends this one almost at once. Use 0 for a reservation without an end.',
    )
  }
  return askForState(step, 'Reserved', limited ? reserveMilliseconds(seconds) : undefined, now)
}

function beat(step: Step, beats: number, now: number): Answer {
  if (beats > 0) {
    record(step, 'health')
    const { faults, process } = step.state
    if (!faults.ignoreBeats) {
      const health = { ...process.health, lastBeat: now, failures: 0, beats: process.health.beats + beats }
      updateProcess(step, { health })
    }
  }
  return done
}

function setMetadata(step: Step, call: Call & { operation: 'setLabel' | 'setAnnotation' }, now: number): Answer {
  const { key, value } = call
  const { process, object } = step.state
  const kind = call.operation === 'setLabel' ? 'label' : 'annotation'
  const refusal = keyRefusal(kind, key) ?? (kind === 'label' ? valueRefusal(key, value) : undefined)
  if (refusal !== undefined) return fail(3, refusal)
  if (!metadataKey.test(key)) {
    warn(
      step,
      kind === 'label' ? 'poison-label' : 'poison-annotation',
      `The ${kind} key ${JSON.stringify(key)} is accepted, ` +
        `but with ${prefixOf(step.state)} in front Kubernetes refuses it: ` +
        `in production no ${kind} at all is written from now on until the sidecar restarts. ` +
        'Use at most 59 characters and no slash.',
    )
  }
  if (kind === 'label') {
    recordValue(step, 'setlabel', value, object.object_meta.creation_timestamp)
    updateProcess(step, { labels: withKey(process.labels, key, value) })
    enqueue(step, 'labels', now)
  } else {
    recordValue(step, 'setannotation', value, object.object_meta.uid)
    updateProcess(step, { annotations: withKey(process.annotations, key, value) })
    enqueue(step, 'annotations', now)
  }
  return done
}
