import { toInt64, toNatural } from '../sidecar/state/int64.js'
import type { GameServerManifest } from '../sidecar/state/config.js'
import { boolean, integer, leaf, list, nullish, object, quotable, read, record, text, unread } from './check.js'

const seconds = integer(0, 2 ** 31 - 1)
const port = integer(0, 65_535)
const int64 = leaf('a 64-bit integer', (value) => toInt64(value) !== undefined)
/** In a spec, where the platform refuses negative numbers. In a status the real sidecar accepts any. */
const count = leaf('a 64-bit integer of at least 0', (value) => toNatural(value) !== undefined)
const time = leaf(
  'a time such as "2026-01-31T12:00:00Z"',
  (value) => typeof value === 'string' && value.length < 100 && !Number.isNaN(Date.parse(value)),
)

const counted = (kind: typeof count) => ({
  counters: record(object(nullish({ count: kind, capacity: kind }))),
  lists: record(object(nullish({ capacity: kind, values: list(text) }))),
})

const metadata = object(
  nullish({
    ...{ name: text, namespace: text, uid: text, resourceVersion: text, generation: int64 },
    ...{ creationTimestamp: time, deletionTimestamp: time, labels: record(quotable), annotations: record(quotable) },
    ...unread(
      'generateName',
      'deletionGracePeriodSeconds',
      'finalizers',
      'managedFields',
      'ownerReferences',
      'selfLink',
    ),
  }),
)

const spec = object(
  nullish({
    health: object(
      nullish({ disabled: boolean, periodSeconds: seconds, failureThreshold: seconds, initialDelaySeconds: seconds }),
    ),
    ports: list(
      object(
        nullish({
          ...{ name: text, hostPort: port, containerPort: port },
          ...unread('range', 'portPolicy', 'protocol', 'container'),
        }),
      ),
    ),
    ...counted(count),
    ...unread('template', 'container', 'sdkServer', 'scheduling', 'players', 'eviction', 'immutableReplicas'),
  }),
)

const status = object(
  nullish({
    state: text,
    address: text,
    ports: list(object(nullish({ name: text, port }))),
    addresses: list(object(nullish({ type: text, address: text }))),
    ...counted(int64),
    ...unread('nodeName', 'reservedUntil', 'players', 'eviction', 'immutableReplicas'),
  }),
)

/**
 * A GameServer as in a file, by the schema of the platform's API. Like the platform, it refuses unknown fields, which
 * are probably misspelt.
 */
export const gameServer = object({ ...nullish({ metadata, spec, status }), ...unread('apiVersion', 'kind') })

/** Reads a GameServer. @throws InvalidInput */
export const readGameServer = (value: unknown): GameServerManifest =>
  read(gameServer, value, 'a GameServer') as GameServerManifest
