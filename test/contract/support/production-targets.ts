import { createLocalSidecar } from '../../../src/node/index.js'
import { startCluster } from './cluster.js'
import { startMock } from './mock-target.js'
import { productionGameServer } from './production-game-server.js'
import { realSidecar, startRealInCluster } from './real-sidecar.js'
import type { Setup } from './wire-case.js'

/** A sidecar in production, started with `productionGameServer`. */
export interface ProductionRunning {
  port: number
  /** What an allocator does: the state, and a label with it. */
  allocate(key: string, value: string): void
  stop(): Promise<void>
}

export interface ProductionTarget {
  name: string
  ours: boolean
  /** What the real one does wrong in production is put right. */
  corrected: boolean
  /** It has no port, and its connections no bytes. */
  isMock?: boolean
  start(setup?: Setup): Promise<ProductionRunning>
}

const ours = (quirks: boolean): ProductionTarget => ({
  name: quirks ? 'our sidecar with quirks' : 'our sidecar',
  ours: true,
  corrected: !quirks,
  async start(setup = {}) {
    const featureGates = setup.gates ? { CountsAndLists: !setup.gates.endsWith('=false') } : {}
    const gameServer = structuredClone(productionGameServer)
    const options = { mode: 'production', port: 0, quirks, gameServer, featureGates, dashboard: false } as const
    const sidecar = await createLocalSidecar(options)
    return {
      port: sidecar.port,
      allocate(key, value) {
        sidecar.control({ type: 'allocate', labels: { [key]: value }, force: true })
      },
      stop: () => sidecar.close(),
    }
  },
})

/** The mock has no port: only suites that send by `send.ts` and `watchers.ts` reach it. */
export const productionMock: ProductionTarget = {
  name: 'the mock',
  ours: true,
  corrected: true,
  isMock: true,
  start({ gates } = {}) {
    const featureGates = gates ? { CountsAndLists: !gates.endsWith('=false') } : {}
    const { mock, ...running } = startMock({ gameServer: structuredClone(productionGameServer), featureGates }, 3)
    return Promise.resolve({
      ...running,
      allocate: (key, value) => void mock.allocate({ labels: { [key]: value }, force: true }),
    })
  },
}

const real: ProductionTarget = {
  name: 'the real sidecar beside an API server',
  ours: false,
  corrected: false,
  async start(setup) {
    const cluster = await startCluster(productionGameServer)
    const sidecar = await startRealInCluster(cluster, setup)
    return {
      port: sidecar.port,
      allocate: (key, value) => cluster.allocate(key, value),
      stop: () => sidecar.stop(),
    }
  },
}

export const productionTargets: readonly ProductionTarget[] = [ours(false), ours(true), ...(realSidecar ? [real] : [])]
