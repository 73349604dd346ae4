import * as v from 'valibot'
import { isObject } from '../../protocol/is-object.js'
import { didYouMean } from '../../protocol/nearest.js'
import { isTimeZone, parseCron, parseDuration } from '../fleet/schedule.js'
import type { AutoscalerManifest, FleetManifest } from '../fleet/types.js'
import { show } from '../sidecar/state/show.js'
import { annotations, labels, priority } from './allocation.js'
import { InvalidInput, integer, leaf, list, name, nullish, object, pattern, quotable, read, record } from './check.js'
import { rule, text, unread, word } from './check.js'
import type { Fields, Schema } from './check.js'
import { gameServer, readGameServer } from './game-server.js'

const count = integer(0, 2 ** 31 - 1)
const most = integer(1, 2 ** 31 - 1)

/** A share in percent, as text; undefined for anything else. */
const percent = (value: unknown): number | undefined =>
  typeof value === 'string' && /^\d{1,9}%$/.test(value) ? Number(value.slice(0, -1)) : undefined

/** Source: validateRollingUpdate of pkg/apis/agones/v1/fleet.go, and ValidateBufferPolicy of pkg/apis/autoscaling/v1. */
const amount = leaf('an integer of at least 1, or a percentage from "1%" to "99%"', (value) => {
  const share = percent(value)
  return share === undefined ? Number.isInteger(value) && Number(value) >= 1 : share >= 1 && share <= 99
})

const objectName = v.pipe(
  pattern('a name of lower-case letters, digits, "-" and "."', /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/),
  v.maxLength(63, ({ input }) => `must have at most 63 characters; got ${show(input)}`),
)

/** Metadata of a Fleet or autoscaler, of which the cluster's own fields are ignored. */
const metadata = v.looseObject(
  nullish({ name: objectName, namespace: objectName, labels: record(quotable), annotations: record(quotable) }),
)

const fleet = object({
  ...nullish({ apiVersion: text, metadata }),
  ...unread('kind', 'status'),
  spec: object({
    template: gameServer,
    ...nullish({
      replicas: count,
      scheduling: word(['Packed', 'Distributed'], ['']),
      strategy: object(
        nullish({
          type: word(['RollingUpdate', 'Recreate'], ['']),
          rollingUpdate: object(nullish({ maxSurge: amount, maxUnavailable: amount })),
        }),
      ),
      priorities: list(priority),
      allocationOverflow: object(nullish({ labels, annotations })),
    }),
  }),
})

/** The bounds of a policy. Source: Validate…Policy of pkg/apis/autoscaling/v1/fleetautoscaler.go. */
const bounds = (least: string, greatest: string) =>
  rule((policy) => {
    const { bufferSize } = policy
    const min = Number(policy[least] ?? 0)
    const max = Number(policy[greatest])
    const fault = (key: string, expected: string) => ({ key, message: `must be ${expected}; got ${show(policy[key])}` })
    if (min > max) return fault(least, `at most ${greatest}, ${max}`)
    if (percent(bufferSize) !== undefined) {
      return min < 1 ? fault(least, 'at least 1 beside a bufferSize in percent') : undefined
    }
    const buffer = Number(bufferSize)
    if (max < buffer) return fault(greatest, `at least bufferSize, ${buffer}`)
    return min !== 0 && min < buffer ? fault(least, `0, or at least bufferSize, ${buffer}`) : undefined
  })

const capacityPolicy = v.pipe(
  object({ key: name, bufferSize: amount, maxCapacity: most, minCapacity: v.nullish(count) }),
  bounds('minCapacity', 'maxCapacity'),
)

const webhook = v.pipe(
  object(
    nullish({
      url: v.pipe(
        pattern('a URL, such as "http://127.0.0.1:8000/scale"', /^https?:/),
        v.check((given) => URL.canParse(given), 'must be a URL'),
      ),
      service: object({ name, ...nullish({ namespace: text, path: text, port: integer(1, 65_535) }) }),
      caBundle: text,
    }),
  ),
  rule(({ url, service }) => {
    if (url == null && service == null) return { message: 'needs a url or a service' }
    return url != null && service != null ? { key: 'url', message: 'excludes service' } : undefined
  }),
)

/** Text that passes a test, or none, as Go's empty text. */
const textOr = (expected: string, test: (text: string) => boolean) =>
  leaf(expected, (value) => typeof value === 'string' && (value === '' || test(value)))
const time = textOr(
  'a time, such as "2026-01-31T08:00:00Z"',
  (given) => /^\d{4}-\d\d-\d\dT/.test(given) && !Number.isNaN(Date.parse(given)),
)

/** The fields of a schedule beside its policy. Source: ValidateSchedulePolicy of pkg/apis/autoscaling/v1. */
const times = nullish({
  between: v.pipe(
    object(nullish({ start: time, end: time })),
    rule(({ start, end }) =>
      Date.parse(end as string) < Date.parse(start as string)
        ? { key: 'end', message: `must be after start; got ${show(end)}` }
        : undefined,
    ),
  ),
  activePeriod: object(
    nullish({
      timezone: textOr('a time zone, such as "Europe/Berlin"', isTimeZone),
      startCron: textOr(
        'a cron expression of five fields, such as "0 22 * * *"',
        (given) => parseCron(given) !== undefined,
      ),
      duration: textOr('a duration, such as "8h" or "1h30m"', (given) => parseDuration(given) !== undefined),
    }),
  ),
})

/** The field of each type of policy that runs here. */
const simple: Readonly<Record<string, Schema>> = {
  buffer: v.pipe(
    object({ bufferSize: amount, maxReplicas: most, minReplicas: v.nullish(count) }),
    bounds('minReplicas', 'maxReplicas'),
  ),
  counter: capacityPolicy,
  list: capacityPolicy,
  webhook,
}

/** A policy of one of these types, with other fields beside it. */
function policyOf(policies: Readonly<Record<string, Schema>>, others: Readonly<Record<string, Schema>> = {}): Schema {
  const types = Object.keys(policies).map((field) => field.replace(/^./, (letter) => letter.toUpperCase()))
  return v.pipe(
    object({ type: word(types, ['Wasm']), ...others, ...nullish(policies), ...unread('wasm') }),
    rule((value) => {
      const type = String(value['type'])
      const field = type.toLowerCase()
      if (type === 'Wasm') return { key: 'type', message: `Wasm runs only in a cluster; use ${types.join(', ')} here` }
      return value[field] == null ? { message: `needs the field ${field} for the type ${type}` } : undefined
    }),
  )
}

const scheduled = { ...simple, schedule: object({ ...times, policy: policyOf(simple) }) }
const chain = v.pipe(
  list(policyOf(scheduled, nullish({ id: text }))),
  v.check((entries) => {
    const ids = (entries as readonly Fields[]).map((entry, index) => entry['id'] || String(index))
    return ids.length > 0 && new Set(ids).size === ids.length
  }, 'must have entries, each with an id of its own'),
)
const policy = policyOf({ ...scheduled, chain })

const autoscaler = object({
  ...nullish({ apiVersion: text, metadata }),
  ...unread('kind', 'status'),
  spec: object({
    fleetName: objectName,
    policy,
    sync: v.nullish(
      object(nullish({ type: word(['FixedInterval'], ['']), fixedInterval: object(nullish({ seconds: most })) })),
    ),
  }),
})

/** Reads a Fleet. @throws InvalidInput */
export const readFleet = (value: unknown): FleetManifest => read(fleet, value, 'a Fleet') as FleetManifest

/** Reads a FleetAutoscaler. @throws InvalidInput */
export const readAutoscaler = (value: unknown): AutoscalerManifest =>
  read(autoscaler, value, 'a FleetAutoscaler') as AutoscalerManifest

/** A document of a Fleet's file. */
export type FleetDocument = { readonly fleet: FleetManifest } | { readonly autoscaler: AutoscalerManifest }

const readers: Readonly<Record<string, (value: Fields) => FleetDocument>> = {
  Fleet: (value) => ({ fleet: readFleet(value) }),
  FleetAutoscaler: (value) => ({ autoscaler: readAutoscaler(value) }),
  // A GameServer alone is the template of a Fleet of its name. Its status is another GameServer's.
  GameServer(value) {
    const { metadata, spec } = readGameServer(value)
    const { name, namespace, labels, annotations } = metadata ?? {}
    const own = { ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) }
    const template = { metadata: { labels: labels ?? {}, annotations: annotations ?? {} }, spec: spec ?? {} }
    return { fleet: { metadata: own, spec: { template } } }
  },
}

/** Reads a document of a Fleet's file: a Fleet, a FleetAutoscaler, or a GameServer. @throws InvalidInput */
export function readFleetDocument(value: unknown): FleetDocument {
  const kind = isObject(value) ? value['kind'] : undefined
  if (isObject(value) && Object.hasOwn(readers, String(kind))) return readers[String(kind)]!(value)
  throw new InvalidInput({
    path: ['kind'],
    message: `kind can't be ${show(kind)}; ${didYouMean(kind, Object.keys(readers))}`,
  })
}
