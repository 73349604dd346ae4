import { isEqual } from '../sidecar/state/game-server-edits.js'
import { newObject, putFleet, putSet, remove, tell, type FleetStep } from './fleet-step.js'
import type { FleetObject, SetObject } from './fleet-state.js'
import { ownedBy } from './platform-json.js'
import { statusOfFleet, statusOfSet } from './statuses.js'

/**
 * Divides the Fleet's replicas between the set of its template and the others, and writes the Fleet's status.
 * Source: syncFleet of pkg/fleets/controller.go.
 */
export function syncFleet(step: FleetStep): void {
  const { fleet, sets } = step.state
  const active = sets.find(({ spec }) => isEqual(spec.template, fleet.spec.template))
  const rest = sets.filter((set) => set !== active)
  const replicas = replicasOfActive(step, active, rest)
  for (const set of step.state.sets) {
    if (set === active || set.status.replicas > 0 || set.status.shutdownReplicas > 0) continue
    remove(step, 'gameserversets', set, { sets: step.state.sets.filter((one) => one !== set) })
    tell(step, { type: 'rollout', text: `${set.metadata.name} is gone, since all its GameServers are.` })
  }
  if (active === undefined) addSet(step, replicas)
  else {
    const { scheduling, priorities } = fleet.spec
    putSet(step, { ...active, spec: { ...active.spec, replicas, scheduling, ...(priorities ? { priorities } : {}) } })
  }
  putFleet(step, { ...step.state.fleet, status: statusOfFleet(step.state.sets, fleet.status.allocations) })
}

/** Source: Fleet.GameServerSet() of pkg/apis/agones/v1/fleet.go. */
function addSet(step: FleetStep, replicas: number): void {
  const { config, fleet, sets } = step.state
  const { strategy: _, ...spec } = fleet.spec
  const { name } = fleet.metadata
  const { metadata } = spec.template
  const given = {
    labels: { ...metadata?.labels, [`${config.platform}.dev/fleet`]: name },
    annotations: metadata?.annotations ?? {},
    ownerReferences: ownedBy(fleet),
  }
  const status = statusOfSet(spec.template, [])
  const set = newObject(step, 'gameserversets', name, { metadata: given, spec: { ...spec, replicas }, status })
  putSet(step, set)
  if (sets.length > 0) tell(step, { type: 'rollout', text: `${set.metadata.name} takes over from ${namesOf(sets)}.` })
}

const namesOf = (sets: readonly SetObject[]): string => sets.map(({ metadata }) => metadata.name).join(' and ')

type Count = (set: SetObject) => number
const sum = (sets: readonly SetObject[], count: Count): number => sets.reduce((total, set) => total + count(set), 0)
const allocated: Count = ({ status }) => status.allocatedReplicas
const ready: Count = ({ status }) => status.readyReplicas

/** Source: applyDeploymentStrategy of pkg/fleets/controller.go. */
function replicasOfActive(step: FleetStep, active: SetObject | undefined, rest: readonly SetObject[]): number {
  const { fleet } = step.state
  const { replicas, strategy } = fleet.spec
  if (rest.length === 0) return replicas
  if (sum(rest, ({ spec }) => spec.replicas) === 0) {
    return Math.max(0, replicas - sum(rest, ({ status }) => status.reservedReplicas + status.allocatedReplicas))
  }
  if (strategy.type === 'Recreate') {
    for (const set of rest) resize(step, set, 0)
    return Math.max(0, replicas - sum(rest, allocated))
  }
  const next = rollActive(fleet, active, rest)
  rollRest(step, active, rest)
  return next
}

/** Source: rollingUpdateActive of pkg/fleets/controller.go. */
function rollActive({ spec }: FleetObject, active: SetObject | undefined, rest: readonly SetObject[]): number {
  const present = active?.spec.replicas ?? 0
  const blocked = sum(rest, allocated)
  // The set has not yet reached its replicas.
  if (present !== (active?.status.replicas ?? 0)) return present
  if (spec.replicas === 0) return 0
  // The source may ask for fewer than 0, which the API server refuses.
  if (present >= spec.replicas - blocked) return Math.max(0, spec.replicas - blocked)
  const surge = amountOf(spec.strategy.rollingUpdate!.maxSurge, spec.replicas, Math.ceil)
  let next = Math.min(spec.replicas, present + surge)
  const total = sum(rest, ({ status }) => status.replicas) + next
  const most = surge + spec.replicas
  if (total > most) next = Math.max(0, next - (total - most))
  return next + blocked > spec.replicas ? Math.max(0, spec.replicas - blocked) : next
}

/** Source: rollingUpdateRestFixedOnReadyRollingUpdateFix of pkg/fleets/controller.go. */
function rollRest(step: FleetStep, active: SetObject | undefined, rest: readonly SetObject[]): void {
  const { spec, status } = step.state.fleet
  const given = amountOf(spec.strategy.rollingUpdate!.maxUnavailable, status.readyReplicas, Math.floor)
  const unavailable = Math.min(given || 1, spec.replicas)
  const readyNow = sum(active ? [...rest, active] : rest, ready)
  const minAvailable = Math.min(status.readyReplicas - unavailable, spec.replicas)
  const pending = active ? active.spec.replicas - sum([active], healthy) - active.status.shutdownReplicas : 0
  let cleanups = readyNow - minAvailable - pending
  if (cleanups <= 0) return
  const cleaned = rest.map((set) => {
    const failed = Math.max(0, Math.min(cleanups, set.spec.replicas - healthy(set)))
    cleanups -= failed
    return failed > 0 ? resize(step, set, set.spec.replicas - failed) : set
  })
  let removals = readyNow - minAvailable
  for (const set of cleaned) {
    if (removals <= 0) return
    if (set.spec.replicas <= 0) continue
    // The set has not yet reached its replicas.
    if (set.spec.replicas !== set.status.replicas) return
    if (set.status.shutdownReplicas > 0) continue
    const removed = Math.min(set.spec.replicas, removals)
    resize(step, set, set.status.replicas === allocated(set) ? 0 : set.spec.replicas - removed)
    removals -= removed
  }
}

const healthy: Count = ({ status }) => status.readyReplicas + status.allocatedReplicas + status.reservedReplicas

function resize(step: FleetStep, set: SetObject, replicas: number): SetObject {
  if (set.spec.replicas === replicas) return set
  const next = { ...set, spec: { ...set.spec, replicas } }
  putSet(step, next)
  const { name } = set.metadata
  tell(step, { type: 'rollout', text: `${name} shrinks from ${set.spec.replicas} to ${replicas} for the new set.` })
  return next
}

/** A number, or a percentage of a total. Source: GetValueFromIntOrPercent of k8s.io/apimachinery/pkg/util/intstr. */
export const amountOf = (value: number | string, total: number, round: (value: number) => number): number =>
  typeof value === 'number' ? value : round((Number.parseInt(value, 10) * total) / 100)
