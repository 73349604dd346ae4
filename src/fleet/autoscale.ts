import { own } from '../sidecar/model/state/game-server-edits.js'
import { show } from '../sidecar/model/state/show.js'
import { putAutoscaler, putFleet, tell, update } from './fleet-step.js'
import type { FleetStep } from './fleet-step.js'
import type { AutoscalerPolicy, CapacityPolicy, FleetState, ServerRecord } from './fleet-state.js'
import { countNodes, deletionOrder, sortBy } from './ordering.js'
import { wholeSeconds } from '../sidecar/allocation/allocation-answer.js'
import { amountOf } from './rollout.js'
import { isMarked } from './statuses.js'

/** The replicas that a policy asks for; `limited` if its bounds, not its buffer, decided. */
interface Desired {
  readonly replicas: number
  readonly limited: boolean
}

/**
 * Scales the Fleet by its autoscaler, if that is due.
 * Source: syncFleetAutoscaler of pkg/fleetautoscalers/controller.go.
 */
export function autoscale(step: FleetStep): void {
  const { autoscaler, autoscalesAt, fleet, config } = step.state
  if (autoscaler === undefined || step.now < autoscalesAt) return
  const { policy, sync } = autoscaler.spec
  update(step, { autoscalesAt: step.now + sync.fixedInterval.seconds * 1000 })
  const wanted = desiredReplicas(policy, step.state)
  if (typeof wanted === 'string') {
    const failed = { currentReplicas: 0, desiredReplicas: 0, ableToScale: false, scalingLimited: false }
    if (autoscaler.status.ableToScale) tell(step, { type: 'warning', text: wanted })
    putAutoscaler(step, { ...autoscaler, status: { ...autoscaler.status, ...failed, lastAppliedPolicy: '' } })
    return
  }
  const replicas = Math.min(wanted.replicas, config.max)
  const limited = wanted.limited || replicas < wanted.replicas
  const before = fleet.spec.replicas
  if (replicas !== before) {
    putFleet(step, { ...fleet, spec: { ...fleet.spec, replicas } })
    const why = replicas < wanted.replicas ? `; ${wanted.replicas} would be more than the limit of ${config.max}` : ''
    const text = `The ${policy.type} autoscaler scales the Fleet from ${before} to ${replicas}${why}.`
    tell(step, { type: 'autoscaled', text })
  }
  putAutoscaler(step, {
    ...autoscaler,
    status: {
      currentReplicas: fleet.status.replicas,
      desiredReplicas: replicas,
      lastScaleTime: replicas === before ? autoscaler.status.lastScaleTime : wholeSeconds(step.now),
      ableToScale: true,
      scalingLimited: limited,
      lastAppliedPolicy: policy.type,
    },
  })
}

/** Source: computeDesiredFleetSize of pkg/fleetautoscalers/fleetautoscalers.go. A text says why there is no answer. */
function desiredReplicas(policy: AutoscalerPolicy, state: FleetState): Desired | string {
  if (policy.type === 'Counter') return byCapacity(policy.counter, 'counters', state)
  if (policy.type === 'List') return byCapacity(policy.list, 'lists', state)
  const { bufferSize, minReplicas, maxReplicas } = policy.buffer
  const { allocatedReplicas } = state.fleet.status
  // That many percent of the future size are to be Ready, so the Allocated ones are the rest.
  const replicas =
    typeof bufferSize === 'number'
      ? allocatedReplicas + bufferSize
      : Math.ceil((allocatedReplicas * 100) / (100 - amountOf(bufferSize, 100, Math.ceil)))
  const bounded = Math.min(Math.max(replicas, minReplicas ?? 0), maxReplicas)
  return { replicas: bounded, limited: bounded !== replicas }
}

/** What a Counter or List policy reckons with. */
interface Capacities {
  readonly replicas: number
  /** Of all GameServers. */
  readonly count: number
  readonly capacity: number
  /** Of one GameServer of the template. */
  readonly each: { readonly count: number; readonly capacity: number }
  readonly min: number
  readonly max: number
  /** [count, capacity] of the GameServers that scaling down deletes, in order. */
  readonly deletable: readonly (readonly [number, number] | undefined)[]
}

/** Source: applyCounterOrListPolicy of pkg/fleetautoscalers/fleetautoscalers.go. */
function byCapacity(policy: CapacityPolicy, kind: 'counters' | 'lists', state: FleetState): Desired | string {
  const { key, bufferSize } = policy
  const template = state.fleet.spec.template.spec ?? {}
  const ofTemplate = kind === 'counters' ? own(template.counters, key) : own(template.lists, key)
  const sums = own(state.fleet.status[kind], key)
  if (ofTemplate === undefined || sums === undefined) {
    return `The autoscaler can't scale: the Fleet's template has no ${kind === 'counters' ? 'counter' : 'list'} ${show(key)}.`
  }
  const count = 'values' in ofTemplate ? (ofTemplate.values?.length ?? 0) : 'count' in ofTemplate ? ofTemplate.count : 0
  const each = { count: Number(count ?? 0), capacity: Number(ofTemplate.capacity ?? 0) }
  const min = policy.minCapacity ?? 0
  let buffer = Number(bufferSize)
  if (typeof bufferSize === 'string') {
    if (sums.allocatedCount <= 0 && each.capacity >= min) return { replicas: 1, limited: true }
    const percent = amountOf(bufferSize, 100, Math.ceil)
    buffer = Math.ceil((sums.allocatedCount * 100) / (100 - percent)) - sums.allocatedCount
  }
  const all: Capacities = {
    replicas: state.fleet.status.replicas,
    count: sums.count,
    capacity: sums.capacity,
    each,
    min,
    max: policy.maxCapacity,
    deletable: deletables(state).map((one) => countedIn(one, kind, key)),
  }
  const available = all.capacity - all.count
  const isTooSmall = all.capacity < min
  const isTooLarge = all.capacity > all.max
  if (isTooSmall) return growToMinimum(all)
  if (isTooLarge && available <= buffer) return shrinkToMaximum(all)
  if (available === buffer) return { replicas: all.replicas, limited: false }
  return available < buffer ? grow(all, buffer - available) : shrink(all, buffer)
}

function growToMinimum({ replicas, capacity, each, min }: Capacities): Desired | string {
  if (each.capacity === 0) return "The autoscaler can't scale up: the capacity of a new GameServer is 0."
  return { replicas: replicas + Math.ceil((min - capacity) / each.capacity), limited: true }
}

/** Source: scaleDownLimited. */
function shrinkToMaximum({ replicas, capacity, max, deletable }: Capacities): Desired {
  let left = capacity
  let next = replicas
  for (const counted of deletable) {
    if (left <= max) break
    left -= counted?.[1] ?? 0
    next--
  }
  return { replicas: Math.max(1, next), limited: true }
}

/** Source: scaleUp. */
function grow({ replicas, capacity, each, min, max }: Capacities, missing: number): Desired | string {
  const gain = each.capacity - each.count
  if (gain <= 0) return "The autoscaler can't scale up: a new GameServer would have nothing available."
  const more = Math.ceil(missing / gain)
  const next = capacity + more * each.capacity
  if (next >= min && next <= max) return { replicas: replicas + more, limited: false }
  return { replicas: replicas + Math.trunc((max - capacity) / each.capacity), limited: true }
}

/** Source: scaleDown. */
function shrink({ replicas, count, capacity, min, deletable }: Capacities, buffer: number): Desired {
  if (capacity === min) return { replicas, limited: true }
  let next = replicas
  let available = capacity - count
  let left = capacity
  for (const counted of deletable) {
    next--
    if (counted === undefined) continue
    available -= counted[1] - counted[0]
    left -= counted[1]
    if (available < buffer) return { replicas: next + 1, limited: false }
    if (left < min) return { replicas: next + 1, limited: true }
    if (available === buffer) return { replicas: next, limited: false }
    if (left === min) return { replicas: next, limited: true }
  }
  return { replicas: Math.max(1, next), limited: false }
}

/** Source: getSortedDeletableGameServers, which keeps those that are being deleted already. */
function deletables({ fleet, servers }: FleetState): readonly ServerRecord[] {
  const counts = countNodes(servers.map(({ gameServer }) => gameServer))
  const order = deletionOrder(fleet.spec.scheduling, fleet.spec.priorities ?? [], counts)
  return sortBy(
    order,
    servers.filter(
      ({ gameServer }) => !['Allocated', 'Reserved'].includes(gameServer.status.state) || isMarked(gameServer),
    ),
  )
}

function countedIn({ gameServer }: ServerRecord, kind: 'counters' | 'lists', key: string) {
  const { counters, lists } = gameServer.status
  const list = own(lists, key)
  const counter = own(counters, key)
  if (kind === 'counters') return counter && ([Number(counter.count), Number(counter.capacity)] as const)
  return list && ([list.values?.length ?? 0, Number(list.capacity)] as const)
}
