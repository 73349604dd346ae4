import { toInt64 } from './int64.js'

/** An integer of a manifest; a decimal string or a bigint where a number can't hold it exactly. */
export type ManifestInteger = number | bigint | string

/** A Kubernetes GameServer as in a YAML or JSON file: the fields that a sidecar reads. */
export interface GameServerManifest {
  readonly metadata?: {
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly generation?: ManifestInteger
    /** RFC 3339. */
    readonly creationTimestamp?: string | null
    readonly deletionTimestamp?: string | null
    readonly labels?: Readonly<Record<string, string>> | null
    readonly annotations?: Readonly<Record<string, string>> | null
  }
  readonly spec?: {
    readonly health?: {
      readonly disabled?: boolean
      readonly periodSeconds?: number
      readonly failureThreshold?: number
      readonly initialDelaySeconds?: number
    } | null
    readonly ports?:
      | readonly {
          readonly name?: string
          readonly hostPort?: number
          readonly containerPort?: number
        }[]
      | null
    readonly counters?: ManifestCounters | null
    readonly lists?: ManifestLists | null
  }
  readonly status?: {
    readonly state?: string
    readonly address?: string
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[] | null
    readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
    readonly counters?: ManifestCounters | null
    readonly lists?: ManifestLists | null
  }
}

export type ManifestCounters = Readonly<
  Record<string, { readonly count?: ManifestInteger; readonly capacity?: ManifestInteger }>
>

export type ManifestLists = Readonly<
  Record<string, { readonly capacity?: ManifestInteger; readonly values?: readonly string[] | null }>
>

/**
 * Checks the fields that a sidecar reads of a parsed GameServer file; all others are kept as they are.
 *
 * @throws TypeError whose message names the first wrong field and says what it should be
 */
export function readManifest(value: unknown): GameServerManifest {
  const root = object(value, 'a GameServer')
  checkMetadata(optional(root.metadata, 'metadata'))
  const spec = optional(root.spec, 'spec')
  checkSpec(spec)
  const status = optional(root.status, 'status')
  checkStatus(status)
  for (const [where, part] of Object.entries({ spec, status })) {
    checkCounters(optional(part.counters, `${where}.counters`), `${where}.counters`)
    checkLists(optional(part.lists, `${where}.lists`), `${where}.lists`)
  }
  return value as GameServerManifest
}

function checkMetadata(metadata: Fields): void {
  for (const name of ['name', 'namespace', 'uid', 'resourceVersion']) text(metadata[name], `metadata.${name}`)
  for (const name of ['creationTimestamp', 'deletionTimestamp']) timestamp(metadata[name], `metadata.${name}`)
  integer(metadata.generation, 'metadata.generation')
  for (const name of ['labels', 'annotations']) texts(metadata[name], `metadata.${name}`)
}

function checkSpec(spec: Fields): void {
  const health = optional(spec.health, 'spec.health')
  boolean(health.disabled, 'spec.health.disabled')
  for (const name of ['periodSeconds', 'failureThreshold', 'initialDelaySeconds']) {
    smallInteger(health[name], `spec.health.${name}`)
  }
  for (const [i, port] of array(spec.ports, 'spec.ports').entries()) {
    const fields = object(port, `spec.ports[${i}]`)
    text(fields.name, `spec.ports[${i}].name`)
    for (const name of ['hostPort', 'containerPort']) smallInteger(fields[name], `spec.ports[${i}].${name}`)
  }
}

function checkStatus(status: Fields): void {
  text(status.state, 'status.state')
  text(status.address, 'status.address')
  for (const [i, port] of array(status.ports, 'status.ports').entries()) {
    const fields = object(port, `status.ports[${i}]`)
    text(fields.name, `status.ports[${i}].name`)
    smallInteger(fields.port, `status.ports[${i}].port`)
  }
  for (const [i, address] of array(status.addresses, 'status.addresses').entries()) {
    const fields = object(address, `status.addresses[${i}]`)
    for (const name of ['type', 'address']) text(fields[name], `status.addresses[${i}].${name}`)
  }
}

function checkCounters(counters: Fields, where: string): void {
  for (const [name, counter] of Object.entries(counters)) {
    const fields = object(counter, `${where}.${name}`)
    for (const field of ['count', 'capacity']) integer(fields[field], `${where}.${name}.${field}`)
  }
}

function checkLists(lists: Fields, where: string): void {
  for (const [name, list] of Object.entries(lists)) {
    const fields = object(list, `${where}.${name}`)
    integer(fields.capacity, `${where}.${name}.capacity`)
    for (const [i, item] of array(fields.values, `${where}.${name}.values`).entries()) {
      if (typeof item !== 'string') wrong(`${where}.${name}.values[${i}]`, 'a string', item)
    }
  }
}

type Fields = Readonly<Record<string, unknown>>

function object(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(where, 'an object', value)
  return value as Fields
}

function optional(value: unknown, where: string): Fields {
  return value == null ? {} : object(value, where)
}

function array(value: unknown, where: string): readonly unknown[] {
  if (value == null) return []
  if (!Array.isArray(value)) wrong(where, 'a list', value)
  return value as readonly unknown[]
}

function boolean(value: unknown, where: string): void {
  if (value != null && typeof value !== 'boolean') wrong(where, 'true or false', value)
}

function text(value: unknown, where: string): void {
  if (value != null && typeof value !== 'string') wrong(where, 'a string', value)
}

function texts(value: unknown, where: string): void {
  for (const [key, item] of Object.entries(optional(value, where))) {
    if (typeof item !== 'string') wrong(`${where}.${key}`, 'a string (put it in quotes)', item)
  }
}

function timestamp(value: unknown, where: string): void {
  if (value == null) return
  const date = typeof value === 'string' ? Date.parse(value) : NaN
  if (Number.isNaN(date)) wrong(where, 'a time such as "2026-01-31T12:00:00Z"', value)
}

function integer(value: unknown, where: string): void {
  if (value != null && toInt64(value) === undefined) wrong(where, 'a 64-bit integer', value)
}

function smallInteger(value: unknown, where: string): void {
  if (value != null && !(Number.isInteger(value) && Math.abs(value as number) < 2 ** 31)) {
    wrong(where, 'an integer', value)
  }
}

function wrong(where: string, expected: string, value: unknown): never {
  const shown = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value)).slice(0, 60)
  throw new TypeError(`${where} should be ${expected}, not ${shown}`)
}
