import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import { startCluster } from '../contract/support/cluster.js'
import { productionGameServer } from '../contract/support/production-game-server.js'
import { realSidecar, startRealInCluster, startRealSidecar } from '../contract/support/real-sidecar.js'
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

/** Blanks what is of one run only: times, also that of the deletion that follows `shutdown`, and versions that count writes. */
const comparable = (outcomes: unknown): Outcomes =>
  JSON.parse(
    JSON.stringify(outcomes)
      .replace(
        /("creationTimestamp":|"deletionTimestamp":|"generation":|"resourceVersion":")\d+/g,
        (_match, field) => `${field}0`,
      )
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time'),
  ) as Outcomes

/** Runs the program with one of the packages beside a sidecar. Both ports are set, as the platform sets them. */
async function play(sdk: string, { port, grpcPort = 1 }: Ports, inCluster = false): Promise<Outcomes> {
  const outcomes = await runProcess(process.execPath, [guest], {
    env: {
      AGONES_SDK_PACKAGE: sdk,
      AGONES_SDK_HTTP_PORT: String(port),
      AGONES_SDK_GRPC_PORT: String(grpcPort),
      ...(inCluster && { AGONES_SDK_IN_CLUSTER: '1' }),
      ...(sdk === official && { AGONES_SDK_EXIT: '1' }),
    },
  })
  return comparable(outcomes)
}

type Finished = TestContext['onTestFinished']

async function startReal(onTestFinished: Finished): Promise<Ports> {
  const sidecar = await startRealSidecar({ gates: 'PlayerTracking=true' })
  onTestFinished(() => sidecar.stop())
  return sidecar
}

async function startRealProduction(onTestFinished: Finished): Promise<Ports> {
  const sidecar = await startRealInCluster(await startCluster(structuredClone(productionGameServer)))
  onTestFinished(() => sidecar.stop())
  return sidecar
}

async function startOurs(mode: 'local' | 'production', onTestFinished: Finished): Promise<Ports> {
  const gameServer = mode === 'production' ? structuredClone(productionGameServer) : undefined
  const sidecar = await createLocalSidecar({ port: 0, mode, onWarning: () => {}, ...(gameServer && { gameServer }) })
  onTestFinished(() => sidecar.close())
  return sidecar
}

const reason = !realSidecar
  ? 'SDK_SERVER names no binary of a real sidecar'
  : existsSync(official)
    ? undefined
    : '@google-cloud/agones-sdk is not installed'
if (reason) console.warn(`SKIPPED: our agones-sdk was not compared with the official one (${reason})`)

const compared = test.skipIf(!!reason)

compared(
  'the official SDK’s program comes to the same with one import changed, beside a real sidecar in local mode, player tracking included',
  { concurrent: true },
  async ({ onTestFinished }) => {
    const [theirs, ours] = await Promise.all([
      startReal(onTestFinished).then((ports) => play(official, ports)),
      startReal(onTestFinished).then((ports) => play(OURS, ports)),
    ])
    expect(theirs.length).toBeGreaterThan(50)
    expect(ours).toStrictEqual(theirs)
  },
)

compared(
  'the same beside a real sidecar in production, and beside ours',
  { concurrent: true },
  async ({ onTestFinished }) => {
    const [theirs, ours, besideOurs] = await Promise.all([
      startRealProduction(onTestFinished).then((ports) => play(official, ports, true)),
      startRealProduction(onTestFinished).then((ports) => play(OURS, ports, true)),
      startOurs('production', onTestFinished).then((ports) => play(OURS, ports, true)),
    ])
    expect(theirs.length).toBeGreaterThan(50)
    expect(ours).toStrictEqual(theirs)
    expect(besideOurs).toStrictEqual(theirs)
  },
)

test.concurrent.for(['local', 'production'] as const)(
  'the program runs beside our sidecar in %s mode, and its process ends by itself',
  async (mode, { onTestFinished }) => {
    const outcomes = new Map(await play(OURS, await startOurs(mode, onTestFinished), mode === 'production'))
    expect(['the watch failed', 'the beat failed'].filter((what) => outcomes.has(what))).toEqual([])
    expect(outcomes.get('names')).toEqual(['function', 'AgonesSDK', 'string'])
    expect(outcomes.get('shutdown')).toEqual({})
    expect(outcomes.get('the watch shows what a read gives')).toBe(true)
    expect(outcomes.get('getGameServer at the end')).toMatchObject({ status: { state: 'Shutdown' } })
    expect(outcomes.get('alpha.playerConnect(Ada)')).toEqual({ code: 2, details: 'PlayerTracking not enabled' })
  },
)
