import { isMarked, own } from '../sidecar/state/game-server.js'
import { show } from '../sidecar/state/show.js'
import { type FleetStep, putAutoscaler, putFleet, addEntry } from './fleet-step.js'
import type { AutoscalerPolicy, CapacityPolicy, FleetState, WebhookAnswer, WebhookPolicy } from './types.js'
import { sortForDeletion } from './ordering.js'
import type { ManifestCounters, ManifestLists } from '../sidecar/state/config.js'
import { wholeSeconds } from '../allocation/allocate.js'
import { update } from '../sidecar/state/step.js'
import { amountOf } from './reconcile.js'
import { isActive } from './schedule.js'
import { amountsOf, type Counted, isKept } from './platform-json.js'
import { isObject } from '../../protocol/is-object.js'
import { uidOf } from '../sidecar/state/initial-game-server.js'

/** The replicas that a policy asks for; `limited` if its bounds, not its buffer, decided. */
interface Desired {
  readonly replicas: number
  readonly limited: boolean
  /** The entry of a chain that decided. */
  readonly applied?: string
}

/** A text says why there is no answer, a webhook that it must be asked first. */
type Outcome = Desired | string | { readonly ask: WebhookPolicy }

/**
 * Scales the Fleet by its autoscaler, if that is due.
 * Source: syncFleetAutoscaler of pkg/fleetautoscalers/controller.go.
 */
export function autoscale(step: FleetStep): void {
  const { autoscaler, autoscalesAt, fleet, config } = step.state
  if (autoscaler === undefined || step.now < autoscalesAt) return
  const { spec, status } = autoscaler
  const { policy, sync } = spec
  const outcome = desiredReplicas(policy, step.state, step.now)
  if (typeof outcome === 'object' && 'ask' in outcome) {
    update(step, { autoscalesAt: Infinity, asked: outcome.ask })
    return void step.effects.push({ type: 'review', webhook: outcome.ask, review: reviewOf(step.state) })
  }
  update(step, { autoscalesAt: step.now + sync.fixedInterval.seconds * 1000, answers: new Map() })
  // The API server refuses a Fleet with fewer than 0.
  const isRefused = typeof outcome === 'object' && outcome.replicas < 0
  const wanted = isRefused ? `The autoscaler can't scale the Fleet to ${outcome.replicas}.` : outcome
  if (typeof wanted === 'string') {
    const failed = { currentReplicas: 0, desiredReplicas: 0, ableToScale: false, scalingLimited: false }
    if (status.ableToScale) addEntry(step, { type: 'warning', text: wanted })
    return putAutoscaler(step, { ...autoscaler, status: { ...status, ...failed, lastAppliedPolicy: '' } })
  }
  const replicas = Math.min(wanted.replicas, config.max)
  const isLess = replicas < wanted.replicas
  const before = fleet.spec.replicas
  if (replicas !== before) {
    putFleet(step, { ...fleet, spec: { ...fleet.spec, replicas } })
    const why = isLess ? `; ${wanted.replicas} would be more than the limit of ${config.max}` : ''
    const text = `The ${policy.type} autoscaler scales the Fleet from ${before} to ${replicas}${why}.`
    addEntry(step, { type: 'autoscaled', text })
  }
  putAutoscaler(step, {
    ...autoscaler,
    status: {
      currentReplicas: fleet.status.replicas,
      desiredReplicas: replicas,
      lastScaleTime: replicas === before ? status.lastScaleTime : wholeSeconds(step.now),
      ableToScale: true,
      scalingLimited: wanted.limited || isLess,
      lastAppliedPolicy: wanted.applied ?? policy.type,
    },
  })
}

/** Source: computeDesiredFleetSize of pkg/fleetautoscalers/fleetautoscalers.go. */
export function desiredReplicas(policy: AutoscalerPolicy, state: FleetState, now: number): Outcome {
  if (policy.type === 'Webhook') {
    const answer = state.answers.get(policy.webhook)
    if (answer === undefined) return { ask: policy.webhook }
    const replicas = replicasOf(answer, state)
    return typeof replicas === 'string' ? replicas : { replicas, limited: false }
  }
  if (policy.type === 'Schedule') {
    if (!isActive(policy.schedule, now)) return 'The schedule of the autoscaler is not active now.'
    return desiredReplicas(policy.schedule.policy, state, now)
  }
  if (policy.type === 'Chain') {
    let failure = 'The chain of the autoscaler is empty.'
    for (const entry of policy.chain) {
      const outcome = desiredReplicas(entry, state, now)
      if (typeof outcome === 'object' && 'ask' in outcome) return outcome
      if (typeof outcome === 'object') return { ...outcome, applied: `Chain:${entry.id}:${entry.type}` }
      failure = outcome
    }
    return failure
  }
  if (policy.type === 'Counter') return byCapacity(policy.counter, 'counters', state)
  if (policy.type === 'List') return byCapacity(policy.list, 'lists', state)
  const { bufferSize, minReplicas, maxReplicas } = policy.buffer
  const { allocatedReplicas } = state.fleet.status
  const replicas = withBuffer(allocatedReplicas, bufferSize)
  const bounded = Math.min(Math.max(replicas, minReplicas ?? 0), maxReplicas)
  return { replicas: bounded, limited: bounded !== replicas }
}

/** What is in use and the buffer; a percentage is the share of both that the buffer has. */
const withBuffer = (used: number, buffer: number | string): number =>
  typeof buffer === 'number' ? used + buffer : Math.ceil((used * 100) / (100 - amountOf(buffer, 100, Math.ceil)))

type TemplateAmount = ManifestCounters[string] & ManifestLists[string]

/** Source: applyCounterOrListPolicy of pkg/fleetautoscalers/fleetautoscalers.go. */
function byCapacity(policy: CapacityPolicy, kind: Counted, state: FleetState): Desired | string {
  const { key, bufferSize, maxCapacity: max } = policy
  const min = policy.minCapacity ?? 0
  const { spec, status } = state.fleet
  const sums = own(status[kind], key)
  const ofTemplate = own<TemplateAmount>(spec.template.spec?.[kind], key)
  if (ofTemplate === undefined || sums === undefined) {
    return `The autoscaler can't scale: the Fleet's template has no ${kind.slice(0, -1)} ${show(key)}.`
  }
  const { replicas } = status
  const { capacity, allocatedCount } = sums
  const available = capacity - sums.count
  const added = Number(ofTemplate.capacity ?? 0)
  if (typeof bufferSize === 'string' && allocatedCount <= 0 && added >= min) return { replicas: 1, limited: true }
  const buffer = withBuffer(allocatedCount, bufferSize) - allocatedCount
  if (capacity < min) {
    if (added === 0) return "The autoscaler can't scale up: the capacity of a new GameServer is 0."
    return { replicas: replicas + Math.ceil((min - capacity) / added), limited: true }
  }
  if (capacity > max && available <= buffer) {
    let [left, next] = [capacity, replicas]
    for (const [, less] of deletable(state, kind, key)) {
      if (left <= max) break
      left -= less
      next--
    }
    return { replicas: Math.max(1, next), limited: true }
  }
  if (available === buffer) return { replicas, limited: false }
  if (available > buffer) return shrink(state, kind, policy, buffer)
  const gain = added - (ofTemplate.values?.length ?? Number(ofTemplate.count ?? 0))
  if (gain <= 0) return "The autoscaler can't scale up: a new GameServer would have nothing available."
  const more = Math.ceil((buffer - available) / gain)
  if (capacity + more * added <= max) return { replicas: replicas + more, limited: false }
  return { replicas: replicas + Math.trunc((max - capacity) / added), limited: true }
}

/** Source: scaleDown. */
function shrink(state: FleetState, kind: Counted, { key, minCapacity }: CapacityPolicy, buffer: number): Desired {
  const { replicas, [kind]: sums } = state.fleet.status
  const min = minCapacity ?? 0
  let { count, capacity } = own(sums, key)!
  if (capacity === min) return { replicas, limited: true }
  let next = replicas
  for (const [used, size, isCounted] of deletable(state, kind, key)) {
    next--
    if (!isCounted) continue
    count -= used
    capacity -= size
    const available = capacity - count
    if (available < buffer) return { replicas: next + 1, limited: false }
    if (capacity < min) return { replicas: next + 1, limited: true }
    if (available === buffer) return { replicas: next, limited: false }
    if (capacity === min) return { replicas: next, limited: true }
  }
  return { replicas: Math.max(1, next), limited: false }
}

/**
 * What the GameServers have that scaling down deletes, in order.
 * Source: getSortedDeletableGameServers, which keeps those that are being deleted already.
 */
function deletable({ fleet, servers }: FleetState, kind: Counted, key: string) {
  const all = servers.filter((one) => !isKept(one) || isMarked(one.gameServer))
  return sortForDeletion(fleet.spec, servers, all).map(({ gameServer }) => {
    const [, count = 0, capacity = 0] = amountsOf(gameServer, kind).find(([name]) => name === key) ?? []
    return [count, capacity, own<unknown>(gameServer.status[kind], key) !== undefined] as const
  })
}

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
