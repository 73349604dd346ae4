import { isObject } from '../../protocol/is-object.js'
import { show } from '../sidecar/state/show.js'
import { uidOf } from '../sidecar/state/generated-names.js'
import type { FleetState } from './fleet-state.js'
import type { WebhookAnswer } from './types.js'

const isEmpty = (value: object | undefined): boolean => Object.keys(value ?? {}).length === 0
const orNothing = <T extends object>(value: T | undefined): T | undefined => (isEmpty(value) ? undefined : value)

/** The FleetAutoscaleReview that a webhook is asked with, as JSON. */
export function reviewOf({ fleet, version, random }: FleetState): string {
  const { metadata, status } = fleet
  const { name, namespace, labels, annotations } = metadata
  const counted = { counters: orNothing(status.counters), lists: orNothing(status.lists) }
  const request = {
    ...{ uid: uidOf(`review ${version} ${random}`), name, namespace, status: { ...status, ...counted } },
    ...{ labels: orNothing(labels), annotations: orNothing(annotations) },
  }
  return JSON.stringify({ request, response: null })
}

/**
 * The replicas that an answer asks for; a text says why it can't be used.
 * Source: applyWebhookPolicy of pkg/fleetautoscalers/fleetautoscalers.go, and Go's reading of JSON.
 */
export function replicasOf(answer: WebhookAnswer, { fleet }: FleetState): number | string {
  if (typeof answer === 'string') return `The autoscaler's webhook ${answer}.`
  const { status, text } = answer
  if (status !== 200) return `The autoscaler's webhook answered with status ${status}.`
  const wrong = (what: string): string => `The autoscaler's webhook answered ${what}: ${show(text)}`
  let review: unknown
  try {
    review = JSON.parse(text)
  } catch {
    return wrong('no JSON')
  }
  const response = field(review, 'response')
  if (response == null) return wrong('without a response')
  const [scale, replicas, uid] = ['scale', 'replicas', 'uid'].map((name) => field(response, name) ?? undefined)
  const isReadable =
    isObject(field(review, 'request') ?? {}) &&
    isObject(response) &&
    ['undefined', 'boolean'].includes(typeof scale) &&
    ['undefined', 'string'].includes(typeof uid) &&
    (replicas === undefined || (typeof replicas === 'number' && (replicas | 0) === replicas))
  if (!isReadable) return wrong('no FleetAutoscaleReview')
  return scale === true ? (replicas ?? 0) : fleet.status.replicas
}

/** Go reads names of fields in any case. */
const field = (value: unknown, name: string): unknown =>
  isObject(value) ? Object.entries(value).find(([key]) => key.toLowerCase() === name)?.[1] : undefined
