import type { Api } from './api.js'
import type { Listed, Meta, Pod } from './objects.js'

const MARK = 'gameserver-sidecar/stands-in'

/**
 * Does what a scheduler and a kubelet would do for the pods of one namespace, where a control plane has no nodes: gives
 * each a node and an address, and lets it go when it is deleted. Containers it doesn't run.
 */
export interface BareNodes {
  /** Keeps a deleted pod of that name, as while its game still ends. Returns a function that releases the pod. */
  hold(pod: string): () => void
  /** @throws what ended it, since nothing happens any more */
  check(): void
  close(): Promise<void>
}

/** Undefined where the cluster has nodes of its own. */
export async function standInForNodes(api: Api, namespace: string): Promise<BareNodes | undefined> {
  const nodes = await api.get<Listed<{ metadata: Meta }>>('/api/v1/nodes')
  if (nodes.items.some(({ metadata }) => metadata.labels?.[MARK] === undefined)) return undefined

  // A run that was killed may have left it.
  if (!nodes.items.some(({ metadata }) => metadata.name === namespace)) {
    await api.create('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: namespace, labels: { [MARK]: 'true' } },
      status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
    })
  }
  const pods = `/api/v1/namespaces/${namespace}/pods`
  const held = new Set<string>()
  let stopped = false

  async function run({ metadata: { name }, spec, status }: Pod): Promise<void> {
    if (spec.nodeName === undefined) {
      const target = { apiVersion: 'v1', kind: 'Node', name: namespace }
      await api.create(`${pods}/${name}/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target })
    }
    if (status.podIPs !== undefined) return
    const now = new Date().toISOString().replace(/\.\d+/, '')
    const containerStatuses = spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: image,
      containerID: `stands-in://${name}`,
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    }))
    const running = { phase: 'Running', podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }], containerStatuses }
    await api.patch(`${pods}/${name}/status`, { status: running })
  }

  const working = (async () => {
    while (!stopped) {
      const { items } = await api.get<Listed<Pod>>(pods)
      for (const pod of items) {
        const { name, deletionTimestamp } = pod.metadata
        // A pod may go between two steps.
        if (deletionTimestamp === undefined) await run(pod).catch(() => undefined)
        else if (!held.has(name)) await api.remove(`${pods}/${name}`, { gracePeriodSeconds: 0 })
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  let failure: { readonly error: unknown } | undefined
  working.catch((error: unknown) => (failure = { error }))

  return {
    hold(pod) {
      held.add(pod)
      return () => void held.delete(pod)
    },
    check() {
      if (failure) throw failure.error
    },
    async close() {
      stopped = true
      await working.finally(() => api.remove(`/api/v1/nodes/${namespace}`))
    },
  }
}
