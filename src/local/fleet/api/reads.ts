import type { PlatformObject, RunningFleet } from '../../../platform/fleet.js'
import { apiVersionOf, stored, refusals, type Answer, type ApiRequest, type ResourceType } from './resources.js'
import { labelMismatch, own, type LabelExpression } from '../../../platform/sidecar.js'

export function list(request: ApiRequest): Answer {
  const { type, fleet } = request
  const items = objectsOf(fleet, type).filter(matcherOf(request)).sort(byName)
  if (wantsTable(request)) return { body: tableOf(request, items) }
  const metadata = { continue: '', resourceVersion: fleet.resourceVersion }
  return { body: { apiVersion: apiVersionOf(type), kind: `${type.kind}List`, metadata, items } }
}

/** The order of a list in a cluster. */
const byName = ({ metadata: a }: PlatformObject, { metadata: b }: PlatformObject): number => (a.name < b.name ? -1 : 1)

export function read(request: ApiRequest): Answer {
  const object = found(request)
  if (request.subresource !== undefined) return { body: scaleOf(object) }
  return { body: wantsTable(request) ? tableOf(request, [object]) : object }
}

export function objectsOf(fleet: RunningFleet, { plural }: ResourceType): readonly PlatformObject[] {
  const known = stored.find((one) => one === plural)
  return known === undefined ? [] : fleet.objects(known)
}

export function existing({ type, fleet, name, namespace }: ApiRequest): PlatformObject | undefined {
  return objectsOf(fleet, type).find(
    ({ metadata }) => metadata.name === name && (namespace ?? metadata.namespace) === metadata.namespace,
  )
}

/** The object that a path names. @throws StatusError */
export function found(request: ApiRequest): PlatformObject {
  const object = existing(request)
  if (object === undefined) throw refusals.notFound(request.type, request.name!)
  return object
}

/** The part of a Fleet that autoscalers and `kubectl scale` use. */
export function scaleOf({ metadata, spec, status }: PlatformObject): Readonly<Record<string, unknown>> {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata
  const replicasOf = (part: object | undefined): unknown => valueAt(part ?? {}, '.replicas')
  return {
    ...{ kind: 'Scale', apiVersion: 'autoscaling/v1' },
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    ...{ spec: { replicas: replicasOf(spec) }, status: { replicas: replicasOf(status) ?? 0 } },
  }
}

/** Whether a client asks for rows to print, as `kubectl get` does. */
export const wantsTable = ({ message }: ApiRequest): boolean => /;as=Table\b/.test(message.headers.accept ?? '')

/** Objects as the rows of a Table, by the columns of their type's CRD. */
export function tableOf(
  { type, fleet, query }: ApiRequest,
  items: readonly PlatformObject[],
  withColumns = true,
): object {
  const { now } = fleet.snapshot()
  const wanted = query.get('includeObject')
  const column = (name: string, type: string, format = '') => ({ name, type, format, description: '', priority: 0 })
  const columns = [column('Name', 'string', 'name'), ...type.columns.map(([name, type]) => column(name, type))]
  const rows = items.map((object) => {
    const { metadata } = object
    const short = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
    return {
      cells: [metadata.name, ...type.columns.map(([, type, path]) => cellOf(valueAt(object, path), type, now))],
      object: wanted === 'None' ? null : wanted === 'Object' ? object : short,
    }
  })
  const head = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: fleet.resourceVersion } }
  return { ...head, columnDefinitions: withColumns ? columns : null, rows }
}

function cellOf(value: unknown, type: string, now: number): string | number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  if (type === 'integer') return Number(value)
  return type === 'date' ? duration((now - Date.parse(String(value))) / 1000) : String(value)
}

/** A duration in the unit that `apimachinery/pkg/util/duration` takes: `90s`, `45m`, `30h`, `9d`. */
function duration(seconds: number): string {
  const [, unit, letter] = (
    [
      [120, 1, 's'],
      [3 * 3600, 60, 'm'],
      [48 * 3600, 3600, 'h'],
      [Infinity, 86_400, 'd'],
    ] as const
  ).find(([below]) => seconds < below)!
  return `${Math.max(0, Math.floor(seconds / unit))}${letter}`
}

/** One condition of a label selector, as `apimachinery/pkg/labels/selector.go` reads it. */
const CONDITION =
  /^\s*(?:(?<absent>!\s*)?(?<alone>[^\s!=,()<>]+)|(?<key>[^\s!=,()<>]+)\s*(?:(?<sign>==?|!=)\s*(?<value>[^\s!=,()<>]*)|(?<word>in|notin)\s*\((?<values>[^()]*)\)))\s*(?:,|$)/

function parseLabels(text: string): LabelExpression[] {
  const expressions: LabelExpression[] = []
  for (let rest = text; rest.trim() !== '';) {
    const found = CONDITION.exec(rest)
    if (found === null) throw refusals.badRequest(`unable to parse requirement: ${JSON.stringify(text.slice(0, 200))}`)
    rest = rest.slice(found[0].length)
    const { absent, alone, key = alone!, sign, value, word, values } = found.groups!
    if (alone !== undefined) expressions.push({ key, operator: absent === undefined ? 'Exists' : 'DoesNotExist' })
    else {
      const operator = sign === '!=' || word === 'notin' ? 'NotIn' : 'In'
      expressions.push({ key, operator, values: value === undefined ? values!.split(',').map(trim) : [value] })
    }
  }
  return expressions
}

const trim = (text: string): string => text.trim()

/** The value at a path such as `.status.ports[0].port`. */
const valueAt = (object: object, path: string): unknown =>
  (path.match(/[^.[\]]+/g) ?? []).reduce<unknown>(
    (value, key) =>
      typeof value === 'object' ? own(value as Readonly<Record<string, unknown>> | null, key) : undefined,
    object,
  )

/** Text of a field; empty for what is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The conditions of a field selector: the field, whether it must differ, and the value. */
function parseFields(text: string, type: ResourceType): [field: string, differs: boolean, value: string][] {
  const fields = ['metadata.name', 'metadata.namespace', ...(type.selectable ?? [])]
  return text
    .split(',')
    .filter(Boolean)
    .map((term) => {
      const [, field = '', sign, value = ''] = /^([^=!]*)(==?|!=)(.*)$/.exec(term) ?? []
      if (sign === undefined)
        throw refusals.badRequest(`invalid selector: '${text.slice(0, 200)}'; can't understand '${term}'`)
      if (!fields.includes(field)) throw refusals.badRequest(`field label not supported: ${field}`)
      return [field, sign === '!=', value]
    })
}

/** Tells whether a request selects an object. @throws StatusError for a malformed selector */
export function matcherOf({ type, namespace, name, query }: ApiRequest): (object: PlatformObject) => boolean {
  const labels = parseLabels(query.get('labelSelector') ?? '')
  const fields = parseFields(query.get('fieldSelector') ?? '', type)
  if (namespace !== undefined) fields.push(['metadata.namespace', false, namespace])
  if (name !== undefined) fields.push(['metadata.name', false, name])
  return (object) =>
    fields.every(([field, differs, value]) => (textOf(valueAt(object, field)) === value) !== differs) &&
    labels.every((expression) => labelMismatch(expression, own(object.metadata.labels, expression.key)) === undefined)
}
