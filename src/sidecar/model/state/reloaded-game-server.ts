import type { GameServer } from '../../../protocol/game-server.js'
import type { SidecarConfig } from './config.js'
import { createdGameServer, literalGameServer } from './initial-game-server.js'
import type { GameServerManifest } from './manifest.js'
import { own, sorted } from './records.js'

/**
 * The GameServer after its manifest was replaced. Local mode takes the manifest and forgets the rest, as the real one
 * does. Production keeps everything that only the cluster or the SDK knows: state, address, ids, SDK metadata, and the
 * present values of counters and lists of which the manifest gives no status.
 */
export function reloadedGameServer(
  config: SidecarConfig,
  manifest: GameServerManifest,
  previous: GameServer,
  now: number,
): GameServer {
  if (config.mode === 'local') return literalGameServer(config, manifest)
  const fresh = createdGameServer(config, manifest, now)
  const { metadata, status } = manifest
  const before = previous.object_meta
  const after = fresh.object_meta
  const platformPrefix = `${config.platform}.dev/`
  return {
    object_meta: {
      ...after,
      uid: metadata?.uid ?? before.uid,
      resource_version: before.resource_version,
      generation: before.generation,
      creation_timestamp: metadata?.creationTimestamp ? after.creation_timestamp : before.creation_timestamp,
      deletion_timestamp: before.deletion_timestamp ?? '0',
      annotations: keepWithPrefix(platformPrefix, before.annotations, after.annotations),
      labels: keepWithPrefix(platformPrefix, before.labels, after.labels),
    },
    ...(fresh.spec ? { spec: fresh.spec } : {}),
    status: {
      ...fresh.status,
      state: status?.state ?? previous.status.state,
      counters: keepValues(fresh.status.counters, previous.status.counters, status?.counters),
      lists: keepValues(fresh.status.lists, previous.status.lists, status?.lists),
    },
  }
}

type Texts = Readonly<Record<string, string>> | null | undefined

function keepWithPrefix(prefix: string, before: Texts, after: Texts): Record<string, string> {
  const kept = Object.entries(before ?? {}).filter(([key]) => key.startsWith(prefix))
  return sorted([...kept, ...Object.entries(after ?? {})])
}

function keepValues<T>(
  fresh: Readonly<Record<string, T>> | null | undefined,
  previous: Readonly<Record<string, T>> | null | undefined,
  given: Readonly<Record<string, unknown>> | null | undefined,
): Record<string, T> {
  return sorted(
    Object.entries(fresh ?? {}).map(([name, value]) => [
      name,
      own(given, name) === undefined ? (own(previous, name) ?? value) : value,
    ]),
  )
}
