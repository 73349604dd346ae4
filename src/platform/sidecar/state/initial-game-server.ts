import type { CounterStatus, GameServer, ListStatus } from '../../../protocol/game-server.js'
import type { GameServerManifest, ManifestCounters, ManifestInteger, ManifestLists, SidecarConfig } from './config.js'
import { toInt64 } from './int64.js'
import { sorted } from './game-server.js'

/** The real sidecar sends a missing time as the first second of year 1. */
const noTime = '-62135596800'

const builtIn: GameServerManifest = {
  metadata: { labels: { islocal: 'true' }, annotations: { annotation: 'true' } },
  spec: { ports: [{}], counters: { rooms: { count: 1, capacity: 10 } }, lists: { players: { capacity: 100 } } },
}

/** The built-in GameServer of the real sidecar's local mode. In production its three players would be missing. */
const builtInLocal = (now: number): GameServerManifest => ({
  metadata: {
    ...builtIn.metadata,
    ...{ name: 'local', namespace: 'default', uid: '1234', resourceVersion: 'v1', generation: 1 },
    creationTimestamp: new Date(now).toISOString(),
  },
  spec: { health: { periodSeconds: 3, failureThreshold: 5, initialDelaySeconds: 10 } },
  status: {
    ...{ state: 'Ready', address: '127.0.0.1', ports: [{ name: 'default', port: 7777 }] },
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

type Ports = NonNullable<GameServer['status']['ports']>

/** The ports of a status, the first one with the number that players use. */
const withPlayersPort = (ports: Ports, port: number | undefined): Ports =>
  port === undefined ? ports : [{ name: ports[0]?.name ?? 'default', port }, ...ports.slice(1)]

/** Takes a manifest literally: no defaults, and counters and lists only from its status. */
export function literalGameServer(config: SidecarConfig, manifest: GameServerManifest): GameServer {
  const { metadata, spec, status } = manifest
  const health = spec?.health
  const ports = (status?.ports ?? []).map(({ name, port }) => ({ name: name ?? '', port: port ?? 0 }))
  return {
    object_meta: {
      name: metadata?.name ?? '',
      namespace: metadata?.namespace ?? '',
      uid: metadata?.uid ?? '',
      resource_version: metadata?.resourceVersion ?? '',
      generation: decimal(metadata?.generation),
      creation_timestamp: unixSeconds(metadata?.creationTimestamp, noTime),
      deletion_timestamp: unixSeconds(metadata?.deletionTimestamp, '0'),
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
      ports: withPlayersPort(ports, config.playersPort),
      players: null,
      ...counted(config, status?.counters, status?.lists),
    },
  }
}

/** The object that a cluster creates from a manifest: with defaults, ids and a status from the spec. */
export function createdGameServer(config: SidecarConfig, manifest: GameServerManifest, now: number): GameServer {
  const object = literalGameServer(config, manifest)
  const { metadata, spec, status } = manifest
  const { health } = object.spec!
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
      creation_timestamp: unixSeconds(metadata?.creationTimestamp, seconds(now)),
    },
    spec: {
      health: {
        ...health,
        period_seconds: health?.period_seconds || 5,
        failure_threshold: health?.failure_threshold || 3,
        initial_delay_seconds: health?.initial_delay_seconds || 5,
      },
    },
    status: {
      ...object.status,
      state: status?.state || 'Scheduled',
      address: status?.address || '127.0.0.1',
      ports: status?.ports ? object.status.ports! : withPlayersPort(ports, config.playersPort),
      ...counted(config, { ...spec?.counters, ...status?.counters }, { ...spec?.lists, ...status?.lists }),
    },
  }
}

/** Counters and lists of a status. */
function counted(
  { featureGates }: SidecarConfig,
  counters: ManifestCounters | null | undefined,
  lists: ManifestLists | null | undefined,
): { counters: Record<string, CounterStatus>; lists: Record<string, ListStatus> } {
  if (featureGates.CountsAndLists !== true) return { counters: {}, lists: {} }
  const counterOf = ({ count, capacity }: ManifestCounters[string]) => ({
    count: decimal(count),
    capacity: decimal(capacity),
  })
  const listOf = ({ capacity, values }: ManifestLists[string]) => ({
    capacity: decimal(capacity),
    values: [...(values ?? [])],
  })
  return {
    counters: sorted(Object.entries(counters ?? {}).map(([name, counter]) => [name, counterOf(counter)])),
    lists: sorted(Object.entries(lists ?? {}).map(([name, list]) => [name, listOf(list)])),
  }
}

const decimal = (value: ManifestInteger | null | undefined): string => toInt64(value ?? 0) ?? '0'

const unixSeconds = (time: string | null | undefined, absent: string): string =>
  time ? seconds(Date.parse(time)) : absent

/** The second of a time since the Unix epoch. */
export const seconds = (ms: number): string => String(Math.floor(ms / 1000))

/** The characters of names that Kubernetes generates: without vowels, so that no words arise. */
const letters = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
/** The longest name of an object. */
const longestName = 63

/** A name as Kubernetes generates it: the base, cut if it is too long, and five letters that derive from the seed. */
export function generatedName(base: string, seed: string): string {
  const suffix = Array.from({ length: suffixLength }, (_, i) => letters[hash(`${seed} ${i}`) % letters.length])
  return `${base.slice(0, longestName - suffixLength - 1)}-${suffix.join('')}`
}

/** A uid that derives from the seed. */
export function uidOf(seed: string): string {
  const digits = [0, 1, 2, 3].map((part) => hash(`uid ${part} ${seed}`).toString(16).padStart(8, '0')).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

/** FNV-1a in 32 bits, with a final step that spreads the last character over all bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (value ^ (value >>> 13)) >>> 0
}
