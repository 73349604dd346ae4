import { rm } from 'node:fs/promises'
import { startCluster, type JsonObject } from '../../contract/support/cluster.js'
import { flagsInCluster, startRealSidecar } from '../../contract/support/real-sidecar.js'
import type { Binary } from '../../contract/support/releases.js'
import { startFaultProxy } from './fault-proxy.js'
import { createRandom } from './random.js'
import { gameServerOf, HERE, LIST, ROOMS, type Seen, type Sizes, type World } from './world.js'

interface Status {
  state: string
  lists: Record<string, { capacity: number; values: string[] | null }>
  counters: Record<string, { capacity: number; count: number }>
}

/** The real sidecar as in a pod: a process that is really killed, beside an API server that holds its GameServer. */
export async function startRealWorld(sizes: Sizes, seed: number, binary: Binary): Promise<World> {
  const cluster = await startCluster(manifestOf(sizes))
  const { flags, folder } = await flagsInCluster(cluster)
  const proxy = await startFaultProxy(createRandom(seed))
  let sidecar = await startRealSidecar(binary, {}, flags)
  await proxy.lead(sidecar.port)
  const status = (): Status => cluster.gameServer['status'] as unknown as Status
  const now = (): number => performance.now()
  let back = now()
  let starting: Promise<void> = Promise.resolve()
  let faultEnds = Infinity

  const restart = async (downMs: number): Promise<void> => {
    proxy.refuse()
    await sidecar.stop()
    await new Promise((resolve) => setTimeout(resolve, downMs))
    sidecar = await startRealSidecar(binary, {}, flags)
    await proxy.lead(sidecar.port)
    back = now()
  }
  const object = (): Seen => {
    const { state, lists, counters } = status()
    const { capacity, values } = lists[LIST]!
    // An empty list is left out of the object.
    return { values: values ?? [], capacity, here: counters[HERE]!.count, rooms: counters[ROOMS]!.count, state }
  }

  return {
    clientOptions: { baseUrl: proxy.url },
    now,
    async run(tick) {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 10))
        if (now() >= faultEnds) {
          faultEnds = Infinity
          proxy.fault(undefined, 0)
        }
        if (tick()) return
      }
    },
    object,
    onObject: (listener) => cluster.onChange(() => listener(object())),
    allocate({ seats, session }) {
      const { values, capacity, rooms } = object()
      if (seats.length > capacity - values.length || (session && rooms >= sizes.rooms)) return false
      cluster.change((gameServer) => {
        const annotations = (gameServer['metadata'] as JsonObject)['annotations'] as JsonObject
        annotations['agones.dev/last-allocated'] = new Date().toISOString()
        const { lists, counters } = status()
        status().state = 'Allocated'
        lists[LIST]!.values = [...new Set([...values, ...seats])]
        if (session) counters[ROOMS]!.count++
      })
      return true
    },
    kill(downMs) {
      starting = starting.then(() => restart(downMs))
    },
    fault(kind, ms, lateMs) {
      faultEnds = now() + ms
      proxy.fault(kind, lateMs)
    },
    calm() {
      faultEnds = Infinity
      proxy.fault(undefined, 0)
      back = Math.max(back, now())
    },
    returnedAt: () => back,
    async close() {
      await starting
      await proxy.close()
      await sidecar.stop()
      await cluster.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const manifestOf = (sizes: Sizes): JsonObject => {
  const { metadata, spec, status } = gameServerOf(sizes)
  return JSON.parse(
    JSON.stringify({
      apiVersion: 'agones.dev/v1',
      kind: 'GameServer',
      metadata: {
        ...metadata,
        uid: 'u1',
        resourceVersion: '7',
        generation: 3,
        creationTimestamp: '2024-01-02T03:04:05Z',
        labels: {},
        annotations: { note: 'one' },
      },
      spec: { container: 'server', ...spec, template: { spec: { containers: [] } } },
      status: { address: '192.0.2.1', ports: [{ name: 'default', port: 7777 }], ...status },
    }),
  ) as JsonObject
}
