import { afterAll, beforeAll, expect, it } from 'vitest'
import { commentedDocuments, documentsOf, variants } from '../deploy/support/variants.js'
import { describeUnless } from '../support/describe-unless.js'
import { missing, openApi, type Api } from './support/api.js'
import { demoFiles } from './support/manifests.js'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

/** An allocation stores nothing, and finds no server in a missing namespace. */
const PATHS: Readonly<Record<string, string>> = {
  Fleet: 'namespaces/default/fleets',
  FleetAutoscaler: 'namespaces/default/fleetautoscalers',
  GameServer: 'namespaces/default/gameservers',
  GameServerAllocation: 'namespaces/gameserver-sidecar-nowhere/gameserverallocations',
  ConfigMap: 'namespaces/default/configmaps',
  Deployment: 'namespaces/default/deployments',
  Service: 'namespaces/default/services',
  PodDisruptionBudget: 'namespaces/default/poddisruptionbudgets',
}
const MANIFESTS = ['allocation.yaml', 'fleet.yaml', 'fleetautoscaler.yaml', 'gameserver.yaml']

const isManifest = (name: string): boolean => name.endsWith('.yaml')

/** The files of each project, by name. */
const projects = [...variants, { name: 'the demo', files: demoFiles }].map(({ name, files }) => ({
  name,
  files: [...files].filter(([file]) => isManifest(file)),
}))

describeUnless(missing, 'the manifests that init writes, on a cluster', () => {
  let api: Api
  beforeAll(async () => {
    api = await openApi()
  })
  afterAll(() => api?.close())

  /** The API server and the platform's webhooks check the manifest in a dry run. */
  async function check({ apiVersion, kind, ...rest }: Manifest): Promise<void> {
    const path = PATHS[kind]
    if (path === undefined) return
    const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
    await api.create(`${group}/${path}?dryRun=All&fieldValidation=Strict`, { apiVersion, kind, ...rest })
  }

  it.each(projects)('are what the platform takes: $name', async ({ files }) => {
    expect(
      files
        .map(([name]) => name)
        .filter((name) => name !== 'edge.yaml')
        .sort(),
    ).toEqual(MANIFESTS)
    for (const [, text] of files)
      for (const manifest of [...documentsOf(text), ...commentedDocuments(text)]) await check(manifest as Manifest)
  })

  it.each([
    ['gameserver.yaml', /periodSeconds: /, 'periodSecond: '],
    ['fleetautoscaler.yaml', /bufferSize: 16/, 'bufferSize: 0'],
    ['allocation.yaml', /order: Ascending/, 'order: Upwards'],
  ])('would be refused if they were wrong: %s', async (file, right, wrong) => {
    const text = demoFiles.get(file)!
    expect(text).toMatch(right)
    const [manifest] = documentsOf(text.replace(right, wrong))
    await expect(check(manifest as Manifest)).rejects.toThrow()
  })
})
