import type { CounterStatus, GameServer, ListStatus } from '../../../protocol/game-server.js'
import type { GameServerManifest, ManifestCounters, ManifestInteger, ManifestLists, SidecarConfig } from './config.js'
import { toInt64 } from './int64.js'
import { sorted } from './game-server-edits.js'

/** The real sidecar sends a missing time as the first second of year 1. */
const noTime = '-62135596800'

type Status = GameServer['status']

const builtIn: GameServerManifest = {
  metadata: { labels: { islocal: 'true' }, annotations: { annotation: 'true' } },
  spec: { ports: [{}], counters: { rooms: { count: 1, capacity: 10 } }, lists: { players: { capacity: 100 } } },
}

/** The built-in GameServer of the real sidecar's local mode. In production its three players would be missing. */
const builtInLocal = (now: number): GameServerManifest => ({
  metadata: {
    ...builtIn.metadata,
    name: 'local',
    namespace: 'default',
    uid: '1234',
    resourceVersion: 'v1',
    generation: 1,
    creationTimestamp: new Date(now).toISOString(),
  },
  spec: { health: { periodSeconds: 3, failureThreshold: 5, initialDelaySeconds: 10 } },
  status: {
    state: 'Ready',
    address: '127.0.0.1',
    ports: [{ name: 'default', port: 7777 }],
    counters: { rooms: { count: 1, capacity: 10 } },
    lists: { players: { capacity: 100, values: ['test0', 'test1', 'test2'] } },
  },
})

/** The GameServer that a sidecar starts with: from its manifest, or built in. */
export function initialGameServer(config: SidecarConfig, now: number): GameServer {
  const { gameServer, mode } = config
  return mode === 'local'
    ? literalGameServer(config, gameServer ?? builtInLocal(now))
    : createdGameServer(config, gameServer ?? builtIn, now)
}

type Ports = NonNullable<Status['ports']>

/** The ports of a status, the first one with the number that players use. */
const withPlayersPort = (ports: Ports, port: number | undefined): Ports =>
  port === undefined ? ports : [{ name: ports[0]?.name ?? 'default', port }, ...ports.slice(1)]

/** Takes a manifest literally: no defaults, and counters and lists only from its status. */
export function literalGameServer(config: SidecarConfig, manifest: GameServerManifest): GameServer {
  const { metadata, spec, status } = manifest
  const health = spec?.health
  const counted = config.featureGates.CountsAndLists === true
  return {
    object_meta: {
      name: metadata?.name ?? '',
      namespace: metadata?.namespace ?? '',
      uid: metadata?.uid ?? '',
      resource_version: metadata?.resourceVersion ?? '',
      generation: decimal(metadata?.generation),
      creation_timestamp: metadata?.creationTimestamp ? unixSeconds(metadata.creationTimestamp) : noTime,
      deletion_timestamp: metadata?.deletionTimestamp ? unixSeconds(metadata.deletionTimestamp) : '0',
      annotations: sorted(Object.entries(metadata?.annotations ?? {})),
      labels: sorted(Object.entries(metadata?.labels ?? {})),
    },
    spec: {
      health: {
        disabled: health?.disabled ?? false,
        period_seconds: health?.periodSeconds ?? 0,
        failure_threshold: health?.failureThreshold ?? 0,
        initial_delay_seconds: health?.initialDelaySeconds ?? 0,
      },
    },
    status: {
      state: status?.state ?? '',
      address: status?.address ?? '',
      addresses: (status?.addresses ?? []).map(({ type, address }) => ({ type: type ?? '', address: address ?? '' })),
      ports: withPlayersPort(
        (status?.ports ?? []).map(({ name, port }) => ({ name: name ?? '', port: port ?? 0 })),
        config.playersPort,
      ),
      players: null,
      counters: counted ? counters(status?.counters) : {},
      lists: counted ? lists(status?.lists) : {},
    },
  }
}

/** The object that a cluster creates from a manifest: with defaults, ids and a status from the spec. */
export function createdGameServer(config: SidecarConfig, manifest: GameServerManifest, now: number): GameServer {
  const object = literalGameServer(config, manifest)
  const { metadata, spec, status } = manifest
  const health = spec?.health
  const counted = config.featureGates.CountsAndLists === true
  const ports: Ports = (spec?.ports ?? []).map(({ name, hostPort, containerPort }) => ({
    name: name ?? 'default',
    port: hostPort ?? containerPort ?? 7777,
  }))
  return {
    object_meta: {
      ...object.object_meta,
      name: metadata?.name ?? 'local',
      namespace: metadata?.namespace ?? 'default',
      uid: metadata?.uid ?? '1234',
      resource_version: metadata?.resourceVersion ?? '1',
      generation: decimal(metadata?.generation ?? 1),
      creation_timestamp: metadata?.creationTimestamp ? object.object_meta.creation_timestamp : seconds(now),
    },
    spec: {
      health: {
        disabled: health?.disabled ?? false,
        period_seconds: health?.periodSeconds || 5,
        failure_threshold: health?.failureThreshold || 3,
        initial_delay_seconds: health?.initialDelaySeconds || 5,
      },
    },
    status: {
      ...object.status,
      state: status?.state || 'Scheduled',
      address: status?.address || '127.0.0.1',
      ports: status?.ports ? (object.status.ports ?? []) : withPlayersPort(ports, config.playersPort),
      counters: counted ? counters({ ...spec?.counters, ...status?.counters }) : {},
      lists: counted ? lists({ ...spec?.lists, ...status?.lists }) : {},
    },
  }
}

function counters(manifest: ManifestCounters | null | undefined): Record<string, CounterStatus> {
  return sorted(
    Object.entries(manifest ?? {}).map(([name, { count, capacity }]) => [
      name,
      { count: decimal(count), capacity: decimal(capacity) },
    ]),
  )
}

function lists(manifest: ManifestLists | null | undefined): Record<string, ListStatus> {
  return sorted(
    Object.entries(manifest ?? {}).map(([name, { capacity, values }]) => [
      name,
      { capacity: decimal(capacity), values: [...(values ?? [])] },
    ]),
  )
}

function decimal(value: ManifestInteger | null | undefined): string {
  return toInt64(value ?? 0) ?? '0'
}

function unixSeconds(time: string): string {
  return seconds(Date.parse(time))
}

function seconds(ms: number): string {
  return String(Math.floor(ms / 1000))
}
