import { writeFile } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { full } from './cases/files.js'
import { send } from './support/send.js'
import { gatewayTargets } from './support/gateway-targets.js'
import { announceMissing, localTargets, mockLocal, type Running } from './support/targets.js'
import { openStream, result, watchTransports, type Lines } from './support/watchers.js'
import { localGameServer } from './support/wire-case.js'
import type { Answer, GameServerChanges, Request, Setup } from './support/wire-case.js'

const seen = (changes: GameServerChanges = {}): unknown => result(localGameServer(changes))

announceMissing("local mode's watch")

for (const target of [...localTargets, ...gatewayTargets, mockLocal]) {
  for (const [transport, watch] of Object.entries(watchTransports)) {
    describe(`local mode's watch over ${transport}: ${target.name}`, () => {
      let running: Running
      const open: Lines[] = []
      /** A watch whose first object has come. */
      const start = async (setup?: Setup): Promise<Lines> => {
        running = await target.start(setup)
        const lines = await another()
        await lines.next()
        return lines
      }
      const another = async (): Promise<Lines> => {
        const lines = await watch(running.port, running.prefix)
        open.push(lines)
        return lines
      }
      const call = async (line: string, body = '{}'): Promise<void> => {
        expect((await ask(line, { body })).status).toBe(200)
      }
      const ask = (line: string, request?: Request): Promise<Answer> =>
        send(running.port, line.replace(' ', ` ${running.prefix ?? ''}`), request)
      const label = (key: string, value: string): Promise<void> =>
        call('PUT /metadata/label', JSON.stringify({ key, value }))
      afterEach(async () => {
        for (const lines of open.splice(0)) lines.close()
        await running.stop()
      })

      it('the watch sends an object for each state call, also for the same state', async () => {
        const lines = await start()
        for (const [path, state] of [
          ['/ready', 'Ready'],
          ['/ready', 'Ready'],
          ['/allocate', 'Allocated'],
          ['/reserve', 'Reserved'],
          ['/shutdown', 'Shutdown'],
          ['/ready', 'Ready'],
        ] as const) {
          await call(`POST ${path}`)
          expect(await lines.next()).toEqual(seen({ state }))
        }
        expect(lines.waiting).toEqual([])
      })

      it('the watch sends an object for each label and annotation, in order, also for the same value', async () => {
        const lines = await start()
        for (let i = 1; i <= 40; i++) await label('n', `${i >> 1}`)
        for (let i = 1; i <= 40; i++)
          expect(await lines.next()).toEqual(seen({ labels: { 'agones.dev/sdk-n': `${i >> 1}` } }))
        await call('PUT /metadata/annotation', '{"key":"b","value":"2"}')
        const labels = { 'agones.dev/sdk-n': '20' }
        expect(await lines.next()).toEqual(seen({ labels, annotations: { 'agones.dev/sdk-b': '2' } }))
        expect(lines.waiting).toEqual([])
      })

      it('the watch sends nothing for counters, lists, beats and refusals; the next object has them', async () => {
        const lines = await start()
        await call('PATCH /v1beta1/counters/rooms', '{"countDiff":"2"}')
        await call('POST /v1beta1/lists/players:addValue', '{"value":"x"}')
        await call('PATCH /v1beta1/lists/players', '{"capacity":"50"}')
        await call('POST /v1beta1/lists/players:removeValue', '{"value":"test1"}')
        await call('POST /health')
        await call('GET /gameserver')
        expect((await ask('PUT /metadata/label', { body: '{"key":1}' })).status).toBe(400)
        expect((await ask('GET /allocate')).status).toBe(501)
        await call('POST /allocate')
        expect(await lines.next()).toEqual(
          seen({
            state: 'Allocated',
            counters: { rooms: { count: '3', capacity: '10' } },
            lists: { players: { capacity: '50', values: ['test0', 'test2', 'x'] } },
          }),
        )
        expect(lines.waiting).toEqual([])
      })

      it('every watcher gets every change since it opened, also after another has ended', async () => {
        const first = await start()
        await call('POST /allocate')
        const second = await another()
        expect(await second.next()).toEqual(seen({ state: 'Allocated' }))
        await call('POST /shutdown')
        expect(await second.next()).toEqual(seen({ state: 'Shutdown' }))
        second.close()
        await second.ended
        await call('POST /ready')
        for (const state of ['Allocated', 'Shutdown', 'Ready']) expect(await first.next()).toEqual(seen({ state }))
      })

      it('a reservation that overflows ends at once', async () => {
        const lines = await start()
        await call('POST /reserve', '{"seconds":"9223372037"}')
        await lines.next()
        expect(await lines.next()).toEqual(seen({ state: 'Ready' }))
      })

      it('a reservation without an end does not stop the timer of an earlier one', async () => {
        const lines = await start()
        // Long enough for the next call to come before the end, however busy the machine is.
        await call('POST /reserve', '{"seconds":"3"}')
        await lines.next()
        await call('POST /reserve', '{"seconds":"0"}')
        expect(await lines.next()).toEqual(seen({ state: 'Reserved' }))
        expect(await lines.next()).toEqual(seen({ state: 'Ready' }))
      })

      it('any other state call ends a reservation', async () => {
        const lines = await start()
        await call('POST /reserve', '{"seconds":"30"}')
        await lines.next()
        await call('POST /allocate')
        await lines.next()
        await call('POST /reserve', '{"seconds":"1"}')
        expect(await lines.next()).toEqual(seen({ state: 'Reserved' }))
        expect(await lines.next()).toEqual(seen({ state: 'Ready' }))
      })

      it.skipIf(target.isMock)('the watch shows a file that was written in place', async () => {
        const lines = await start({ file: full })
        await writeFile(running.file ?? '', full.replace('state: Allocated', 'state: Reserved'))
        for (;;) {
          // An editor's write may be seen half done, by either.
          const { result: gameServer } = (await lines.next()) as { result: { status: { state: string } } }
          if (gameServer.status.state === 'Reserved') break
        }
      })

      it('the watch ends without a close when the sidecar ends', async () => {
        const lines = await start()
        await running.stop()
        expect(await lines.ended).toEqual(transport === 'WebSocket' ? { code: 1006 } : { complete: false })
      })

      if (transport === 'WebSocket' || target.isMock) return
      it('the head is 200, JSON, and chunked', async () => {
        running = await target.start()
        const stream = await openStream(running.port, running.prefix)
        open.push(stream)
        expect(stream).toMatchObject({
          ...{ status: 200, headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' } },
        })
      })
    })
  }
}
