import { createLocalSidecar, type Sidecar } from '../../../src/node.js'
import { startCluster } from './cluster.js'
import { startMock } from './mock-target.js'
import { startRealInCluster } from './real-sidecar.js'
import { binaries, has } from './releases.js'
import { send } from './send.js'
import { gatesOf, type Running, type Target } from './targets.js'
import type { Setup } from './wire-case.js'

const values = {
  counters: { rooms: { count: 1, capacity: 10 } },
  lists: {
    players: { capacity: 100, values: ['test0', 'test1', 'test2'] },
    rooms: { capacity: 3, values: ['a', 'b'] },
  },
}

/** A GameServer as it is in a cluster before its server calls for the first time. */
export const productionGameServer = {
  apiVersion: 'agones.dev/v1',
  kind: 'GameServer',
  metadata: {
    ...{ name: 'mine', namespace: 'default', uid: 'u1', resourceVersion: '7', generation: 3 },
    ...{ creationTimestamp: '2024-01-02T03:04:05Z', labels: { mode: 'duel' }, annotations: { note: 'one' } },
  },
  spec: {
    container: 'server',
    health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 },
    ...values,
    template: { spec: { containers: [] } },
  },
  status: { state: 'Scheduled', address: '192.0.2.1', ports: [{ name: 'default', port: 7777 }], ...values },
}

/** A sidecar in production, started with `productionGameServer`. */
export interface ProductionRunning extends Running {
  /** What an allocator does: the state, and a label with it. */
  allocate(key: string, value: string): void
  /** Makes calls within the time that the sidecar waits before it writes: of ours, no time passes meanwhile. */
  atOnce(calls: () => Promise<unknown>): Promise<void>
}

export interface ProductionTarget extends Target {
  /** `updateList` works, though the platform's chart gives no right to look up its limit. */
  updatesLists: boolean
  start(setup?: Setup): Promise<ProductionRunning>
}

/** Calls during which a clock stands still, so that a busy machine is no slower than any. */
const inNoTime =
  (setSpeed: (speed: number) => void, speed: number): ProductionRunning['atOnce'] =>
  async (calls) => {
    setSpeed(0)
    await calls()
    setSpeed(speed)
  }

/** Where no allocator would take it, only the state becomes Allocated, as by a write from outside. */
const allocateBy =
  ({ control }: Pick<Sidecar, 'control'>) =>
  (key: string, value: string): void => {
    const { ok } = control({ type: 'allocate', labels: { [key]: value } })
    if (!ok) control({ type: 'setState', state: 'Allocated' })
  }

/** The speed of the mock's time. */
const SPEED = 6

export const oursInProduction: ProductionTarget = {
  name: 'our sidecar',
  ours: true,
  updatesLists: true,
  async start({ gates } = {}) {
    const gameServer = structuredClone(productionGameServer)
    const options = { mode: 'production', port: 0, gameServer, dashboard: false } as const
    const sidecar = await createLocalSidecar({ ...options, featureGates: gatesOf(gates) })
    return {
      port: sidecar.port,
      allocate: allocateBy(sidecar.sidecar),
      atOnce: inNoTime((speed) => void sidecar.control({ type: 'setClock', speed }), 1),
      stop: () => sidecar.close(),
    }
  },
}

export const productionMock: ProductionTarget = {
  name: 'the mock',
  ours: true,
  updatesLists: true,
  isMock: true,
  start({ gates } = {}) {
    const gameServer = structuredClone(productionGameServer)
    const { mock, ...running } = startMock({ gameServer, featureGates: gatesOf(gates) }, SPEED)
    // Its time runs on while a machine is busy, and without beats it would be Unhealthy after 20 s.
    const beats = setInterval(() => void send(running.port, 'POST /health', { body: '{}' }), 100)
    return Promise.resolve({
      ...running,
      stop() {
        clearInterval(beats)
        return running.stop()
      },
      allocate: allocateBy(mock.sidecar),
      atOnce: inNoTime((speed) => void mock.control({ type: 'setClock', speed }), SPEED),
    })
  },
}

export const realProduction: readonly ProductionTarget[] = binaries.map((binary) => ({
  name: `the real sidecar ${binary.release} beside an API server`,
  ours: false,
  release: binary.release,
  updatesLists: !has(binary.release, 'listLimit'),
  async start(setup) {
    const cluster = await startCluster(productionGameServer)
    const { port, stop } = await startRealInCluster(binary, cluster, setup)
    return { port, stop, allocate: cluster.allocate, atOnce: async (calls) => void (await calls()) }
  },
}))

export const productionTargets: readonly ProductionTarget[] = [oursInProduction, ...realProduction]
