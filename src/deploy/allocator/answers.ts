import { isIPv4 } from 'node:net'
import { isObject } from '../../protocol/is-object.js'
import { edgeUrl } from '../../protocol/edge-url.js'
import type { AllocationStatus, GameServerSelector } from '../../platform/sidecar.js'
import { type Answer, FLEET_LABEL, refusalOf } from './failures.js'
import type { Way } from './find-way.js'
import type { AllocateRequest, Allocation } from './types.js'

/** The path and the body of a request, as its way wants them. */
export function requestOf({ kind, namespace }: Way, request: AllocateRequest): { path: string; body: string } {
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
export function allocationOf(way: Way, request: AllocateRequest, answer: Answer, edge?: string): Allocation {
  const isGood = answer.status >= 200 && answer.status < 300
  const json = parse(answer.text)
  // The service answers with the fields of a status, and only if it has allocated.
  const status = way.kind === 'service' && isGood ? { ...json, state: 'Allocated' } : json['status']
  const gameServer = (isObject(status) ? status : {}) as unknown as AllocationStatus
  const { state, gameServerName: name, address, ports = [] } = gameServer
  if (!isGood || state !== 'Allocated' || typeof name !== 'string' || typeof address !== 'string')
    throw refusalOf(way, request, answer, json['message'], state)
  const port = ports[0]?.port
  // An edge leads to the nodes' own network, and takes only IPv4.
  const internal = gameServer.addresses?.find((one) => one.type === 'InternalIP' && isIPv4(one.address))?.address
  const target = edge === undefined ? { address, path: '' } : { address: internal ?? address, edge }
  return {
    name,
    address,
    port,
    ports,
    counters: mapValues(gameServer.counters, ({ count, capacity }) => ({
      count: Number(count),
      capacity: Number(capacity),
    })),
    lists: mapValues(gameServer.lists, ({ capacity, values }) => ({
      capacity: Number(capacity),
      values: values ?? [],
    })),
    gameServer,
    url: port === undefined ? undefined : edgeUrl({ ...target, port }),
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

const mapValues = <T, U>(given: Readonly<Record<string, T>> | undefined, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, change(value)]))
