import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { createLocalSidecar, type LocalSidecar } from '../../src/node.js'
import { startCluster } from '../contract/support/cluster.js'
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

/** Runs the program with one of the packages beside a sidecar. Both ports are set, as the platform sets them. */
async function play(sdk: string, { port, grpcPort = 1 }: Ports, inCluster: boolean): Promise<Outcomes> {
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
const modes = ['local', 'production'] as const
type Mode = (typeof modes)[number]

async function startReal(binary: Binary, mode: Mode, onTestFinished: Finished): Promise<Ports> {
  const inCluster = async () => startRealInCluster(binary, await startCluster(structuredClone(productionGameServer)))
  const sidecar = await (mode === 'local' ? startRealSidecar(binary) : inCluster())
  onTestFinished(() => sidecar.stop())
  return sidecar
}

async function startOurs(mode: Mode, onTestFinished: Finished): Promise<LocalSidecar> {
  const gameServer = mode === 'production' ? structuredClone(productionGameServer) : undefined
  const sidecar = await createLocalSidecar({ port: 0, mode, onWarning: () => {}, gameServer })
  onTestFinished(() => sidecar.close())
  return sidecar
}

announceMissing('our agones-sdk beside the official one')

const cases = binaries.flatMap((binary) => modes.map((mode) => ({ binary, mode, release: binary.release })))
test.skipIf(!existsSync(official)).concurrent.for(cases)(
  'a program has the same outcomes with the official SDK and with our class, beside a real sidecar $release in $mode mode',
  async ({ binary, mode }, { onTestFinished }) => {
    const inCluster = mode === 'production'
    const [theirs, ours, besideOurs] = await Promise.all([
      startReal(binary, mode, onTestFinished).then((ports) => play(official, ports, inCluster)),
      startReal(binary, mode, onTestFinished).then((ports) => play(OURS, ports, inCluster)),
      inCluster && startOurs(mode, onTestFinished).then((ports) => play(OURS, ports, true)),
    ])
    expect(theirs.length).toBeGreaterThan(40)
    expect(ours).toStrictEqual(theirs)
    if (besideOurs) expect(besideOurs).toStrictEqual(theirs)
  },
)

test.concurrent.for(modes)(
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
