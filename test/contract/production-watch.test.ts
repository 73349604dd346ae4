import { describe, expect, it, type TestContext } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import { gameServer } from '../support/game-server.js'
import { oursInProduction, productionMock, realProduction } from './support/production-targets.js'
import { send } from './support/send.js'
import { announceMissing } from './support/targets.js'
import { watchTransports } from './support/watchers.js'

announceMissing("production mode's watch")

for (const target of [productionMock, oursInProduction, ...realProduction]) {
  for (const [transport, watch] of Object.entries(watchTransports)) {
    describe.concurrent(`production mode's watch over ${transport}: ${target.name}`, () => {
      const start = async (test: TestContext) => {
        const running = await target.start()
        const lines = await watch(running.port)
        test.onTestFinished(async () => {
          lines.close()
          await running.stop()
        })
        const next = async (): Promise<GameServer> => ((await lines.next()) as { result: GameServer }).result
        const call = async (line: string, body = '{}'): Promise<void> => {
          expect((await send(running.port, line, { body })).status).toBe(200)
        }
        const label = (key: string, value: string): Promise<void> =>
          call('PUT /metadata/label', JSON.stringify({ key, value }))
        /** The states of the next objects. */
        const states = async (count: number): Promise<string[]> => {
          const all: string[] = []
          for (let i = 0; i < count; i++) all.push((await next()).status.state)
          return all
        }
        const first = await next()
        // A change in the first milliseconds can be lost: a stream is registered after its object was sent.
        await call('GET /gameserver')
        await new Promise((resolve) => setTimeout(resolve, 20))
        return { running, lines, first, next, states, call, label }
      }

      it('the watch sends the current object at once', async (test) => {
        const { first } = await start(test)
        expect(first).toEqual(
          gameServer('7', {
            name: 'mine',
            uid: 'u1',
            generation: '3',
            creation_timestamp: '1704164645',
            annotations: { note: 'one' },
            labels: { mode: 'duel' },
            state: 'Scheduled',
            address: '192.0.2.1',
            counters: { rooms: { count: '1', capacity: '10' } },
            lists: {
              players: { capacity: '100', values: ['test0', 'test1', 'test2'] },
              rooms: { capacity: '3', values: ['a', 'b'] },
            },
          }),
        )
      })

      it('ready() sends RequestReady, then Ready, also while Ready', async (test) => {
        const { call, states } = await start(test)
        await call('POST /ready')
        expect(await states(2)).toEqual(['RequestReady', 'Ready'])
        await call('POST /ready')
        expect(await states(2)).toEqual(['RequestReady', 'Ready'])
      })

      it('the watch ends without a close when the sidecar ends', async (test) => {
        const { lines, running } = await start(test)
        await running.stop()
        expect(await lines.ended).toEqual(transport === 'WebSocket' ? { code: 1006 } : { complete: false })
      })

      // Of ours, what a port adds is tested by these; all else is the mock's as well, whose time is quicker.
      if (target === oursInProduction) return

      it('allocate() sets the last-allocated annotation', async (test) => {
        const { call, first: before, next } = await start(test)
        await call('POST /allocate')
        const after = await next()
        expect(after.status.state).toBe('Allocated')
        const { note, 'agones.dev/last-allocated': at, ...others } = after.object_meta.annotations ?? {}
        expect(others).toEqual({})
        expect(note).toBe('one')
        expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
        expect(Number(after.object_meta.resource_version)).toBeGreaterThan(Number(before.object_meta.resource_version))
        expect(Number(after.object_meta.generation)).toBe(Number(before.object_meta.generation) + 1)
      })

      it('only the last of several state calls is written', async (test) => {
        const { call, label, next, running } = await start(test)
        await running.atOnce(async () => {
          await call('POST /ready')
          await call('POST /allocate')
          await call('POST /reserve', '{"seconds":"0"}')
          await label('marker', '1')
        })
        expect((await next()).status.state).toBe('Reserved')
        expect((await next()).object_meta.labels).toMatchObject({ 'agones.dev/sdk-marker': '1' })
      })

      it('a label sends one object, the same value again none, several together one', async (test) => {
        const { call, first: before, label, next, running } = await start(test)
        await label('a', '1')
        const after = await next()
        expect(after.object_meta.labels).toEqual({ mode: 'duel', 'agones.dev/sdk-a': '1' })
        expect(after.object_meta.generation).toBe(before.object_meta.generation)
        await label('a', '1')
        await call('PUT /metadata/annotation', '{"key":"b","value":"2"}')
        const { annotations, labels } = (await next()).object_meta
        expect(annotations).toEqual({ note: 'one', 'agones.dev/sdk-b': '2' })
        expect(labels).toEqual({ mode: 'duel', 'agones.dev/sdk-a': '1' })
        await running.atOnce(() => Promise.all(['b', 'c'].map((key) => label(key, '1'))))
        const together = { 'agones.dev/sdk-a': '1', 'agones.dev/sdk-b': '1', 'agones.dev/sdk-c': '1' }
        expect((await next()).object_meta.labels).toEqual({ mode: 'duel', ...together })
      })

      it('changes of counters and lists come together in one object', async (test) => {
        const { call, next, running } = await start(test)
        await running.atOnce(() =>
          Promise.all(['2', '3'].map((diff) => call('PATCH /v1beta1/counters/rooms', `{"countDiff":"${diff}"}`))),
        )
        expect((await next()).status.counters).toEqual({ rooms: { count: '6', capacity: '10' } })
        await running.atOnce(() =>
          Promise.all([
            call('POST /v1beta1/lists/players:addValue', '{"value":"x"}'),
            call('POST /v1beta1/lists/players:removeValue', '{"value":"test1"}'),
          ]),
        )
        expect((await next()).status.lists?.['players']).toEqual({
          capacity: '100',
          values: ['test0', 'test2', 'x'],
        })
      })

      if (target.updatesLists) {
        it('an updated list keeps its order and appends new values', async (test) => {
          const { call, next } = await start(test)
          await call('PATCH /v1beta1/lists/players', '{"capacity":"4","values":["b","test2","a","test0"]}')
          expect((await next()).status.lists?.['players']).toEqual({
            capacity: '4',
            values: ['test0', 'test2', 'b', 'a'],
          })
        })
      }

      it("the watch shows an allocator's changes", async (test) => {
        const { call, next, states, running } = await start(test)
        await call('POST /ready')
        expect(await states(2)).toEqual(['RequestReady', 'Ready'])
        running.allocate('match', '42')
        const { status, object_meta } = await next()
        expect(status.state).toBe('Allocated')
        expect(object_meta.labels).toEqual({ mode: 'duel', match: '42' })
      })

      it('a reservation ends in RequestReady and Ready', async (test) => {
        const { call, states } = await start(test)
        await call('POST /reserve', '{"seconds":"1"}')
        expect(await states(3)).toEqual(['Reserved', 'RequestReady', 'Ready'])
      })

      it('a reservation is ended by any other state call', async (test) => {
        const { call, states } = await start(test)
        await call('POST /reserve', '{"seconds":"600"}')
        expect(await states(1)).toEqual(['Reserved'])
        await call('POST /allocate')
        expect(await states(1)).toEqual(['Allocated'])
        await call('POST /reserve', '{"seconds":"2"}')
        expect(await states(3)).toEqual(['Reserved', 'RequestReady', 'Ready'])
      })

      it('the end of a reservation undoes an allocation from outside', async (test) => {
        const { call, running, states } = await start(test)
        // Of the mock's, six go by in one; a busy machine must allocate before they are over.
        await call('POST /reserve', `{"seconds":"${target.isMock ? 12 : 2}"}`)
        expect(await states(1)).toEqual(['Reserved'])
        running.allocate('match', '42')
        expect(await states(3)).toEqual(['Allocated', 'RequestReady', 'Ready'])
      })

      it('Shutdown is final, and labels are still written', async (test) => {
        const { call, label, next, states } = await start(test)
        await call('POST /shutdown')
        expect(await states(1)).toEqual(['Shutdown'])
        await call('POST /ready')
        await call('POST /allocate')
        await label('late', '1')
        // A platform behind the sidecar marks the object as deleted before that.
        const marked = await next()
        const isWritten = marked.object_meta.labels?.['agones.dev/sdk-late'] !== undefined
        const { status, object_meta } = isWritten ? marked : await next()
        expect([marked.status.state, status.state]).toEqual(['Shutdown', 'Shutdown'])
        expect(object_meta.labels).toEqual({ mode: 'duel', 'agones.dev/sdk-late': '1' })
      })
    })
  }
}
