import type { FleetEntry, ObjectChange, PlatformObject, RunningFleet } from '../../fleet/types.js'
import { stored } from './resources.js'
import type { ResourceType } from './resources.js'

export const isStored = (plural: string): plural is ObjectChange['plural'] => stored.some((known) => known === plural)

/** All objects of a type. */
export function objectsOf(fleet: RunningFleet, { plural }: ResourceType): readonly PlatformObject[] {
  if (isStored(plural)) return fleet.objects(plural)
  const own = fleet.snapshot().fleet
  if (plural === 'namespaces') return [namespaceOf(own)]
  if (plural !== 'events') return []
  const servers = new Map(fleet.objects('gameservers').map((object) => [object.metadata.name, object]))
  const gone = (name: string): PlatformObject => ({
    ...own,
    kind: 'GameServer',
    metadata: { ...own.metadata, name, uid: '' },
  })
  return fleet.entries().map((entry) => {
    const { server } = entry
    return eventOf(entry, server === undefined ? own : (servers.get(server) ?? gone(server)))
  })
}

function namespaceOf({
  metadata: { namespace: name, uid, resourceVersion, creationTimestamp },
}: PlatformObject): PlatformObject {
  const metadata = { name, namespace: '', uid, resourceVersion, generation: 1, creationTimestamp }
  return { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {}, status: { phase: 'Active' } }
}

/** An entry of the timeline as an event of its object. */
function eventOf({ sequence, at, type, text }: FleetEntry, about: PlatformObject) {
  const { apiVersion, kind, metadata } = about
  const { name, namespace, uid } = metadata
  const time = `${new Date(at).toISOString().slice(0, 19)}Z`
  const own = { name: `${name}.${sequence.toString(16)}`, uid: `${uid}-${sequence}`, resourceVersion: String(sequence) }
  return {
    ...{ apiVersion: 'v1', kind: 'Event', spec: {} },
    metadata: { ...own, namespace, generation: 1, creationTimestamp: time },
    involvedObject: { apiVersion, kind, name, namespace, uid },
    ...{
      reason: type[0]!.toUpperCase() + type.slice(1),
      type: type === 'warning' ? 'Warning' : 'Normal',
      message: text,
    },
    ...{ firstTimestamp: time, lastTimestamp: time, count: 1, source: { component: 'gameserver-sidecar' } },
  }
}
