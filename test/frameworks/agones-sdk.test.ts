import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { createLocalSidecar, type LocalSidecar } from '../../src/node.js'
import { startCluster, type Cluster } from '../contract/support/cluster.js'
import { productionGameServer } from '../contract/support/production-targets.js'
import { startRealInCluster, startRealSidecar } from '../contract/support/real-sidecar.js'
import { binaries, type Binary } from '../contract/support/releases.js'
import { announceMissing } from '../contract/support/targets.js'
import { runProcess } from '../hosts/support/runtimes.js'
import { root } from '../support/source.js'

const OURS = 'gameserver-sidecar/agones-sdk'
const official = join(root, 'test/frameworks/agones-sdk/node_modules/@google-cloud/agones-sdk')
const guest = join(root, 'test/frameworks/guest/agones-sdk.cjs')

interface Ports {
  port: number
  grpcPort?: number
}
type Outcomes = [call: string, outcome: unknown][]

/**
 * Blanks values that differ between runs: times, including the deletion after `shutdown`, and versions that count
 * writes.
 */
const comparable = (outcomes: unknown): Outcomes =>
  JSON.parse(
    JSON.stringify(outcomes)
      .replace(
        /("creationTimestamp":|"deletionTimestamp":|"generation":|"resourceVersion":")\d+/g,
        (_match, field) => `${field}0`,
      )
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time'),
  ) as Outcomes

const environment = (sdk: string, { port, grpcPort = 1 }: Ports): NodeJS.ProcessEnv => ({
  AGONES_SDK_PACKAGE: sdk,
  AGONES_SDK_HTTP_PORT: String(port),
  AGONES_SDK_GRPC_PORT: String(grpcPort),
})

/** Runs the program with one of the packages beside a sidecar. Both ports are set, as the platform sets them. */
async function play(sdk: string, ports: Ports, inCluster = false): Promise<Outcomes> {
  const outcomes = await runProcess(process.execPath, [guest], {
    env: {
      ...environment(sdk, ports),
      ...(inCluster && { AGONES_SDK_IN_CLUSTER: '1' }),
      ...(sdk === official && { AGONES_SDK_EXIT: '1' }),
    },
  })
  return comparable(outcomes)
}

type Finished = TestContext['onTestFinished']

async function startReal(binary: Binary, onTestFinished: Finished): Promise<Ports> {
  const sidecar = await startRealSidecar(binary)
  onTestFinished(() => sidecar.stop())
  return sidecar
}

async function startRealProduction(binary: Binary, onTestFinished: Finished, cluster?: Cluster): Promise<Ports> {
  const sidecar = await startRealInCluster(
    binary,
    cluster ?? (await startCluster(structuredClone(productionGameServer))),
  )
  onTestFinished(() => sidecar.stop())
  return sidecar
}

async function startOurs(mode: 'local' | 'production', onTestFinished: Finished): Promise<LocalSidecar> {
  const gameServer = mode === 'production' ? structuredClone(productionGameServer) : undefined
  const sidecar = await createLocalSidecar({ port: 0, mode, onWarning: () => {}, gameServer })
  onTestFinished(() => sidecar.close())
  return sidecar
}

announceMissing('our agones-sdk beside the official one')

const compared = test.skipIf(!existsSync(official)).concurrent

compared.for(binaries)(
  'a program has the same outcomes with the official SDK and with our class, beside a real sidecar $release in local mode',
  async (binary, { onTestFinished }) => {
    const [theirs, ours] = await Promise.all([
      startReal(binary, onTestFinished).then((ports) => play(official, ports)),
      startReal(binary, onTestFinished).then((ports) => play(OURS, ports)),
    ])
    expect(theirs.length).toBeGreaterThan(40)
    expect(ours).toStrictEqual(theirs)
  },
)

compared.for(binaries)(
  'a program has the same outcomes with the official SDK and with our class, beside a real sidecar $release in production and ours',
  async (binary, { onTestFinished }) => {
    const [theirs, ours, besideOurs] = await Promise.all([
      startRealProduction(binary, onTestFinished).then((ports) => play(official, ports, true)),
      startRealProduction(binary, onTestFinished).then((ports) => play(OURS, ports, true)),
      startOurs('production', onTestFinished).then((ports) => play(OURS, ports, true)),
    ])
    expect(theirs.length).toBeGreaterThan(40)
    expect(ours).toStrictEqual(theirs)
    expect(besideOurs).toStrictEqual(theirs)
  },
)

test.concurrent.for(['local', 'production'] as const)(
  'a program that uses our class beside our sidecar in %s mode exits by itself',
  async (mode, { onTestFinished }) => {
    const outcomes = new Map(await play(OURS, await startOurs(mode, onTestFinished), mode === 'production'))
    expect(['the watch failed', 'the beat failed'].filter((what) => outcomes.has(what))).toEqual([])
    expect(outcomes.get('names')).toEqual(['function', 'AgonesSDK', 'string'])
    expect(outcomes.get('shutdown')).toEqual({})
    expect(outcomes.get('the watch shows what a read gives')).toBe(true)
    expect(outcomes.get('getGameServer at the end')).toMatchObject({ status: { state: 'Shutdown' } })
  },
)
