import { didYouMean } from '../../../protocol/nearest.js'
import { lessThan, toInt64 } from './int64.js'
import { manifestFields as known } from './manifest-fields.js'
import { mostNames, sizeProblem } from './object-limits.js'
import { excerpt, show } from './show.js'

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
 * Checks the fields that a sidecar reads of a parsed GameServer file. A field that the platform doesn't know is refused
 * there, since it is most likely misspelt; all others are kept as they are.
 *
 * @throws TypeError whose message names the first wrong field and says what it should be
 */
export function readManifest(value: unknown): GameServerManifest {
  const root = object(value, 'a GameServer', known.root)
  checkMetadata(optional(root.metadata, 'metadata', known.metadata))
  const spec = optional(root.spec, 'spec', known.spec)
  checkSpec(spec)
  const status = optional(root.status, 'status', known.status)
  checkStatus(status)
  for (const [where, part] of Object.entries({ spec, status })) {
    checkCounters(part.counters, `${where}.counters`)
    checkLists(part.lists, `${where}.lists`)
  }
  checkSize(value as GameServerManifest)
  return value as GameServerManifest
}

function checkSize({ metadata, spec, status }: GameServerManifest): void {
  const problem = sizeProblem({ ...metadata, ...spec }) ?? sizeProblem({ ...status })
  if (problem !== undefined) throw new TypeError(problem)
}

function checkMetadata(metadata: Fields): void {
  for (const name of ['name', 'namespace', 'uid', 'resourceVersion']) text(metadata[name], `metadata.${name}`)
  for (const name of ['creationTimestamp', 'deletionTimestamp']) timestamp(metadata[name], `metadata.${name}`)
  integer(metadata.generation, 'metadata.generation')
  for (const name of ['labels', 'annotations']) texts(metadata[name], `metadata.${name}`)
}

function checkSpec(spec: Fields): void {
  const health = optional(spec.health, 'spec.health', known.health)
  boolean(health.disabled, 'spec.health.disabled')
  smallInteger(health.periodSeconds, 'spec.health.periodSeconds', 0)
  smallInteger(health.failureThreshold, 'spec.health.failureThreshold', 0)
  smallInteger(health.initialDelaySeconds, 'spec.health.initialDelaySeconds', 0)
  for (const [i, port] of array(spec.ports, 'spec.ports').entries()) {
    const where = `spec.ports[${i}]`
    const fields = object(port, where, known.port)
    text(fields.name, `${where}.name`)
    smallInteger(fields.hostPort, `${where}.hostPort`, 0, highestPort)
    smallInteger(fields.containerPort, `${where}.containerPort`, 0, highestPort)
  }
}

function checkStatus(status: Fields): void {
  text(status.state, 'status.state')
  text(status.address, 'status.address')
  for (const [i, port] of array(status.ports, 'status.ports').entries()) {
    const fields = object(port, `status.ports[${i}]`, known.statusPort)
    text(fields.name, `status.ports[${i}].name`)
    smallInteger(fields.port, `status.ports[${i}].port`, 0, highestPort)
  }
  for (const [i, address] of array(status.addresses, 'status.addresses').entries()) {
    const fields = object(address, `status.addresses[${i}]`, known.address)
    for (const name of known.address) text(fields[name], `status.addresses[${i}].${name}`)
  }
}

function checkCounters(counters: unknown, where: string): void {
  for (const [name, counter] of entries(counters, where)) {
    const at = `${where}.${excerpt(name)}`
    const fields = object(counter, at, known.counter)
    for (const field of known.counter) count(fields[field], `${at}.${field}`)
  }
}

function checkLists(lists: unknown, where: string): void {
  for (const [name, list] of entries(lists, where)) {
    const at = `${where}.${excerpt(name)}`
    const fields = object(list, at, known.list)
    count(fields.capacity, `${at}.capacity`)
    for (const [i, item] of array(fields.values, `${at}.values`).entries()) {
      if (typeof item !== 'string') wrong(`${at}.values[${i}]`, 'a string', item)
    }
  }
}

const highestPort = 65_535

type Fields = Readonly<Record<string, unknown>>

/** The entries of an object whose keys are names that people give. */
function entries(value: unknown, where: string): [string, unknown][] {
  const fields = value == null ? {} : plainObject(value, where)
  const count = Object.keys(fields).length
  if (count > mostNames) throw new TypeError(`${where} has ${count} entries; at most ${mostNames} are taken`)
  return Object.entries(fields)
}

function object(value: unknown, where: string, names: readonly string[]): Fields {
  const fields = plainObject(value, where)
  for (const name of Object.keys(fields)) {
    if (!names.includes(name)) {
      throw new TypeError(`${where} has no field ${show(name)}; ${didYouMean(name, names)}`)
    }
  }
  return fields
}

function plainObject(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(where, 'an object', value)
  return value as Fields
}

function optional(value: unknown, where: string, names: readonly string[]): Fields {
  return value == null ? {} : object(value, where, names)
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
  for (const [key, item] of entries(value, where)) {
    if (typeof item !== 'string') wrong(`${where}.${excerpt(key)}`, 'a string (put it in quotes)', item)
  }
}

function timestamp(value: unknown, where: string): void {
  if (value == null) return
  const date = typeof value === 'string' && value.length < 100 ? Date.parse(value) : NaN
  if (Number.isNaN(date)) wrong(where, 'a time such as "2026-01-31T12:00:00Z"', value)
}

function integer(value: unknown, where: string): void {
  if (value != null && toInt64(value) === undefined) wrong(where, 'a 64-bit integer', value)
}

/** The platform takes no negative number here; in a status, which may be anything, the real sidecar does. */
function count(value: unknown, where: string): void {
  integer(value, where)
  const isSpec = where.startsWith('spec.')
  if (isSpec && value != null && lessThan(toInt64(value) ?? '0', '0')) wrong(where, 'at least 0', value)
}

function smallInteger(value: unknown, where: string, least: number, most = 2 ** 31 - 1): void {
  if (value == null) return
  if (!Number.isInteger(value)) wrong(where, 'an integer', value)
  if ((value as number) < least || (value as number) > most) wrong(where, `from ${least} to ${most}`, value)
}

function wrong(where: string, expected: string, value: unknown): never {
  throw new TypeError(`${where} should be ${expected}, not ${show(value)}`)
}
