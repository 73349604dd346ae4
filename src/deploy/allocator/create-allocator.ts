import { isIPv4 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onAbort } from '../../client/time.js'
import { longestTimer } from '../../protocol/names.js'
import { edgeUrl } from '../../protocol/edge-url.js'
import { isObject } from '../../protocol/is-object.js'
import { mapValues } from '../../protocol/map-values.js'
import type { AllocationStatus, GameServerSelector } from '../../platform/sidecar.js'
import { checkNames, type Cluster, clustersOf, inOrder, note, OPTIONS, type PodEnvironment } from './clusters.js'
import {
  AllocationError,
  type AllocationErrorCode,
  type Answer,
  FLEET_LABEL,
  refusalOf,
  unreadable,
  type Way,
} from './failures.js'
import type { AllocateRequest, Allocation, Allocator, AllocatorOptions } from './types.js'

const FIELDS = 'fleet selectors priorities scheduling counters lists labels annotations wait signal region'.split(' ')

/** ms of the first backoff after each retryable outcome. None of these outcomes allocates. */
const PAUSES: Partial<Record<AllocationErrorCode, number>> = { CONTENTION: 50, UNALLOCATED: 250, UNAVAILABLE: 250 }
const LONGEST_PAUSE = 5_000

/**
 * Allocates GameServers: of a Fleet on this machine, by the Kubernetes API or by the platform's allocator service; of one
 * cluster or of several.
 *
 * @throws AllocationError CONFIG for wrong options, and where nothing says where to allocate
 */
export function createAllocator(options: AllocatorOptions = {}): Allocator {
  return createAllocatorIn({ env: process.env, account: '/var/run/secrets/kubernetes.io/serviceaccount' }, options)
}

/** `createAllocator()` with another environment, for tests. */
export function createAllocatorIn(environment: PodEnvironment, options: AllocatorOptions): Allocator {
  checkNames(options, OPTIONS, 'CONFIG')
  const { timeout = 10_000, edge, allowDuplicate = false } = options
  checkMs('timeout', timeout, 'CONFIG', longestTimer)
  if (edgeUrl({ edge, address: '10.0.0.1', port: 1 }) === undefined)
    throw new AllocationError('CONFIG', `edge must be a host name, such as play.example.com; got "${edge}"`)
  const clusters = clustersOf({ ...options, timeout }, environment)
  let waiting = 0
  const life = new AbortController()

  function stopped({ reason }: AbortSignal, wasSent: boolean): AllocationError {
    const hint = wasSent ? 'The request was sent, so a GameServer may be allocated' : undefined
    if (life.signal.aborted) return new AllocationError('CLOSED', 'The allocator is closed', { hint })
    return new AllocationError('ABORTED', 'Aborted by its signal', { hint, cause: reason })
  }

  async function askOne(cluster: Cluster, request: AllocateRequest, signal: AbortSignal): Promise<Allocation> {
    const { way, transport, region } = cluster
    const { path, body } = requestOf(way, request)
    try {
      const allocation = allocationOf(way, request, await transport.post(path, body, signal), edge)
      note(cluster)
      return { ...allocation, region }
    } catch (error) {
      const { code } = error as AllocationError
      if (signal.aborted) throw stopped(signal, code === 'UNKNOWN_OUTCOME')
      note(cluster, error as AllocationError)
      throw error
    }
  }

  /** Asks the clusters, one after the other. Rejects with the outcome after which asking again helps most. */
  async function askAll(request: AllocateRequest, signal: AbortSignal): Promise<Allocation> {
    let outcome: AllocationError | undefined
    for (const cluster of inOrder(clusters, request.region)) {
      if (signal.aborted) throw stopped(signal, false)
      try {
        return await askOne(cluster, request, signal)
      } catch (error) {
        const { code } = error as AllocationError
        const isFinal = code === 'INVALID_ARGUMENT' || (code === 'UNKNOWN_OUTCOME' && !allowDuplicate)
        if (isFinal || signal.aborted) throw error
        if (outcome === undefined || PAUSES[outcome.code] === undefined) outcome = error as AllocationError
      }
    }
    throw outcome!
  }

  /** Exponential backoff, with jitter so that many matchmakers don't ask at the same moment. */
  async function ask(request: AllocateRequest, deadline: number, signal: AbortSignal): Promise<Allocation> {
    for (let growth = 1; ; growth *= 1.5) {
      if (signal.aborted) throw stopped(signal, false)
      try {
        return await askAll(request, signal)
      } catch (error) {
        const first = signal.aborted ? undefined : PAUSES[(error as AllocationError).code]
        const rest = deadline - performance.now()
        if (first === undefined || rest <= 0) throw error
        const pause = Math.min(LONGEST_PAUSE, first * growth) * (0.5 + Math.random() / 2)
        await sleep(Math.min(rest, pause), undefined, { signal }).catch(() => undefined)
      }
    }
  }

  return {
    async allocate(request = {}) {
      checkNames(request, FIELDS, 'INVALID_ARGUMENT')
      const { wait = 0, signal } = request
      checkMs('wait', wait, 'INVALID_ARGUMENT')
      const call = new AbortController()
      const forget = [life.signal, ...(signal ? [signal] : [])].map((one) => onAbort(one, () => call.abort(one.reason)))
      waiting++
      try {
        return await ask(request, performance.now() + wait, call.signal)
      } finally {
        waiting--
        forget.forEach((undo) => undo())
      }
    },
    get waiting() {
      return waiting
    },
    close() {
      life.abort()
      for (const { transport } of clusters) transport.close()
    },
  }
}

function checkMs(name: string, value: unknown, code: AllocationErrorCode, most = Infinity): void {
  if (typeof value === 'number' && value >= 0 && value <= most) return
  throw new AllocationError(code, `${name} must be a number of milliseconds; got ${String(value).slice(0, 40)}`)
}

/** The path and the body of a request, as its way wants them. */
function requestOf({ kind, namespace }: Way, request: AllocateRequest): { path: string; body: string } {
  const { fleet, labels, annotations, priorities, scheduling, counters, lists } = request
  const ofFleet = (selector: GameServerSelector): GameServerSelector => ({
    ...selector,
    matchLabels: { ...selector.matchLabels, [FLEET_LABEL]: fleet! },
  })
  const selectors = fleet === undefined ? request.selectors : (request.selectors ?? [{}]).map(ofFleet)
  const metadata = labels || annotations ? { labels, annotations } : undefined
  const rest = { priorities, scheduling, metadata, counters, lists }
  if (kind === 'api') {
    const names = { apiVersion: 'allocation.agones.dev/v1', kind: 'GameServerAllocation' }
    return {
      path: `/apis/${names.apiVersion}/namespaces/${encodeURIComponent(namespace)}/gameserverallocations`,
      body: JSON.stringify({ ...names, spec: { selectors, ...rest } }),
    }
  }
  // proto/allocation/allocation.proto; the enum of states is in capitals.
  const gameServerSelectors = selectors?.map((selector) => ({
    ...selector,
    gameServerState: selector.gameServerState?.toUpperCase(),
  }))
  return { path: '/gameserverallocation', body: JSON.stringify({ namespace, gameServerSelectors, ...rest }) }
}

/**
 * The allocated GameServer of an answer.
 *
 * @throws AllocationError for every other answer
 */
function allocationOf(way: Way, request: AllocateRequest, answer: Answer, edge?: string): Omit<Allocation, 'region'> {
  const isGood = answer.status >= 200 && answer.status < 300
  const json = parse(answer.text)
  // The service answers with the fields of a status, and only if it has allocated.
  const isService = way.kind === 'service' && isGood && 'gameServerName' in json
  const status = isService ? { ...json, state: 'Allocated' } : json['status']
  const found = isObject(status) ? status : {}
  const { state } = found
  if (!isGood || state !== 'Allocated') throw refusalOf(way, request, answer, json['message'], state)
  try {
    return readStatus(found as unknown as AllocationStatus, edge)
  } catch (error) {
    throw unreadable(way, answer, found['gameServerName'], (error as Error).message)
  }
}

/** @throws Error for a status that the platform doesn't write */
function readStatus(gameServer: AllocationStatus, edge?: string): Omit<Allocation, 'region'> {
  const { gameServerName: name, address } = gameServer
  if (!name || typeof address !== 'string') throw new Error('it lacks a name or an address')
  const ports = gameServer.ports ?? []
  const port = ports[0]?.port
  // An edge leads to the nodes' own network, and takes only IPv4.
  const internal = gameServer.addresses?.find((one) => one.type === 'InternalIP' && isIPv4(one.address))?.address
  const target = edge === undefined ? { address, path: '' } : { address: internal ?? address, edge }
  return {
    ...{ name, address, port, ports, gameServer },
    counters: mapValues(gameServer.counters, ({ count, capacity }) => ({
      count: Number(count ?? 0),
      capacity: Number(capacity ?? 0),
    })),
    lists: mapValues(gameServer.lists, ({ capacity, values }) => ({
      capacity: Number(capacity ?? 0),
      values: values ?? [],
    })),
    url: port === undefined ? undefined : edgeUrl({ ...target, port }),
  }
}

type Fields = Readonly<Record<string, unknown>>

function parse(text: string): Fields {
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}
