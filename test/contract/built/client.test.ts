import { createRequire } from 'node:module'
import { describe, expect, it, type TestContext } from 'vitest'
import { WebSocket } from 'ws'
import type { createClient, GameServer, SidecarClient } from '../../../src/index.js'
import { operations } from '../../../src/protocol/operations.js'
import { createLocalSidecar } from '../../../src/node.js'
import { conformanceNames as conformance } from '../../../src/platform/sidecar/state/config.js'
import { productionTargets } from '../support/production-targets.js'
import { startRealSidecar } from '../support/real-sidecar.js'
import { binaries } from '../support/releases.js'
import { announceMissing, localTargets } from '../support/targets.js'

interface Build {
  createClient: typeof createClient
}

const builds: Readonly<Record<string, () => Promise<Build>>> = {
  'ES module': () => import(new URL('../../../dist/index.js', import.meta.url).href) as Promise<Build>,
  script: async () => {
    const { createClient } = createRequire(import.meta.url)('../../../dist/index.cjs') as Build
    // Node before 22 has no WebSocket of its own.
    return {
      createClient: ((options) => createClient({ WebSocket, ...options })) as Build['createClient'],
    }
  },
}

/** Calls every operation and waits until the watch has shown what it did. */
const playThrough = async (client: SidecarClient, watched: GameServer[]): Promise<void> => {
  await client.connect()
  const iterator = client.watchGameServer()[Symbol.asyncIterator]()
  const following = (async () => {
    for (;;) {
      const { done, value } = await iterator.next()
      if (done) return
      watched.push(value)
    }
  })()
  const { object_meta } = await client.getGameServer()

  await client.ready({ force: true })
  await client.waitFor('Ready')
  await client.health()
  await client.setLabel('stamp', object_meta.creation_timestamp)
  await client.setAnnotation('uid', object_meta.uid)
  await client.waitFor(({ object_meta: { labels, annotations } }) => {
    const stamped = labels?.['agones.dev/sdk-stamp'] === object_meta.creation_timestamp
    return stamped && annotations?.['agones.dev/sdk-uid'] === object_meta.uid
  })

  const rooms = { name: 'rooms', count: 1, capacity: 10 }
  expect(await client.getCounter('rooms')).toEqual(rooms)
  const raised = await client.updateCounter('rooms', { capacity: 20, count: 12 })
  expect(raised).toEqual({ ...rooms, count: 12, capacity: 20 })
  const lowered = await client.updateCounter('rooms', { countDiff: -3 })
  expect(lowered).toEqual({ ...rooms, count: 9, capacity: 20 })

  const players = { name: 'players', capacity: 100, values: ['test0', 'test1', 'test2'] }
  expect(await client.getList('players')).toEqual(players)
  const added = await client.addListValue('players', 'x')
  expect(added.values).toEqual(['test0', 'test1', 'test2', 'x'])
  const removed = await client.removeListValue('players', 'test1')
  expect(removed.values).toEqual(['test0', 'test2', 'x'])
  const updated = await client.updateList('players', { values: ['x', 'y'] })
  expect(updated).toEqual({ ...players, values: ['x', 'y'] })

  await client.allocate()
  await client.waitFor('Allocated')
  await client.reserve(60)
  await client.waitFor('Reserved')
  await client.shutdown()
  const last = await client.waitFor('Shutdown')
  expect(last.status.counters?.['rooms']).toEqual({ count: '9', capacity: '20' })
  expect(last.status.lists?.['players']).toEqual({ capacity: '100', values: ['x', 'y'] })
  await iterator.return?.()
  await following
}

const play = async (
  test: TestContext,
  load: () => Promise<Build>,
  port: number,
  watch: 'websocket' | 'stream',
): Promise<void> => {
  const { createClient } = await load()
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, watch })
  const errors: unknown[] = []
  client.on('error', (error) => errors.push(error))
  test.onTestFinished(() => client.close())
  const used = new Set<string | symbol>()
  const noting = new Proxy(client, { get: (it, name) => (used.add(name), Reflect.get(it, name) as unknown) })
  const watched: GameServer[] = []
  await playThrough(noting, watched)
  expect(Object.keys(operations).filter((operation) => !used.has(operation))).toEqual([])
  expect(client.status.transport).toBe(watch)
  const states = watched.map(({ status }) => status.state)
  const last = ['Allocated', 'Reserved', 'Shutdown']
  expect(states.filter((state, at) => state !== states[at - 1]).slice(-3)).toEqual(last)
  expect(errors).toEqual([])
}

announceMissing('the built client')

for (const [build, load] of Object.entries(builds)) {
  for (const watch of ['websocket', 'stream'] as const) {
    describe.concurrent(`every operation of the built client, ${build}, ${watch}`, () => {
      const targets = [
        ...localTargets.map(({ name, start }) => ({ name: `in local mode: ${name}`, start })),
        ...productionTargets.map(({ name, start }) => ({ name: `in production mode: ${name}`, start })),
      ]
      for (const { name, start } of targets) {
        it(name, async (test) => {
          const running = await start()
          test.onTestFinished(() => running.stop())
          await play(test, load, running.port, watch)
        })
      }

      it('in local mode: our sidecar, whose conformance recorder misses nothing', async (test) => {
        const sidecar = await createLocalSidecar({ mode: 'local', port: 0, conformance })
        test.onTestFinished(() => sidecar.close())
        await play(test, load, sidecar.port, watch)
        expect(sidecar.sidecar.conformance()).toMatchObject({ missing: [], unexpected: [] })
      })

      for (const binary of binaries) {
        it(`the conformance recorder of the real sidecar ${binary.release} misses nothing`, async (test) => {
          // It records only when it isn't told to be local too. Its exit code is the verdict.
          const flags = [`--test=${conformance.join(',')}`, '--timeout=8']
          const sidecar = await startRealSidecar(binary, {}, flags)
          test.onTestFinished(() => sidecar.stop())
          await play(test, load, sidecar.port, watch)
          expect(await sidecar.ended).toBe(0)
        })
      }
    })
  }
}

for (const binary of binaries) {
  it(`a conformance run of the real sidecar ${binary.release} that misses an operation ends with 1`, async (test) => {
    const sidecar = await startRealSidecar(binary, {}, ['--test=ready,allocate', '--timeout=1'])
    test.onTestFinished(() => sidecar.stop())
    expect(await sidecar.ended).toBe(1)
  })
}
