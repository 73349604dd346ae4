import { isMarked } from '../sidecar/state/game-server.js'
import { amountsOf } from './platform-json.js'
import type { FleetEntry, FleetServer, FleetSnapshot, PlatformObject } from './types.js'

/** Beats of a GameServer, as its sidecar counts them. */
export interface Beats {
  readonly disabled: boolean
  readonly failures: number
  readonly failureThreshold: number
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

/** A Fleet as its dashboard shows it: without what no row shows, so that a state of 50 GameServers has some kilobytes. */
export type FleetView = ReturnType<typeof fleetView>
export type ServerView = FleetView['servers'][number]

/** @param beatsOf gives the beats of a GameServer, where its sidecar is known */
export function fleetView(
  { now, fleet, sets, autoscaler, servers }: FleetSnapshot,
  lastSeq: number,
  beatsOf: (server: string) => Beats | undefined,
) {
  const { replicas, strategy, scheduling } = fleet.spec
  const own = sets.map(({ metadata: { name } }) => ({
    name,
    servers: servers.filter(({ set }) => set === name).length,
  }))
  return {
    now,
    lastSeq,
    platform: /^([^.]+)\./.exec(fleet.apiVersion)?.[1] ?? '',
    name: fleet.metadata.name,
    /** The wanted number of GameServers. */
    replicas,
    strategy: strategy.type,
    scheduling,
    /** GameServerSets, newest first. During a rolling update more than one has GameServers. */
    sets: own.filter((set) => set.servers > 0).reverse(),
    autoscaler: autoscaler && autoscalerView(autoscaler as Autoscaler),
    /** Oldest first. */
    servers: servers
      .map((server) => serverView(server, beatsOf(server.name)))
      .sort((a, b) => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1)),
  }
}

function serverView({ name, gameServer, createdAt, stateSince, process, failure }: FleetServer, beats?: Beats) {
  const { state, ports } = gameServer.status
  return {
    name,
    /** `Unhealthy` and `Error` stay until the GameServer is gone, although the Fleet sets `Shutdown` at once. */
    state: state === 'Shutdown' ? (failure ?? state) : `${state}${isMarked(gameServer) ? ', being deleted' : ''}`,
    stateSince,
    createdAt,
    port: ports?.[0]?.port,
    /** Names, what is used, and capacities. */
    counters: amountsOf(gameServer, 'counters'),
    lists: amountsOf(gameServer, 'lists'),
    beats,
    process,
  }
}

type Autoscaler = PlatformObject<
  { readonly policy: Readonly<Record<string, unknown>> },
  { readonly desiredReplicas: number; readonly scalingLimited: boolean; readonly lastScaleTime: string | null }
>

function autoscalerView({ metadata: { name }, spec: { policy }, status }: Autoscaler) {
  const type = String(policy['type'])
  const settings = Object.entries(policy[type.toLowerCase()] ?? {})
  return {
    name,
    /** In words: `Buffer: bufferSize 2, minReplicas 1, maxReplicas 10`. */
    policy: `${type}: ${settings.map(([setting, value]) => `${setting} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`).join(', ')}`,
    desired: status?.desiredReplicas,
    /** The wanted number is beyond the policy's bounds. */
    isLimited: status?.scalingLimited,
    /** RFC 3339. */
    lastScaleTime: status?.lastScaleTime,
  }
}
