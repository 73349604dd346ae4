import { AllocationError, type AllocationErrorCode } from './failures.js'
import { checkNames, ENDPOINT_OPTIONS, findWay, type PodEnvironment } from './find-way.js'
import { createTransport, type Transport } from './transport.js'
import type { AllocatorOptions, Endpoint, Way } from './types.js'

/** A cluster that allocates, and how it fared. */
export interface Cluster {
  readonly way: Way
  readonly transport: Transport
  readonly region: string | undefined
  readonly weight: number
  failures: number
  /** Other clusters come first until this time, in ms of `performance.now()`. */
  restsUntil: number
}

/** Outcomes that are this request's. Any other failure is the cluster's, which rests. */
const OF_THE_REQUEST: readonly AllocationErrorCode[] = ['UNALLOCATED', 'CONTENTION', 'INVALID_ARGUMENT', 'ABORTED']
/** The first and the longest rest; each failure in a row doubles it. */
const REST_MS = { first: 500, most: 30_000 }
/** A cluster that takes longer to be connected is passed over, if there are others. */
const CONNECT_MS = 1_500

/** @throws AllocationError CONFIG */
export function clustersOf(options: AllocatorOptions, environment: PodEnvironment): readonly Cluster[] {
  const { endpoints, timeout = 10_000, ...shared } = options
  if (endpoints?.length === 0) throw new AllocationError('CONFIG', 'endpoints is empty')
  if (endpoints && (shared.url || shared.service))
    throw new AllocationError('CONFIG', 'endpoints stands in place of url and service')
  return (endpoints ?? [{}]).map((endpoint: Endpoint): Cluster => {
    checkNames(endpoint, ENDPOINT_OPTIONS, 'CONFIG')
    const { region, weight = 0, ...own } = endpoint
    if (!(weight >= 0 && weight < Infinity))
      throw new AllocationError('CONFIG', `weight must be a number of at least 0; got ${String(weight)}`)
    if (endpoints && !own.url && !own.service)
      throw new AllocationError('CONFIG', 'Each of endpoints needs a url or a service')
    const way = findWay({ ...shared, ...own }, environment)
    const connectMs = endpoints && endpoints.length > 1 ? Math.min(CONNECT_MS, timeout) : timeout
    return { way, transport: createTransport(way, timeout, connectMs), region, weight, failures: 0, restsUntil: 0 }
  })
}

/**
 * The clusters for one request in the order in which they are asked: those of the region first; then by chance, as their
 * weights say; then as they are listed. Those that rest are left out, unless all do.
 */
export function inOrder(clusters: readonly Cluster[], region: string | undefined): readonly Cluster[] {
  const now = performance.now()
  const awake = clusters.filter(({ restsUntil }) => restsUntil <= now)
  const isNear = (one: Cluster): number => Number(region !== undefined && one.region === region)
  return (awake.length > 0 ? awake : clusters)
    .map((cluster) => ({ cluster, chance: cluster.weight && Math.random() ** (1 / cluster.weight) }))
    .sort((a, b) => isNear(b.cluster) - isNear(a.cluster) || b.chance - a.chance)
    .map(({ cluster }) => cluster)
}

/** Notes how a request to a cluster ended. */
export function note(cluster: Cluster, error?: AllocationError): void {
  if (error !== undefined && !OF_THE_REQUEST.includes(error.code)) {
    const rest = Math.min(REST_MS.first * 2 ** cluster.failures++, REST_MS.most)
    cluster.restsUntil = performance.now() + rest
  } else {
    Object.assign(cluster, { failures: 0, restsUntil: 0 })
  }
}
