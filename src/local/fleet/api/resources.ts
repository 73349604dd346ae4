import type { IncomingMessage } from 'node:http'
import type { ObjectChange, RunningFleet } from '../../../platform/fleet.js'
import { pathText, type InvalidInput } from '../../../platform/schema.js'

/** A column of a Table, as in a CRD: its name, its type and the path of its value. */
type Column = readonly [name: string, type: 'string' | 'integer' | 'date', jsonPath: string]

export interface ResourceType {
  readonly plural: string
  readonly kind: string
  readonly shortNames: readonly string[]
  readonly group: string
  readonly verbs: readonly string[]
  /** The columns of its Table beside the name. */
  readonly columns: readonly Column[]
  /** Fields that a field selector may name beside name and namespace. */
  readonly selectable?: readonly string[]
  readonly subresource?: 'scale'
}

/** A request, with what its path names. */
export interface ApiRequest {
  readonly type: ResourceType
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
  readonly query: URLSearchParams
  readonly message: IncomingMessage
  readonly fleet: RunningFleet
}

/** An answer in JSON, unless it is empty. */
export interface Answer {
  readonly body: object | ''
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** The types whose objects the Fleet keeps. */
export const stored: readonly ObjectChange['plural'][] = ['gameservers', 'fleets', 'gameserversets', 'fleetautoscalers']

export const apiVersionOf = ({ group }: Pick<ResourceType, 'group'>): string => `${group}/v1`

const read = ['get', 'list', 'watch']
const write = ['patch', 'update', 'delete']
const age: Column = ['Age', 'date', '.metadata.creationTimestamp']
const replicas: readonly Column[] = [
  ['Scheduling', 'string', '.spec.scheduling'],
  ['Desired', 'integer', '.spec.replicas'],
  ['Current', 'integer', '.status.replicas'],
  ['Allocated', 'integer', '.status.allocatedReplicas'],
  ['Ready', 'integer', '.status.readyReplicas'],
  age,
]
const addresses: readonly Column[] = [
  ['State', 'string', '.status.state'],
  ['Address', 'string', '.status.address'],
  ['Port', 'string', '.status.ports[0].port'],
  ['Node', 'string', '.status.nodeName'],
  age,
]

/** Every type, as `install/helm/agones/templates/crds` and `pkg/gameserverallocations/controller.go` define it. */
function typesOf(group: string): readonly ResourceType[] {
  const define = (kind: string, short: string, columns: readonly Column[], verbs: readonly string[], part = '') => ({
    ...{ kind, plural: `${kind.toLowerCase()}s`, shortNames: [short], columns, verbs, group: part + group },
  })
  return [
    {
      ...define('GameServer', 'gs', addresses, [...read, ...write]),
      selectable: ['status.state', 'status.nodeName'],
    },
    { ...define('Fleet', 'flt', replicas, [...read, ...write]), subresource: 'scale' },
    define('GameServerSet', 'gss', replicas, read),
    define('FleetAutoscaler', 'fas', [age], read, 'autoscaling.'),
    define('GameServerAllocation', 'gsa', [age], ['create'], 'allocation.'),
  ]
}

function resourceList(types: readonly ResourceType[], group: string): object {
  const resources = types
    .filter((type) => type.group === group)
    .flatMap(({ plural: name, kind, shortNames, verbs, subresource }) => {
      const own = { name, singularName: kind.toLowerCase(), namespaced: true, kind, verbs, shortNames }
      const scale = { singularName: '', namespaced: true, group: 'autoscaling', version: 'v1', kind: 'Scale' }
      return subresource ? [own, { name: `${name}/scale`, ...scale, verbs: ['get', 'patch', 'update'] }] : [own]
    })
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group }), resources }
}

export type Resources = ReturnType<typeof createResources>

export function createResources(group: string) {
  const types = typesOf(group)
  const groups = [...new Set(types.map((type) => type.group))].map((name) => {
    const version = { groupVersion: `${name}/v1`, version: 'v1' }
    return { name, versions: [version], preferredVersion: version }
  })
  /** Answers of the discovery, by path: what kubectl asks for before it can name a type. */
  const discovery: Readonly<Record<string, object>> = {
    '/api': { kind: 'APIVersions', versions: [] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
    ...Object.fromEntries(groups.map((one) => [`/apis/${one.name}`, { kind: 'APIGroup', apiVersion: 'v1', ...one }])),
    ...Object.fromEntries(groups.map(({ name }) => [`/apis/${name}/v1`, resourceList(types, name)])),
    '/version': { major: '1', minor: '33', gitVersion: 'v1.33.0' },
    '/openapi/v3': { paths: {} },
  }
  return { types, discovery }
}

/** A refusal, with the object and the message of the platform's `apimachinery/pkg/api/errors`. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly code: number
  readonly status: object

  constructor(code: number, reason: string, message: string, details: object = {}) {
    super(message)
    this.code = code
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code }
  }
}

const STALE = 'the object has been modified; please apply your changes to the latest version and try again'

const plain = (code: number, reason: string, fixed?: string) => (message?: string) =>
  new StatusError(code, reason, message ?? fixed ?? '')

const ofObject =
  (code: number, reason: string, write: (what: string, why: string) => string) =>
  ({ plural: kind, group }: ResourceType, name: string, why = STALE): StatusError =>
    new StatusError(code, reason, write(`${kind}.${group} ${JSON.stringify(name)}`, why), { name, group, kind })

export const refusals = {
  badRequest: plain(400, 'BadRequest'),
  noResource: plain(404, 'NotFound', 'the server could not find the requested resource'),
  noMethod: plain(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'),
  expired: plain(410, 'Expired'),
  tooLarge: plain(413, 'RequestEntityTooLarge'),
  mediaType: plain(415, 'UnsupportedMediaType'),
  internal: plain(500, 'InternalError'),
  notFound: ofObject(404, 'NotFound', (what) => `${what} not found`),
  conflict: ofObject(409, 'Conflict', (what, why) => `Operation cannot be fulfilled on ${what}: ${why}`),
  invalid({ kind, group }: ResourceType, name: string, message: string, field = '') {
    // kubectl writes the field before the cause.
    const cause = field !== '' && message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
    const causes = [{ reason: 'FieldValueInvalid', message: cause, field }]
    const text = `${kind}.${group} ${JSON.stringify(name)} is invalid: ${message}`
    return new StatusError(422, 'Invalid', text, { ...(name === '' ? {} : { name }), group, kind, causes })
  },
  unreadable: (type: ResourceType, name: string, { message, path }: InvalidInput): StatusError =>
    refusals.invalid(type, name, message, pathText(path)),
}
