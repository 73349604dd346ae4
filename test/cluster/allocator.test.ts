import dns from 'node:dns'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { createAllocator, type AllocatorOptions } from '../../src/deploy/allocator.js'
import { errorOf } from '../allocator/support.js'
import { describeUnless } from '../support/describe-unless.js'
import { allocatorService, kubectl } from './support/allocator-service.js'
import { missing } from './support/api.js'
import { startCluster, type Cluster } from './support/cluster.js'

const FLEET = 'star-arena'

describeUnless(missing, 'createAllocator() on a cluster', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster(2)
  })
  afterAll(() => cluster?.close())

  /** A server of the Fleet whose game is Ready. Resolves with its name. */
  async function takeReady(): Promise<string> {
    const { name, sidecar } = await cluster.take()
    await sidecar.start()
    const client = createClient({ baseUrl: sidecar.url })
    onTestFinished(() => client.close())
    await client.ready()
    await client.waitFor('Ready')
    return name
  }

  /** The API server as kubeconfig names it, with the token of an account that has no rights yet. */
  function asAccount(): AllocatorOptions & { readonly grant: () => void } {
    const config = JSON.parse(kubectl('config', 'view', '--minify', '--flatten', '--raw', '-o', 'json')) as {
      clusters: [{ cluster: { server: string; 'certificate-authority-data'?: string } }]
    }
    const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster
    const { namespace } = cluster
    kubectl('create', 'serviceaccount', 'matchmaker', '-n', namespace)
    return {
      url: server,
      namespace,
      token: kubectl('create', 'token', 'matchmaker', '-n', namespace).trim(),
      ca: ca === undefined ? undefined : Buffer.from(ca, 'base64').toString(),
      grant() {
        const rule = ['--verb=create', '--resource=gameserverallocations.allocation.agones.dev']
        kubectl('create', 'role', 'allocator', '-n', namespace, ...rule)
        const account = `--serviceaccount=${namespace}:matchmaker`
        kubectl('create', 'rolebinding', 'allocator', '-n', namespace, '--role=allocator', account)
      },
    }
  }

  it('asks the API server, which refuses an account until the commands of the hint were run', async () => {
    const name = await takeReady()
    const { grant, ...options } = asAccount()
    const allocator = createAllocator(options)
    onTestFinished(() => allocator.close())
    const refused = await errorOf(allocator.allocate({ fleet: FLEET }))
    expect(refused).toMatchObject({ code: 'FORBIDDEN', status: 403 })
    expect(refused.hint).toContain(`--serviceaccount=${cluster.namespace}:matchmaker`)
    grant()
    const invalid = await errorOf(allocator.allocate({ scheduling: 'Sideways' as never }))
    expect(invalid).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/spec\.scheduling/) as string,
    })
    const annotations = { match: '1' }
    const given = await allocator.allocate({ fleet: FLEET, annotations, wait: 30_000 })
    expect(given.name).toBe(name)
    expect((await cluster.gameServer(name))?.metadata.annotations).toMatchObject(annotations)
    expect(await errorOf(allocator.allocate({ fleet: FLEET }))).toMatchObject({ code: 'UNALLOCATED' })
    const unknown = createAllocator({ ...options, token: 'x' })
    onTestFinished(() => unknown.close())
    expect(await errorOf(unknown.allocate())).toMatchObject({ code: 'FORBIDDEN', status: 401 })
  })

  it('asks the allocator service by its client certificate', async ({ skip }) => {
    const service = await allocatorService()
    if (service === undefined) return skip('the cluster holds no certificate of a client')
    const { hostname: address, port, servername, cert, key, ca } = service
    onTestFinished(service.close)
    const name = await takeReady()
    // The service is reached at an address of its own, and its certificate is for a name.
    vi.spyOn(dns, 'lookup').mockImplementation(((
      _name: string,
      { all }: { all?: boolean },
      done: (...args: unknown[]) => void,
    ) => (all ? done(null, [{ address, family: 4 }]) : done(null, address, 4))) as never)
    onTestFinished(() => void vi.restoreAllMocks())
    const options = { service: `${servername}:${port}`, cert, key, ca, namespace: cluster.namespace }

    const allocator = createAllocator(options)
    const stranger = createAllocator({ ...options, cert: undefined, key: undefined })
    onTestFinished(() => [allocator, stranger].forEach((one) => one.close()))
    expect(await errorOf(stranger.allocate())).toMatchObject({ code: 'CERTIFICATE' })
    const counters = { players: { action: 'Increment', amount: 1 } } as const
    const given = await allocator.allocate({ fleet: FLEET, counters, wait: 30_000 })
    expect(given).toMatchObject({ name, counters: { players: { count: 1 } } })
    expect(await errorOf(allocator.allocate({ fleet: FLEET }))).toMatchObject({ code: 'UNALLOCATED' })
  })
})
