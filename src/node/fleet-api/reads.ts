import type { PlatformObject, RunningFleet } from '../../fleet/types.js'
import { json } from './answer.js'
import { isStored, objectsOf } from './objects.js'
import { apiVersionOf } from './resources.js'
import { matcherOf } from './selectors.js'
import type { Selection } from './selectors.js'
import { refusals } from './status.js'
import { tableOf, wantsTable } from './table.js'
import type { Watches } from './watches.js'

/** A request, with what its path names. */
export interface Asked extends Selection {
  readonly subresource: string | undefined
  readonly fleet: RunningFleet
  readonly watches: Watches
  readonly request: Request
}

export function list(asked: Asked): Response {
  const { type, fleet, request } = asked
  const { resourceVersion } = fleet
  const items = objectsOf(fleet, type).filter(matcherOf(asked))
  if (wantsTable(request)) return json(table(asked, items))
  const metadata = { continue: '', resourceVersion }
  return json({ apiVersion: apiVersionOf(type), kind: `${type.kind}List`, metadata, items })
}

const table = ({ type, fleet, query }: Asked, items: readonly PlatformObject[], withColumns = true): object => {
  const { resourceVersion } = fleet
  const includeObject = query.get('includeObject')
  return tableOf(type, items, { resourceVersion, now: fleet.snapshot().now, includeObject, withColumns })
}

/** The object that a path names; undefined if there is none. */
export function existing({ type, fleet, name, namespace }: Asked): PlatformObject | undefined {
  return objectsOf(fleet, type).find(
    ({ metadata }) => metadata.name === name && (namespace ?? metadata.namespace) === metadata.namespace,
  )
}

/** The object that a path names. @throws StatusError */
export function found(asked: Asked): PlatformObject {
  const object = existing(asked)
  if (object === undefined) throw refusals.notFound(asked.type, asked.name!)
  return object
}

export function read(asked: Asked): Response {
  const object = found(asked)
  if (asked.subresource !== undefined) return json(scaleOf(object))
  return json(wantsTable(asked.request) ? table(asked, [object]) : object)
}

/** The part of a Fleet that autoscalers and `kubectl scale` use. */
export function scaleOf({ metadata, spec, status }: PlatformObject): Readonly<Record<string, unknown>> {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata
  const replicasOf = (part: object | undefined): unknown =>
    (part as { readonly replicas?: number } | undefined)?.replicas
  return {
    ...{ kind: 'Scale', apiVersion: 'autoscaling/v1' },
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    ...{ spec: { replicas: replicasOf(spec) }, status: { replicas: replicasOf(status) ?? 0 } },
  }
}

export function watch(asked: Asked): Response {
  const { type, query, request, watches } = asked
  const { plural } = type
  if (!isStored(plural)) throw refusals.noMethod()
  const version = query.get('resourceVersion') ?? ''
  if (!/^\d*$/.test(version)) throw refusals.badRequest(`invalid resource version ${JSON.stringify(version)}`)
  const isTable = wantsTable(request)
  const isInitial = query.get('sendInitialEvents') === 'true'
  return watches.watch({
    plural,
    matches: matcherOf(asked),
    form: isTable ? `table ${query.get('includeObject')}` : 'object',
    write: (object, isFirst) => (isTable ? table(asked, [object], isFirst) : object),
    bookmark:
      query.get('allowWatchBookmarks') === 'true' && !isTable
        ? (metadata) => ({ kind: type.kind, apiVersion: apiVersionOf(type), metadata })
        : undefined,
    since: version === '' || version === '0' || isInitial ? undefined : version,
    marksInitial: isInitial,
    timeoutSeconds: Number(query.get('timeoutSeconds')) || undefined,
  })
}
