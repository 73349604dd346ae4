import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { desiredReplicas } from '../../src/platform/fleet/autoscale.js'
import type {
  AutoscalerPolicy,
  FleetManifest,
  FleetState,
  FleetServer,
  SetObject,
} from '../../src/platform/fleet/types.js'
import type { FleetStep } from '../../src/platform/fleet/fleet-step.js'
import { initialState } from '../../src/platform/fleet/reduce.js'
import { syncFleet } from '../../src/platform/fleet/reconcile.js'
import { statusOfFleet, statusOfSet } from '../../src/platform/fleet/platform-json.js'
import type { Priority } from '../../src/platform/allocation/types.js'
import { recordOf } from './support/test-fleet.js'

/** What the platform's own controllers decided, see its field `about`. */
interface Recording {
  readonly autoscalers: readonly {
    readonly type: 'Buffer' | 'Counter' | 'List'
    readonly packed: boolean
    readonly priority?: 'Ascending' | 'Descending'
    /** Count and capacity of the template. */
    readonly each: readonly [number, number]
    readonly bufferSize: number | string
    readonly min: number
    readonly max: number
    /** The count is -1 without the counter or list. */
    readonly servers: readonly (readonly [state: string, count: number, capacity: number])[]
    /** Replicas, and whether a bound decided; or the text of an error. */
    readonly decision: readonly [number, boolean] | string
  }[]
  readonly rollouts: readonly {
    readonly replicas: number
    readonly recreate: boolean
    readonly surge: number | string
    readonly unavailable: number | string
    /** The Fleet's `status.readyReplicas`. */
    readonly ready: number
    readonly active: readonly number[] | null
    readonly rest: readonly (readonly number[])[]
    /** Null for a set that is deleted. */
    readonly decision: readonly (number | null)[]
  }[]
}

const file = new URL('fixtures/recorded-decisions.json', import.meta.url)
const { autoscalers, rollouts } = JSON.parse(readFileSync(file, 'utf8')) as Recording
const config = { platform: 'agones', namespace: 'default', max: 1000 }

const amount = (count: number, capacity: number) => ({
  counters: { k: { count, capacity } },
  lists: { k: { values: Array.from({ length: count }, (_, i) => String(i)), capacity } },
})

const serverOf = (
  [state, count, capacity]: Recording['autoscalers'][number]['servers'][number],
  i: number,
): FleetServer =>
  recordOf({
    metadata: { name: `s${i}`, creationTimestamp: new Date((1000 + i) * 1000).toISOString() },
    status: { state, address: `n${i % 2}`, ...(count < 0 ? {} : amount(count, capacity)) },
  })

function stateOf({ type, packed, priority, each, servers }: Recording['autoscalers'][number]): FleetState {
  const priorities: Priority[] =
    priority === undefined || type === 'Buffer' ? [] : [{ type, key: 'k', order: priority }]
  const fleet: FleetManifest = {
    spec: { scheduling: packed ? 'Packed' : 'Distributed', priorities, template: { spec: amount(...each) } },
  }
  const state = initialState(fleet, config, 0)
  const records = servers.map(serverOf)
  const status = statusOfSet({ spec: { ...amount(...each) } }, records)
  return { ...state, servers: records, fleet: { ...state.fleet, status: { ...status, allocations: 0 } } }
}

function policyOf({ type, bufferSize, min, max }: Recording['autoscalers'][number]): AutoscalerPolicy {
  if (type === 'Buffer') return { type, buffer: { bufferSize, minReplicas: min, maxReplicas: max } }
  const capacity = { key: 'k', bufferSize, minCapacity: min, maxCapacity: max }
  return type === 'Counter' ? { type, counter: capacity } : { type, list: capacity }
}

test('recorded autoscalers want the replicas that the platform computed', () => {
  for (const recorded of autoscalers) {
    const { decision } = recorded
    const wanted = desiredReplicas(policyOf(recorded), stateOf(recorded), 0)
    const expected = typeof decision === 'string' ? expect.any(String) : { replicas: decision[0], limited: decision[1] }
    expect(wanted, JSON.stringify(recorded)).toEqual(expected)
  }
})

/** What a Fleet divides between its sets. */
function decide({ replicas, recreate, surge, unavailable, ready, active, rest }: Recording['rollouts'][number]) {
  const strategy = recreate
    ? ({ type: 'Recreate' } as const)
    : { rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } }
  const state = initialState({ spec: { replicas, strategy, template: {} } }, config, 0)
  const { strategy: _, ...spec } = state.fleet.spec
  const setOf = (name: string, template: SetObject['spec']['template'], values: readonly number[]): SetObject => ({
    ...state.fleet,
    metadata: { ...state.fleet.metadata, name },
    spec: { ...spec, template, replicas: values[0]! },
    status: {
      ...{ replicas: values[1]!, readyReplicas: values[2]!, reservedReplicas: values[3]! },
      ...{ allocatedReplicas: values[4]!, shutdownReplicas: values[5]!, counters: {}, lists: {} },
    },
  })
  const others = rest.map((values, i) => setOf(`rest${i}`, { metadata: { labels: { old: String(i) } } }, values))
  const sets = active === null ? others : [...others, setOf('active', spec.template, active)]
  const status = { ...statusOfFleet([], 0), readyReplicas: ready }
  const step: FleetStep = { state: { ...state, sets, fleet: { ...state.fleet, status } }, effects: [], now: 0 }
  syncFleet(step)
  const next = new Map(step.state.sets.map((set) => [set.metadata.name, set.spec.replicas]))
  const ofActive = step.state.sets.find((set) => !others.some((one) => one.metadata.name === set.metadata.name))
  return [ofActive!.spec.replicas, ...others.map(({ metadata }) => next.get(metadata.name) ?? null)]
}

test('recorded rollouts get the replicas of each set that the platform chose', () => {
  for (const recorded of rollouts) {
    // The platform asks for fewer than 0 now and then, which its API server refuses.
    const [active, ...others] = recorded.decision
    expect(decide(recorded), JSON.stringify(recorded)).toEqual([Math.max(0, active!), ...others])
  }
})
