import type { GameServer } from '../protocol/game-server.js'
import { isMarked } from './statuses.js'
import type { FleetEntry, FleetServer, FleetSnapshot, PlatformObject } from './types.js'

/** A counter, or a list with its values counted. */
export type Amount = readonly [name: string, used: number, capacity: number]

/** Beats of a GameServer, as its sidecar counts them. */
export interface Beats {
  readonly disabled: boolean
  readonly failures: number
  readonly failureThreshold: number
}

/** A GameServer as a row of the dashboard. */
export interface ServerView {
  readonly name: string
  /** The name without its Fleet's. */
  readonly short: string
  readonly set: string
  /** `Unhealthy` and `Error` stay until the GameServer is gone, although the Fleet sets `Shutdown` at once. */
  readonly state: string
  /** ms since the Unix epoch. */
  readonly stateSince: number
  readonly createdAt: number
  readonly port?: number
  readonly amounts: readonly Amount[]
  readonly beats: Beats | undefined
  readonly process: FleetServer['process']
}

/** A Fleet as its dashboard shows it. */
export interface FleetView {
  readonly now: number
  readonly lastSeq: number
  readonly platform: string
  readonly name: string
  /** The wanted number of GameServers. */
  readonly replicas: number
  readonly strategy: string
  readonly scheduling: string
  readonly counters: readonly string[]
  readonly lists: readonly string[]
  /** GameServerSets, newest first. During a rolling update more than one has GameServers. */
  readonly sets: readonly { readonly name: string; readonly servers: number }[]
  readonly autoscaler?: AutoscalerView
  /** Oldest first. */
  readonly servers: readonly ServerView[]
}

export interface AutoscalerView {
  readonly name: string
  /** Its policy in words: `Buffer: bufferSize 2, minReplicas 1, maxReplicas 10`. */
  readonly policy: string
  readonly desired: number | undefined
  /** The wanted number is beyond the policy's bounds. */
  readonly isLimited: boolean
  /** RFC 3339. */
  readonly lastScaleTime: string | null | undefined
}

/**
 * An entry of the timeline, with the name that the timelines of both dashboards give its number. The text lacks the
 * GameServer's name at its start, which has a column.
 */
export type EntryView = Omit<FleetEntry, 'sequence'> & { readonly seq: number }

export function entryView({ sequence: seq, ...entry }: FleetEntry): EntryView {
  const { server, text } = entry
  const rest = server !== undefined && text.startsWith(server) ? text.slice(server.length).replace(/^:? /, '') : text
  return { seq, ...entry, text: rest }
}

/**
 * The view of a Fleet: without what no row shows, so that a state of 50 GameServers has some kilobytes.
 *
 * @param beatsOf gives the beats of a GameServer, where its sidecar is known
 */
export function fleetView(
  { now, fleet, sets, autoscaler, servers }: FleetSnapshot,
  lastSeq: number,
  beatsOf: (server: string) => Beats | undefined,
): FleetView {
  const { name } = fleet.metadata
  const { replicas, strategy, scheduling } = fleet.spec
  const statuses = servers.map(({ gameServer }) => gameServer.status)
  const count = new Map(sets.map((set) => [set.metadata.name, 0]))
  for (const { set } of servers) count.set(set, (count.get(set) ?? 0) + 1)
  return {
    now,
    lastSeq,
    platform: /^([^.]+)\./.exec(fleet.apiVersion)?.[1] ?? '',
    name,
    replicas,
    strategy: strategy.type,
    scheduling,
    counters: namesOf(statuses.map(({ counters }) => counters)),
    lists: namesOf(statuses.map(({ lists }) => lists)),
    sets: [...count].reverse().flatMap(([set, n]) => (n > 0 ? [{ name: set, servers: n }] : [])),
    ...(autoscaler && { autoscaler: autoscalerView(autoscaler as Autoscaler) }),
    servers: servers
      .map((server) => serverView(server, name, beatsOf(server.name)))
      .sort((a, b) => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1)),
  }
}

const namesOf = (groups: readonly (object | null | undefined)[]): string[] => [
  ...new Set(groups.flatMap((group) => Object.keys(group ?? {}))),
]

function serverView(server: FleetServer, fleet: string, beats: Beats | undefined): ServerView {
  const { name, set, gameServer, createdAt, stateSince, process, failure } = server
  const { state, ports } = gameServer.status
  const port = ports?.[0]?.port
  return {
    name,
    short: name.startsWith(`${fleet}-`) ? name.slice(fleet.length + 1) : name,
    set,
    state: state === 'Shutdown' ? (failure ?? state) : `${state}${isMarked(gameServer) ? ', being deleted' : ''}`,
    stateSince,
    createdAt,
    ...(port === undefined ? {} : { port }),
    amounts: amountsOf(gameServer),
    beats,
    process,
  }
}

const amountsOf = ({ status: { counters, lists } }: GameServer): readonly Amount[] => [
  ...Object.entries(lists ?? {}).map(
    ([name, { values, capacity }]) => [name, values?.length ?? 0, Number(capacity)] as const,
  ),
  ...Object.entries(counters ?? {}).map(
    ([name, { count, capacity }]) => [name, Number(count), Number(capacity)] as const,
  ),
]

type Autoscaler = PlatformObject<
  { readonly policy: Readonly<Record<string, unknown>> },
  { readonly desiredReplicas: number; readonly scalingLimited: boolean; readonly lastScaleTime: string | null }
>

function autoscalerView({ metadata, spec, status }: Autoscaler): AutoscalerView {
  const type = String(spec.policy['type'])
  const settings = Object.entries(spec.policy[type.toLowerCase()] ?? {})
  return {
    name: metadata.name,
    policy: `${type}: ${settings.map(([name, value]) => `${name} ${String(value)}`).join(', ')}`,
    desired: status?.desiredReplicas,
    isLimited: status?.scalingLimited === true,
    lastScaleTime: status?.lastScaleTime,
  }
}
