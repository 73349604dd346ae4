import { isIPv4 } from 'node:net'
import { isObject, mapValues } from '../../protocol/is-object.js'
import { edgeUrl } from '../../protocol/edge-url.js'
import type { AllocationStatus, GameServerSelector } from '../../platform/sidecar.js'
import { type Answer, FLEET_LABEL, refusalOf, unreadable } from './failures.js'
import type { AllocateRequest, Allocation, Way } from './types.js'

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
export function allocationOf(
  way: Way,
  request: AllocateRequest,
  answer: Answer,
  edge?: string,
): Omit<Allocation, 'region'> {
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
