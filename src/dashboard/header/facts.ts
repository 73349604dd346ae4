import type { SidecarSnapshot } from '../../sidecar/index.js'
import { plural } from '../common/format.js'

/** What the header tells beside the GameServer's name: its address, its watchers, its first list and its first counter. */
export function factsOf({ gameServer: { status }, watchers }: SidecarSnapshot): string[] {
  const lists = Object.entries(status.lists ?? {})
  const counters = Object.entries(status.counters ?? {})
  return [
    `${status.address ?? ''}${status.ports?.[0] ? `:${status.ports[0].port}` : ''}`,
    plural(watchers.length, 'watcher'),
    // The name comes first, since a number before it would ask for another form of it: "1 rooms".
    ...lists.slice(0, 1).map(([name, { values }]) => `${name}: ${values?.length ?? 0}`),
    ...counters.slice(0, 1).map(([name, { count }]) => `${name}: ${count}`),
  ].filter(Boolean)
}
