import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { createClient as create, GameServer, SidecarClient } from '../../src/index.js'
import { describeUnless } from '../support/describe-unless.js'
import { startCluster, type Cluster } from './support/cluster.js'
import { missing } from './support/api.js'
import type { Sidecar } from './support/sidecar.js'

describeUnless(missing, 'the built client on a cluster', () => {
  let cluster: Cluster
  let createClient: typeof create

  beforeAll(async () => {
    const built = (await import(new URL('../../dist/index.js', import.meta.url).href)) as {
      createClient: typeof create
    }
    createClient = built.createClient
    cluster = await startCluster(2)
  })
  afterAll(() => cluster?.close())

  interface Played {
    readonly name: string
    readonly sidecar: Sidecar
    readonly client: SidecarClient
    /** Everything the watch told. */
    readonly told: readonly GameServer[]
    /** The states, each as it came. */
    readonly states: readonly string[]
  }

  /** A GameServer, and a client that connects once the sidecar is started. Both go with the test. */
  async function take(): Promise<Played> {
    const { name, sidecar } = await cluster.take()
    const client = createClient({ baseUrl: sidecar.url })
    onTestFinished(async () => {
      client.close()
      await sidecar.kill()
      await cluster.remove(name)
    })
    const told: GameServer[] = []
    const states: string[] = []
    client.on('gameserver', (gameServer) => told.push(gameServer))
    client.on('state', ({ state }) => states.push(state))
    return { name, sidecar, client, told, states }
  }

  async function takeReady(): Promise<Played> {
    const played = await take()
    await played.sidecar.start()
    await played.client.ready()
    await played.client.waitFor('Ready')
    return played
  }

  async function takeAllocated(): Promise<Played> {
    const played = await takeReady()
    expect(await cluster.allocate()).toMatchObject({ state: 'Allocated', gameServerName: played.name })
    await played.client.waitFor('Allocated')
    return played
  }

  const lastAllocated = ({ object_meta }: GameServer): string | undefined =>
    object_meta.annotations?.['agones.dev/last-allocated']

  it('a game that starts before its sidecar becomes Ready once the sidecar is there', async () => {
    const { name, sidecar, client, states } = await take()
    const accepted = client.ready()
    await sidecar.start()
    expect(await accepted).toBe('accepted')
    await client.waitFor('Ready')
    expect(states).toEqual(['Scheduled', 'RequestReady', 'Ready'])
    expect((await cluster.gameServer(name))?.status.state).toBe('Ready')
  })

  it('an allocation arrives as one object; a second one of the same server changes counter and last-allocated', async () => {
    const { name, client, told, states } = await takeReady()
    const answer = await cluster.allocate({
      metadata: { labels: { mode: 'duel' }, annotations: { map: 'the moon, by night' } },
      lists: { roster: { addValues: ['ann', 'bob'] } },
    })
    expect(answer).toMatchObject({ state: 'Allocated', gameServerName: name })
    await client.waitFor('Allocated')
    const first = told.find(({ status }) => status.state === 'Allocated')!
    expect(first).toMatchObject({
      object_meta: { labels: { mode: 'duel' }, annotations: { map: 'the moon, by night' } },
      status: { counters: { players: { count: '1' } }, lists: { roster: { values: ['ann', 'bob'] } } },
    })
    expect(await cluster.allocate()).toMatchObject({ state: 'Allocated', gameServerName: name })
    const changed = await client.waitFor((gameServer) => lastAllocated(gameServer) !== lastAllocated(first))
    expect(changed.status).toMatchObject({ state: 'Allocated', counters: { players: { count: '2' } } })
    expect(states.filter((state) => state === 'Allocated')).toHaveLength(1)
  })

  it('ready() while Ready does not undo an allocation that is made meanwhile', async () => {
    const { name, client } = await takeReady()
    const allocation = cluster.allocate()
    while (client.gameServer?.status.state === 'Ready') {
      expect(await client.ready()).toBe('confirmed')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect((await allocation).gameServerName).toBe(name)
    // The sidecar writes in order: once this label shows, every earlier write has landed.
    await client.setLabel('written', 'yes', { confirm: true })
    expect((await cluster.gameServer(name))?.status.state).toBe('Allocated')
  })

  it('what the game writes is in the cluster, and stays through ready()', async () => {
    const { name, client } = await takeAllocated()
    await client.updateCounter('players', { countDiff: 3 })
    await client.addListValue('roster', 'ann')
    await client.addListValue('roster', 'bob')
    await client.removeListValue('roster', 'ann')
    await client.setLabel('mode', 'duel')
    await client.setAnnotation('map', 'the moon, by night')
    const asWritten = {
      metadata: {
        labels: { 'agones.dev/sdk-mode': 'duel' },
        annotations: { 'agones.dev/sdk-map': 'the moon, by night' },
      },
      // The allocation brought one player and one name.
      status: { counters: { players: { count: 4 } }, lists: { roster: { values: ['someone', 'bob'] } } },
    }
    await expect.poll(() => cluster.gameServer(name), { timeout: 30_000 }).toMatchObject(asWritten)

    await client.ready()
    await client.waitFor('Ready')
    expect(await cluster.gameServer(name)).toMatchObject(asWritten)
    expect(await client.getCounter('players')).toEqual({ name: 'players', count: 4, capacity: 8 })
  })

  it('changes while the sidecar is away are reported once, after it returns', async () => {
    const { name, sidecar, client, states } = await takeAllocated()
    const labels: string[] = []
    client.on('label', ({ key, value }) => labels.push(`${key}=${value}`))
    await sidecar.kill()
    await cluster.patch(name, { metadata: { labels: { seen: 'later' } } })
    expect(client.status.connection).not.toBe('closed')
    await sidecar.start()
    await client.waitFor(({ object_meta }) => object_meta.labels?.['seen'] === 'later')
    await client.setLabel('after', 'crash', { confirm: true })
    expect(labels.filter((label) => label === 'seen=later')).toHaveLength(1)
    expect(states).toEqual(['Scheduled', 'RequestReady', 'Ready', 'Allocated'])
  })

  it('shutdown() leads to Shutdown and a deletion timestamp, and the Fleet replaces the server', async () => {
    const { name, client, told } = await takeAllocated()
    onTestFinished(cluster.hold(name))
    await client.shutdown()
    await client.waitFor(({ object_meta }) => (object_meta.deletion_timestamp ?? '0') !== '0')
    expect(told.at(-1)?.status.state).toBe('Shutdown')
    expect((await cluster.take()).name).not.toBe(name)
  })

  it('a deletion from outside sets only the deletion timestamp, and is never Shutdown', async () => {
    const { name, client, states } = await takeAllocated()
    const letGo = cluster.hold(name)
    onTestFinished(letGo)
    await cluster.remove(name)
    const deleted = await client.waitFor(({ object_meta }) => (object_meta.deletion_timestamp ?? '0') !== '0')
    expect(deleted.status.state).toBe('Allocated')
    letGo()
    await expect.poll(() => cluster.gameServer(name), { timeout: 60_000 }).toBeUndefined()
    expect(states).not.toContain('Shutdown')
  })
})
