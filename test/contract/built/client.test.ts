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

/** Calls every operation and waits until the watch has shown what it did; gives back which were called. */
const playThrough = async (client: SidecarClient, watched: GameServer[]): Promise<string[]> => {
  const called: string[] = []
  const note = <T>(name: keyof typeof operations, answer: T): T => (called.push(name), answer)
  const has = (test: (gameServer: GameServer) => boolean): Promise<GameServer> => client.waitFor(test)

  await client.connect()
  const iterator = note('watchGameServer', client.watchGameServer())[Symbol.asyncIterator]()
  const following = (async () => {
    for (;;) {
      const { done, value } = await iterator.next()
      if (done) return
      watched.push(value)
    }
  })()
  const { object_meta } = note('getGameServer', await client.getGameServer())

  note('ready', await client.ready({ force: true }))
  await client.waitFor('Ready')
  note('health', await client.health())
  note('setLabel', await client.setLabel('stamp', object_meta.creation_timestamp))
  note('setAnnotation', await client.setAnnotation('uid', object_meta.uid))
  await has(({ object_meta: { labels, annotations } }) => {
    const stamped = labels?.['agones.dev/sdk-stamp'] === object_meta.creation_timestamp
    return stamped && annotations?.['agones.dev/sdk-uid'] === object_meta.uid
  })

  const rooms = { name: 'rooms', count: 1, capacity: 10 }
  expect(note('getCounter', await client.getCounter('rooms'))).toEqual(rooms)
  const raised = note('updateCounter', await client.updateCounter('rooms', { capacity: 20, count: 12 }))
  expect(raised).toEqual({ ...rooms, count: 12, capacity: 20 })
  const lowered = await client.updateCounter('rooms', { countDiff: -3 })
  expect(lowered).toEqual({ ...rooms, count: 9, capacity: 20 })

  const players = { name: 'players', capacity: 100, values: ['test0', 'test1', 'test2'] }
  expect(note('getList', await client.getList('players'))).toEqual(players)
  const added = note('addListValue', await client.addListValue('players', 'x'))
  expect(added.values).toEqual(['test0', 'test1', 'test2', 'x'])
  const removed = note('removeListValue', await client.removeListValue('players', 'test1'))
  expect(removed.values).toEqual(['test0', 'test2', 'x'])
  const updated = note('updateList', await client.updateList('players', { values: ['x', 'y'] }))
  expect(updated).toEqual({ ...players, values: ['x', 'y'] })

  note('allocate', await client.allocate())
  await client.waitFor('Allocated')
  note('reserve', await client.reserve(60))
  await client.waitFor('Reserved')
  note('shutdown', await client.shutdown())
  const last = await client.waitFor('Shutdown')
  expect(last.status.counters?.['rooms']).toEqual({ count: '9', capacity: '20' })
  expect(last.status.lists?.['players']).toEqual({ capacity: '100', values: ['x', 'y'] })
  await iterator.return?.()
  await following
  return called
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
  const watched: GameServer[] = []
  const called = await playThrough(client, watched)
  expect(called.sort()).toEqual(Object.keys(operations).sort())
  expect(client.status.transport).toBe(watch)
  const states = watched.map(({ status }) => status.state)
  expect(states.filter((state, at) => state !== states[at - 1]).slice(-3)).toEqual([
    'Allocated',
    'Reserved',
    'Shutdown',
  ])
  expect(errors).toEqual([])
}

announceMissing('the built client')

for (const [build, load] of Object.entries(builds)) {
  for (const watch of ['websocket', 'stream'] as const) {
    describe.concurrent(`every operation of the built client, ${build}, ${watch}`, () => {
      for (const target of localTargets) {
        it(`in local mode: ${target.name}`, async (test) => {
          const running = await target.start()
          test.onTestFinished(() => running.stop())
          await play(test, load, running.port, watch)
        })
      }

      for (const target of productionTargets) {
        it(`in production mode: ${target.name}`, async (test) => {
          const running = await target.start()
          test.onTestFinished(() => running.stop())
          await play(test, load, running.port, watch)
        })
      }

      it('our conformance recorder misses nothing', async (test) => {
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
