import { isIPv4 } from 'node:net'
import { isObject } from '../protocol/is-object.js'
import { edgeUrl } from '../protocol/edge-url.js'
import type { AllocationStatus, GameServerSelector } from '../sidecar/allocation/manifest.js'
import { FLEET_LABEL, noneOf, refusalOf } from './failures.js'
import type { Way } from './find-way.js'
import type { Answer } from './transport.js'
import type { AllocateRequest, Allocation } from './types.js'

/** The path and the body of a request, as its way wants them. */
export function requestOf({ kind, namespace }: Way, request: AllocateRequest): { path: string; body: string } {
  const { fleet, labels, annotations, priorities, scheduling, counters, lists } = request
  const ofFleet = (selector: GameServerSelector): GameServerSelector => ({
    ...selector,
    matchLabels: { ...selector.matchLabels, [FLEET_LABEL]: fleet! },
  })
  const selectors = fleet === undefined ? request.selectors : (request.selectors ?? [{}]).map(ofFleet)
  const metadata = labels === undefined && annotations === undefined ? undefined : { labels, annotations }
  const rest = { priorities, scheduling, metadata, counters, lists }
  if (kind === 'service') {
    // proto/allocation/allocation.proto; the enum of states is in capitals.
    const gameServerSelectors = selectors?.map(({ gameServerState, ...selector }) => ({
      ...selector,
      gameServerState: gameServerState?.toUpperCase(),
    }))
    return { path: '/gameserverallocation', body: JSON.stringify({ namespace, gameServerSelectors, ...rest }) }
  }
  const manifest = {
    apiVersion: 'allocation.agones.dev/v1',
    kind: 'GameServerAllocation',
    spec: { selectors, ...rest },
  }
  const path = `/apis/allocation.agones.dev/v1/namespaces/${encodeURIComponent(namespace)}/gameserverallocations`
  return { path: kind === 'sidecar' ? '/_/api/allocations' : path, body: JSON.stringify(manifest) }
}

/**
 * The allocated GameServer of an answer.
 *
 * @throws AllocationError for every other answer
 */
export function allocationOf(way: Way, request: AllocateRequest, answer: Answer, edge?: string): Allocation {
  const json = parse(answer.text)
  if (answer.status < 200 || answer.status > 299) throw refusalOf(way, request, answer, json['message'])
  // The service answers with the fields of a status, and only if it has allocated.
  const status = way.kind === 'service' ? { ...json, state: 'Allocated' } : json['status']
  const gameServer = (isObject(status) ? status : {}) as Partial<AllocationStatus>
  const { gameServerName: name, address, ports } = gameServer
  // A third state of the platform's that the local sidecar never answers.
  const state = gameServer.state as AllocationStatus['state'] | 'Contention' | undefined
  if (state === 'Contention') throw noneOf('CONTENTION', way, request, answer.status)
  if (state === 'UnAllocated') throw noneOf('UNALLOCATED', way, request, answer.status, answer.reason ?? json['reason'])
  if (state !== 'Allocated' || typeof name !== 'string' || typeof address !== 'string') {
    throw refusalOf(way, request, answer, 'no GameServer')
  }
  const port = ports?.[0]?.port
  return {
    name,
    address,
    port,
    ports: ports ?? [],
    counters: mapValues(gameServer.counters, ({ count, capacity }) => ({
      count: Number(count),
      capacity: Number(capacity),
    })),
    lists: mapValues(gameServer.lists, ({ capacity, values }) => ({
      capacity: Number(capacity),
      values: values ?? [],
    })),
    gameServer: gameServer as AllocationStatus,
    url: port === undefined ? undefined : playersUrl(gameServer as AllocationStatus, port, edge),
  }
}

/** An edge leads to the nodes' own network, and takes only IPv4. */
function playersUrl({ address = '', addresses }: AllocationStatus, port: number, edge?: string): string | undefined {
  if (edge === undefined) return `ws://${address.includes(':') ? `[${address}]` : address}:${port}`
  const internal = addresses?.find((one) => one.type === 'InternalIP' && isIPv4(one.address))?.address ?? address
  return isIPv4(internal) ? edgeUrl({ edge, address: internal, port }) : undefined
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
