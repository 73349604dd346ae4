import { maxReserveSeconds, metadataKey } from '../../../protocol/names.js'
import { recordedName } from '../state/config.js'
import { done, fail, failUnknown, ok, type Answer } from '../state/answer.js'
import { withKey, withState, withText } from '../state/game-server.js'
import { lessThan, reserveMilliseconds } from '../state/int64.js'
import { quote } from '../state/show.js'
import type { Call, CallOf } from '../state/events.js'
import { BEFORE_READY } from '../../../protocol/game-server.js'
import { prefixOf, record, recordValue, updateFaults, updateProcess, warn, writeObject } from '../state/step.js'
import type { Step } from '../state/step.js'
import { getCounter, updateCounter } from './counters.js'
import { addListValue, getList, removeListValue, updateList } from './lists.js'
import { keyRefusal, valueRefusal } from './metadata-rules.js'
import { enqueue, refuseIfGone, requestState } from './write-queue.js'

/**
 * Answers a call. In a pod the sidecar reads the object as the API server holds it; it queues writes and answers at
 * once. Local mode does everything at once, with few checks, on its only copy.
 */
export function performCall(step: Step, call: Call): Answer {
  const { operation } = call
  if (/Counter|List/.test(operation) && step.state.config.featureGates.CountsAndLists !== true) {
    return failUnknown('CountsAndLists not enabled')
  }
  // The other operations are recorded where they take effect.
  const isRecorded = operation !== 'health' && operation !== 'updateCounter' && !operation.startsWith('set')
  if (isRecorded) record(step, recordedName(operation))
  return (performers[operation] as Performer<typeof operation>)(step, call)
}

type Performer<Name extends Call['operation']> = (step: Step, call: CallOf<Name>) => Answer

const performers: { readonly [Name in Call['operation']]: Performer<Name> } = {
  ready: (step) => requestState(step, 'Ready'),
  allocate: (step) => requestState(step, 'Allocated'),
  shutdown: (step) => requestState(step, 'Shutdown'),
  reserve,
  health: beat,
  setLabel: setMetadata,
  setAnnotation: setMetadata,
  getGameServer: ({ state }) => refuseIfGone(state) ?? ok(state.object),
  getCounter,
  updateCounter,
  getList,
  updateList,
  addListValue,
  removeListValue,
}

function reserve(step: Step, { seconds }: CallOf<'reserve'>): Answer {
  const { config, object } = step.state
  const reserveFor = lessThan('0', seconds) ? reserveMilliseconds(seconds) : undefined
  if (config.mode === 'local') {
    // A reservation without an end doesn't stop the timer of an earlier one.
    if (reserveFor !== undefined) updateProcess(step, { reserveEnds: step.now + reserveFor })
    writeObject(step, withState(object, 'Reserved'))
    return done
  }
  if (lessThan(String(maxReserveSeconds), seconds)) {
    warn(
      step,
      'reserve-overflow',
      `A reservation of ${seconds} s overflows: the real sidecar can count to ${maxReserveSeconds} s and ` +
        'ends this one almost at once. Use 0 for a reservation without an end.',
    )
  }
  return requestState(step, 'Reserved', reserveFor)
}

/** Counts a beat. Local mode only logs it. */
function beat(step: Step, { beats }: CallOf<'health'>): Answer {
  const { faults, process, config } = step.state
  const isLocal = config.mode === 'local'
  if (beats > 0 || isLocal) record(step, 'health')
  if (beats === 0 || isLocal) return done
  if (faults.beatsToIgnore > 0) ignoreBeat(step, faults.beatsToIgnore - 1)
  else {
    const { now } = step
    const { lastBeat, beatsSince = now } = process.health
    warnOfMissingReady(step, lastBeat - beatsSince, now - beatsSince)
    const health = { ...process.health, lastBeat: now, failures: 0, beats: process.health.beats + beats, beatsSince }
    updateProcess(step, { health })
  }
  return done
}

/** After this time of beats without `ready()` a person wonders why no player comes. */
const NOT_READY_MS = 10_000

/** Warns once, at the first beat beyond NOT_READY_MS: a game that loads for longer is right to wait. */
function warnOfMissingReady(step: Step, before: number, after: number): void {
  if (before >= NOT_READY_MS || after < NOT_READY_MS || !BEFORE_READY.includes(step.state.object.status.state)) return
  const seconds = Math.floor(after / 1000)
  const fix = 'Call ready() when the game can take players.'
  warn(
    step,
    'never-ready',
    `The game has sent beats for ${seconds} s and not called ready(), so no player is sent to it. ${fix}`,
  )
}

/** Answers a beat without counting it; `left` more are still to be ignored. */
function ignoreBeat(step: Step, left: number): void {
  const more = left === Infinity ? '' : `, ${left} more to ignore`
  step.effects.push({ type: 'fault', rule: `ignoreBeats answered it with 200 and didn't count it${more}` })
  updateFaults(step, { beatsToIgnore: left })
}

/** Sets a label or annotation. In a pod it must pass the real sidecar's checks, which miss some keys. */
function setMetadata(step: Step, call: CallOf<'setLabel' | 'setAnnotation'>): Answer {
  const { operation, key, value } = call
  const { config, object, process } = step.state
  const { creation_timestamp: created, uid } = object.object_meta
  const isLabel = operation === 'setLabel'
  const field = isLabel ? 'labels' : 'annotations'
  if (config.mode === 'local') {
    writeObject(step, withText(object, field, prefixOf(step.state) + key, value))
  } else {
    const kind = isLabel ? 'label' : 'annotation'
    const refusal = keyRefusal(kind, key) ?? (isLabel ? valueRefusal(key, value) : undefined)
    if (refusal !== undefined) return fail(3, refusal)
    if (!metadataKey.test(key)) {
      warn(
        step,
        `poison-${kind}`,
        `The ${kind} key ${quote(key)} is accepted, ` +
          `but Kubernetes refuses it with ${prefixOf(step.state)} in front: ` +
          `in production no ${kind} at all is written from now on until the sidecar restarts. ` +
          'Use at most 59 characters and no slash.',
      )
    }
    updateProcess(step, { [field]: withKey(process[field], key, value) })
    enqueue(step, field)
  }
  recordValue(step, operation.toLowerCase(), value, isLabel ? created : uid)
  return done
}
