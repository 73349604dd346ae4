import { hostname } from 'node:os'
import type { Api } from './api.js'
import { standInForNodes } from './bare-nodes.js'
import { isAlive } from './leftovers.js'
import type { Listed, Meta } from './objects.js'
import { until } from './wait.js'

const NAMESPACES = '/api/v1/namespaces'
const MARK = 'gameserver-sidecar/test'
const OWNER = 'gameserver-sidecar/owner'

export const newNamespace = (): string => `gameserver-sidecar-test-${Math.random().toString(36).slice(2, 8)}`

/** Makes a namespace that says whose it is. */
export async function createNamespace(api: Api, name: string): Promise<void> {
  const annotations = { [OWNER]: `${hostname()} ${process.pid}` }
  const metadata = { name, labels: { [MARK]: 'true' }, annotations }
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata })
}

/** Takes away everything in the namespace, and the namespace. Resolves when it is gone. */
export async function removeNamespace(api: Api, name: string): Promise<void> {
  const objects = `/apis/agones.dev/v1/namespaces/${name}`
  await api.remove(`${objects}/fleets`)
  await until(`the GameServers of ${name} to be gone`, async () => {
    const { items } = await api.get<Listed<unknown>>(`${objects}/gameservers`)
    return items.length === 0 ? true : undefined
  })
  await api.remove(`${NAMESPACES}/${name}`)
  await until(`${name} to be gone`, async () =>
    (await api.find(`${NAMESPACES}/${name}`)) === undefined ? true : undefined,
  )
}

/** Takes away what runs of this machine left that were killed. */
export async function removeAbandoned(api: Api): Promise<void> {
  const { items } = await api.get<Listed<{ metadata: Meta }>>(`${NAMESPACES}?labelSelector=${MARK}`)
  for (const { metadata } of items) {
    const [host, pid] = (metadata.annotations?.[OWNER] ?? '').split(' ')
    if (host !== hostname() || isAlive(Number(pid))) continue
    const nodes = await standInForNodes(api, metadata.name)
    await removeNamespace(api, metadata.name).finally(() => nodes?.close())
  }
}
