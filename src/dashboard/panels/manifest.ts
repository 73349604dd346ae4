import type { GameServer } from '../../protocol/game-server.js'
import type { GameServerManifest } from '../../sidecar/index.js'

/** The object as the cluster shows it, and as a file of it can be: what the sidecar sends has other names. */
export function manifestOf({ object_meta: meta, spec, status }: GameServer, platform: string): GameServerManifest {
  const health = spec?.health
  const manifest = {
    apiVersion: `${platform}.dev/v1`,
    kind: 'GameServer',
    metadata: {
      name: meta.name,
      namespace: meta.namespace,
      labels: meta.labels ?? {},
      annotations: meta.annotations ?? {},
    },
    spec: {
      health: {
        disabled: health?.disabled ?? false,
        periodSeconds: health?.period_seconds,
        failureThreshold: health?.failure_threshold,
        initialDelaySeconds: health?.initial_delay_seconds,
      },
    },
    status: {
      state: status.state,
      address: status.address,
      ports: status.ports ?? [],
      counters: values(status.counters, ({ count, capacity }) => ({
        count: integer(count),
        capacity: integer(capacity),
      })),
      lists: values(status.lists, ({ capacity, values }) => ({ capacity: integer(capacity), values: values ?? [] })),
    },
  }
  return manifest as GameServerManifest
}

function values<From, To>(
  from: Record<string, From> | null | undefined,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from ?? {}).map(([name, value]) => [name, change(value)]))
}

/** A number where it holds the integer exactly. */
const integer = (text: string): number | string => (Number.isSafeInteger(Number(text)) ? Number(text) : text)
