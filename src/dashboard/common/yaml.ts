import type { GameServer } from '../../protocol/game-server.js'
import type { GameServerManifest } from '../../platform/sidecar.js'

/** Writes a JSON value as YAML in block style, with quotes only where YAML needs them. */
export function writeYaml(value: unknown): string {
  return isFull(value) ? block(value, '').slice(1) + '\n' : inline(value) + '\n'
}

function block(value: object, indent: string): string {
  if (Array.isArray(value)) {
    return value.map((item) => `\n${indent}-${isFull(item) ? afterDash(item, indent) : ` ${inline(item)}`}`).join('')
  }
  return entriesOf(value)
    .map(([key, item]) => `\n${indent}${inline(key)}:${isFull(item) ? block(item, indent + '  ') : ` ${inline(item)}`}`)
    .join('')
}

/** An item's block, with its first line on the line of the dash. */
const afterDash = (item: object, indent: string): string => ' ' + block(item, indent + '  ').slice(indent.length + 3)

function inline(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return isPlain(value) ? value : JSON.stringify(value)
}

/** Whether a text stays the same text without quotes, in YAML 1.1 too. */
const isPlain = (text: string): boolean =>
  /^[a-z_/][\w./@+ -]*$/i.test(text) && !/ $/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text)

const isFull = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (Array.isArray(value) ? value.length : entriesOf(value).length) > 0

const entriesOf = (value: object): [string, unknown][] => Object.entries(value).filter(([, item]) => item !== undefined)

/** A GameServer as a Kubernetes manifest, whose field names differ from those of the sidecar's answers. */
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
