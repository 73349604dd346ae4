import type { ObjectChange } from '../../fleet/types.js'

/** A column of a Table, as in a CRD: its name, its type and the path of its value. */
type Column = readonly [name: string, type: 'string' | 'integer' | 'date', jsonPath: string]

/** A type of objects that the API serves. */
export interface ResourceType {
  readonly plural: string
  readonly kind: string
  readonly shortNames: readonly string[]
  /** Empty for the core group. */
  readonly group: string
  readonly verbs: readonly string[]
  /** The columns of its Table beside the name. */
  readonly columns: readonly Column[]
  /** Fields that a field selector may name beside name and namespace. */
  readonly selectable: readonly string[]
  readonly subresource?: 'scale'
}

const read = ['get', 'list', 'watch']
const age: Column = ['Age', 'date', '.metadata.creationTimestamp']
const replicas: readonly Column[] = [
  ['Scheduling', 'string', '.spec.scheduling'],
  ['Desired', 'integer', '.spec.replicas'],
  ['Current', 'integer', '.status.replicas'],
  ['Allocated', 'integer', '.status.allocatedReplicas'],
  ['Ready', 'integer', '.status.readyReplicas'],
  age,
]

/** Every type, as `install/helm/agones/templates/crds` and `pkg/gameserverallocations/controller.go` define it. */
function typesOf(group: string): readonly ResourceType[] {
  const define = (kind: string, verbs: readonly string[], more: Partial<ResourceType>): ResourceType => {
    const plural = `${kind.toLowerCase()}s`
    return { kind, plural, verbs, group, shortNames: [], columns: [age], selectable: [], ...more }
  }
  return [
    define('GameServer', [...read, 'patch', 'update', 'delete'], {
      shortNames: ['gs'],
      columns: [
        ['State', 'string', '.status.state'],
        ['Address', 'string', '.status.address'],
        ['Port', 'string', '.status.ports[0].port'],
        ['Node', 'string', '.status.nodeName'],
        age,
      ],
      selectable: ['status.state', 'status.nodeName'],
    }),
    define('Fleet', [...read, 'create', 'patch', 'update', 'delete'], {
      shortNames: ['flt'],
      columns: replicas,
      subresource: 'scale',
    }),
    define('GameServerSet', read, { shortNames: ['gss', 'gsset'], columns: replicas }),
    define('FleetAutoscaler', [...read, 'create', 'patch', 'update', 'delete'], {
      group: `autoscaling.${group}`,
      shortNames: ['fas'],
    }),
    define('GameServerAllocation', ['create'], { group: `allocation.${group}`, shortNames: ['gsa'] }),
    define('Namespace', ['get', 'list'], { group: '', shortNames: ['ns'] }),
    // `kubectl describe` shows the timeline of an object by its events.
    define('Event', ['get', 'list'], {
      group: '',
      shortNames: ['ev'],
      columns: [
        ['Last Seen', 'date', '.lastTimestamp'],
        ['Type', 'string', '.type'],
        ['Reason', 'string', '.reason'],
        ['Object', 'string', '.involvedObject.name'],
        ['Message', 'string', '.message'],
      ],
      selectable: ['kind', 'namespace', 'name', 'uid'].map((field) => `involvedObject.${field}`),
    }),
  ]
}

/** The types whose objects the Fleet keeps. */
export const stored: readonly ObjectChange['plural'][] = ['gameservers', 'fleets', 'gameserversets', 'fleetautoscalers']

export const isNamespaced = ({ kind }: ResourceType): boolean => kind !== 'Namespace'

/** `agones.dev/v1`; `v1` for the core group. */
export const apiVersionOf = ({ group }: Pick<ResourceType, 'group'>): string => (group === '' ? 'v1' : `${group}/v1`)

function resourceList(types: readonly ResourceType[], group: string): object {
  const resources = types
    .filter((type) => type.group === group)
    .flatMap((type) => {
      const { plural: name, kind, shortNames, verbs, subresource } = type
      const namespaced = isNamespaced(type)
      const own = { name, singularName: kind.toLowerCase(), namespaced, kind, verbs, shortNames }
      const scale = { singularName: '', namespaced, group: 'autoscaling', version: 'v1', kind: 'Scale' }
      return subresource ? [own, { name: `${name}/scale`, ...scale, verbs: ['get', 'patch', 'update'] }] : [own]
    })
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group }), resources }
}

export interface Resources {
  readonly types: readonly ResourceType[]
  /** Answers of the discovery, by path: what kubectl asks for before it can name a type. */
  readonly discovery: Readonly<Record<string, object>>
}

/** The types of a platform with this group, such as `agones.dev`. */
export function createResources(group: string): Resources {
  const types = typesOf(group)
  const groups = [...new Set(types.map((type) => type.group))].filter(Boolean).map((name) => {
    const version = { groupVersion: `${name}/v1`, version: 'v1' }
    return { name, versions: [version], preferredVersion: version }
  })
  return {
    types,
    discovery: {
      '/api': { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] },
      '/api/v1': resourceList(types, ''),
      '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
      ...Object.fromEntries(groups.map((one) => [`/apis/${one.name}`, { kind: 'APIGroup', apiVersion: 'v1', ...one }])),
      ...Object.fromEntries(groups.map(({ name }) => [`/apis/${name}/v1`, resourceList(types, name)])),
      '/version': { major: '1', minor: '33', gitVersion: 'v1.33.0' },
      '/openapi/v2': { swagger: '2.0', info: { title: 'gameserver-sidecar', version: 'v1' }, paths: {} },
      '/openapi/v3': { paths: {} },
    },
  }
}
