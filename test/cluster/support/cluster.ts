import { hostname } from 'node:os'
import { openApi, until, type Api } from './api.js'
import { standInForNodes } from './bare-nodes.js'
import { isAlive } from '../../../src/local/game/processes.js'
import { secretFolder } from './leftovers.js'
import { testAllocation, testFleet } from './manifests.js'
import type { AllocationAnswer, GameServerObject, Listed, Meta } from './objects.js'
import { letSidecarsIn, sidecarFor, type Sidecar } from './sidecar.js'

/** A namespace with a Fleet of its own. `close()` takes both away again. */
export interface Cluster {
  readonly namespace: string
  /** A Scheduled GameServer that nobody has taken yet, and its sidecar, which isn't started. */
  take(): Promise<{ name: string; sidecar: Sidecar }>
  gameServer(name: string): Promise<GameServerObject | undefined>
  /** Resolves with the GameServer once it is as asked for. */
  when(name: string, what: string, test: (gameServer: GameServerObject) => boolean): Promise<GameServerObject>
  /** Changes a GameServer from outside. */
  patch(name: string, change: object): Promise<void>
  /** Deletes a GameServer from outside. */
  remove(name: string): Promise<void>
  /** What a matchmaker asks for; `change` adds to the manifest. */
  allocate(change?: object): Promise<AllocationAnswer['status']>
  /** Its pod is kept when it is deleted, as while a game still ends. Returns a function that releases the pod. */
  hold(gameServer: string): () => void
  close(): Promise<void>
}

export async function startCluster(replicas: number): Promise<Cluster> {
  const undo: (() => Promise<unknown>)[] = []
  async function close(): Promise<void> {
    const failures: unknown[] = []
    for (const step of undo.reverse()) await step().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw new AggregateError(failures, 'Not everything was taken away from the cluster')
  }

  try {
    const api = await openApi()
    undo.push(() => api.close())
    const folder = secretFolder()
    undo.push(async () => folder.remove())
    await removeAbandoned(api)

    const namespace = newNamespace()
    const nodes = await standInForNodes(api, namespace)
    if (nodes) undo.push(() => nodes.close())
    await createNamespace(api, namespace)
    undo.push(() => removeNamespace(api, namespace))
    const kubeconfig = await letSidecarsIn(api, namespace, folder.path)
    const sidecars: Sidecar[] = []
    undo.push(() => Promise.all(sidecars.map((sidecar) => sidecar.kill())))

    const objects = `/apis/agones.dev/v1/namespaces/${namespace}`
    const gameServers = `${objects}/gameservers`
    const allocations = `/apis/allocation.agones.dev/v1/namespaces/${namespace}/gameserverallocations`
    await api.create(`${objects}/fleets`, testFleet(replicas))
    const taken = new Set<string>()

    return {
      namespace,
      async take() {
        const name = await until('a GameServer that is Scheduled', async () => {
          nodes?.check()
          const { items } = await api.get<Listed<GameServerObject>>(gameServers)
          const isFree = ({ metadata, status }: GameServerObject): boolean =>
            status.state === 'Scheduled' && !taken.has(metadata.name)
          return items.find(isFree)?.metadata.name
        })
        taken.add(name)
        const sidecar = await sidecarFor(name, namespace, kubeconfig)
        sidecars.push(sidecar)
        return { name, sidecar }
      },
      gameServer: (name) => api.find(`${gameServers}/${name}`),
      when: (name, what, test) =>
        until(`${name} to be ${what}`, async () => {
          const gameServer = await api.get<GameServerObject>(`${gameServers}/${name}`)
          return test(gameServer) ? gameServer : undefined
        }),
      patch: (name, change) => api.patch(`${gameServers}/${name}`, change),
      remove: (name) => api.remove(`${gameServers}/${name}`),
      async allocate(change = {}) {
        const allocation = testAllocation()
        const asked = { ...allocation, spec: { ...allocation.spec, ...change } }
        return (await api.create<AllocationAnswer>(allocations, asked)).status
      },
      hold: (gameServer) => nodes?.hold(gameServer) ?? (() => undefined),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const NAMESPACES = '/api/v1/namespaces'
const MARK = 'gameserver-sidecar/test'
const OWNER = 'gameserver-sidecar/owner'

const newNamespace = (): string => `gameserver-sidecar-test-${Math.random().toString(36).slice(2, 8)}`

/** Makes a namespace that says whose it is. */
async function createNamespace(api: Api, name: string): Promise<void> {
  const annotations = { [OWNER]: `${hostname()} ${process.pid}` }
  const metadata = { name, labels: { [MARK]: 'true' }, annotations }
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata })
}

/** Takes away everything in the namespace, and the namespace. Resolves when it is gone. */
async function removeNamespace(api: Api, name: string): Promise<void> {
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

/** Removes the namespaces that killed runs on this machine left behind. */
async function removeAbandoned(api: Api): Promise<void> {
  const { items } = await api.get<Listed<{ metadata: Meta }>>(`${NAMESPACES}?labelSelector=${MARK}`)
  for (const { metadata } of items) {
    const [host, pid] = (metadata.annotations?.[OWNER] ?? '').split(' ')
    if (host !== hostname() || isAlive(Number(pid))) continue
    const nodes = await standInForNodes(api, metadata.name)
    await removeNamespace(api, metadata.name).finally(() => nodes?.close())
  }
}
