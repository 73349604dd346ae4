import { createFleet } from '../../../src/node.js'
import type { FleetManifest } from '../../../src/platform/fleet/types.js'
import { isObject } from '../../../src/protocol/is-object.js'
import type { Change } from './allocations.js'
import { allocatorService } from './allocator-service.js'
import { askAt, openApi, until, type Answer, type Ask } from './api.js'
import { startCluster } from './cluster.js'
import { testFleet } from './manifests.js'
import type { GameServerObject, Listed } from './objects.js'

/** How many GameServers each side has. */
const SERVERS = 4

/** A Fleet of GameServers that only the test changes: on this machine, or on the cluster. */
export interface Side {
  /** Makes the GameServers Ready and empty, but for these changes, which go to the first, the second and so on. */
  reset(changes: readonly Change[]): Promise<void>
  /** Allocates by the aggregated API. */
  allocate(manifest: object | string): Promise<object>
  /** Allocates by the allocator service. */
  serve(request: object): Promise<object>
  readonly namespace: string
  close(): Promise<void>
}

async function sideOf(
  ask: Ask,
  service: Ask | undefined,
  namespace: string,
  close: () => Promise<void>,
): Promise<Side> {
  const gameServers = `/apis/agones.dev/v1/namespaces/${namespace}/gameservers`
  const names = await until(`${SERVERS} GameServers`, async () => {
    const { items } = (await ask('GET', gameServers)).body as Listed<GameServerObject>
    const scheduled = items.filter(({ status }) => status.state === 'Scheduled')
    return scheduled.length === SERVERS ? scheduled.map(({ metadata }) => metadata.name).sort() : undefined
  })

  /** An answer with names that both sides share. Refusals have words of their own. */
  const compared = ({ status, body }: Answer): object => {
    const code = isObject(body) ? body['code'] : undefined
    if (status >= 400) return { status, code: code === status ? undefined : code }
    let text = JSON.stringify(body, (key, value: unknown) => (MEANINGLESS.has(key) ? undefined : value))
    for (const [index, name] of names.entries()) text = text.replaceAll(name, `server-${index}`)
    return { status, body: JSON.parse(text.replaceAll(namespace, 'namespace')) as unknown }
  }

  return {
    namespace,
    close,
    async reset(changes) {
      await Promise.all(
        names.map((name, index) => {
          const { labels, status } = changes[index] ?? {}
          const metadata = {
            labels: { mode: null, tier: null, ...labels },
            annotations: { map: null, seed: null },
          }
          return ask('PATCH', `${gameServers}/${name}`, { metadata, status: { ...EMPTY, ...status } })
        }),
      )
    },
    allocate: async (manifest) =>
      compared(
        await ask('POST', `/apis/allocation.agones.dev/v1/namespaces/${namespace}/gameserverallocations`, manifest),
      ),
    async serve(request) {
      if (service === undefined) throw new Error("no certificate for the cluster's allocator service")
      return compared(await service('POST', '/gameserverallocation', request))
    },
  }
}

const EMPTY = {
  state: 'Ready',
  counters: { players: { count: 0, capacity: 8 } },
  lists: { roster: { capacity: 8, values: [] } },
}

/** Times, addresses and names of what isn't compared. */
const MEANINGLESS = new Set(
  [
    'creationTimestamp uid resourceVersion address addresses nodeName port',
    'agones.dev/last-allocated agones.dev/gameserverset agones.dev/sdk-version agones.dev/ready-container-id',
  ].flatMap((names) => names.split(' ')),
)

const NAMESPACE = 'on-the-desk'

export async function onDesk(): Promise<Side> {
  const manifest = testFleet(SERVERS) as FleetManifest
  const fleet = await createFleet({
    command: [process.execPath, '-e', 'setInterval(() => undefined, 1e6)'],
    fleet: { ...manifest, metadata: { ...manifest.metadata, namespace: NAMESPACE } },
  })
  const { hostname, port } = new URL(fleet.url)
  const ask = askAt({ hostname, port })
  return sideOf(ask, ask, NAMESPACE, () => fleet.close())
}

export async function onCluster(): Promise<Side> {
  const cluster = await startCluster(SERVERS)
  const api = await openApi()
  const service = await allocatorService()
  return sideOf(api.ask, service && askAt(service), cluster.namespace, async () => {
    service?.close()
    await api.close()
    await cluster.close()
  })
}
