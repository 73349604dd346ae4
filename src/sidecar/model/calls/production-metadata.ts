import { metadataKey } from '../../../protocol/names.js'
import { done, fail } from '../state/answer.js'
import type { Answer } from '../state/answer.js'
import { sizeProblem } from '../state/object-limits.js'
import { withKey } from '../state/records.js'
import { quote } from '../state/show.js'
import type { CallOf } from '../state/sidecar-event.js'
import { prefixOf, recordValue, updateProcess, warn, warnOfSize } from '../state/step.js'
import type { Step } from '../state/step.js'
import { keyRefusal, valueRefusal } from './metadata-rules.js'
import { enqueue } from './write-queue.js'

/** Queues a label or annotation that passes the real sidecar's checks, which miss some keys. */
export function setMetadata(step: Step, call: CallOf<'setLabel' | 'setAnnotation'>, now: number): Answer {
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
  const problem = sizeProblem({ [field]: remembered })
  if (problem !== undefined) {
    warnOfSize(step, problem)
    return done
  }
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
