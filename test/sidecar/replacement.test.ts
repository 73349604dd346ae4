import { describe, expect, it } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import type { SidecarConfig } from '../../src/platform/sidecar.js'
import { startHarness, type Harness, type Step } from './support/harness.js'

const gameServer = {
  metadata: { name: 'arena', labels: { map: 'x' } },
  spec: {
    health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 },
    counters: { rooms: { count: 1, capacity: 10 } },
    lists: { players: { capacity: 4, values: ['a'] } },
  },
} as const

const start = (config: Partial<SidecarConfig> = {}): Harness =>
  startHarness({ gameServer, replaceAfter: 1_000, ...config })
const present = ({ sidecar }: Harness): GameServer => sidecar.snapshot().gameServer
const nameOf = (harness: Harness): string => present(harness).object_meta.name
const replacements = ({ sidecar }: Harness): unknown[] =>
  sidecar.log.entries().flatMap(({ changes }) => changes.filter(({ type }) => type === 'replaced'))

describe('a GameServer that has ended', () => {
  it.each<[string, Step, string[], boolean]>([
    ['Shutdown', '/shutdown', ['Scheduled', 'Shutdown', 'Shutdown, deleted'], true],
    ['Shutdown', '/shutdown', ['Scheduled', 'Shutdown', 'Shutdown, deleted'], false],
    ['Unhealthy', { type: 'makeUnhealthy' }, ['Scheduled', 'Unhealthy', 'Shutdown', 'Shutdown, deleted'], true],
    ['Unhealthy', { type: 'makeUnhealthy' }, ['Scheduled', 'Unhealthy'], false],
    ['deleted', { type: 'delete' }, ['Scheduled', 'Scheduled, deleted'], true],
    ['deleted', { type: 'delete' }, ['Scheduled', 'Scheduled, deleted'], false],
  ])(
    'shows its watchers what a cluster shows, and the log the reason: %s, %j, %j, replaced: %j',
    async (reason, end, states, isReplaced) => {
      const harness = start(isReplaced ? {} : { replaceAfter: undefined })
      const seen = harness.watch()
      const shown = (): string[] =>
        seen.map(
          ({ object_meta, status }) => status.state + (object_meta.deletion_timestamp === '0' ? '' : ', deleted'),
        )
      await harness.play(end, 500, 100)
      expect(shown()).toEqual(states)
      await harness.play(3_600_000)
      expect(shown()).toEqual(states)
      expect(replacements(harness)).toMatchObject(isReplaced ? [{ reason, previous: 'arena' }] : [])
    },
  )

  it('is replaced 1 s later by a Scheduled one of the same manifest, with a new name and uid', async () => {
    const harness = start()
    const before = present(harness)
    await harness.play('PUT /metadata/label {"key":"mode","value":"duel"}')
    await harness.play('PATCH /v1beta1/counters/rooms {"countDiff":5}', '/v1beta1/lists/players:addValue {"value":"b"}')
    await harness.play('/shutdown', 500)
    expect(harness.sidecar.snapshot().replacesAt).toBe(harness.clock.now() + 1_000)
    await harness.play(999)
    expect(harness.state()).toBe('Shutdown')
    await harness.play(1)
    const { gameServer: fresh, replacesAt, pending } = harness.sidecar.snapshot()
    expect([replacesAt, pending]).toEqual([undefined, []])
    expect(fresh.object_meta).toMatchObject({
      name: expect.stringMatching(/^arena-[bcdfghjklmnpqrstvwxz2456789]{5}$/),
      uid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/),
      ...{ labels: { map: 'x' }, deletion_timestamp: '0' },
    })
    expect(Number(fresh.object_meta.resource_version)).toBeGreaterThan(Number(before.object_meta.resource_version))
    expect([fresh.status, fresh.spec]).toEqual([before.status, before.spec])
  })

  it('is replaced after the grace period of its deletion, and reads fail from then on', async () => {
    const harness = await start().play({ type: 'delete', graceMs: 10_000 }, 9_999)
    expect(nameOf(harness)).toBe('arena')
    await harness.play(1)
    expect(nameOf(harness)).not.toBe('arena')
    await harness.play({ type: 'delete', graceMs: 0 }, 999)
    expect((await harness.call('GET', '/gameserver'))[0]).toBe(500)
    await harness.play(1, 'GET /gameserver')
  })

  it('cuts every watch and connection when it is replaced, and drops queued writes', async () => {
    const harness = start()
    const ends = harness.ends()
    await harness.play('/shutdown', 1_400, 'PUT /metadata/label {"key":"late","value":"x"}', 10_000)
    expect(ends).toEqual(['watch replaced', 'connection replaced'])
    expect(present(harness).object_meta.labels).toEqual({ map: 'x' })
    expect(harness.sidecar.snapshot().watchers).toEqual([])
  })

  it('has replacements with distinct names; the same run gives the same names', async () => {
    const run = async (): Promise<string[]> => {
      const harness = start()
      const names: string[] = []
      for (let i = 0; i < 20; i++) names.push(nameOf(await harness.play('/shutdown', 1_500)))
      return names
    }
    const names = await run()
    expect(await run()).toEqual(names)
    expect(new Set(names).size).toBe(20)
  })

  it('gets the call that came before a late replacement, which the replacement does not answer', async () => {
    const { play, sidecar, clock, state } = await start().play('/shutdown', 600)
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const init = { method: 'POST', body: body.readable, duplex: 'half' } as RequestInit
    const late = sidecar.handle(new Request('http://localhost/shutdown', init))
    clock.sleep(5_000)
    const writer = body.writable.getWriter()
    void writer.write(new TextEncoder().encode('{}')).catch(() => undefined)
    void writer.close().catch(() => undefined)
    await expect(late).rejects.toThrow('the sidecar has ended meanwhile')
    await play(60_000)
    expect(state()).toBe('Scheduled')
  })

  it('is not replaced once its end is taken back', async () => {
    const quiet = { spec: { health: { disabled: true } } }
    const steps: Step[] = ['/shutdown', 700, { type: 'setState', state: 'Ready' }, 60_000, '/allocate', 500]
    const harness = await start({ gameServer: quiet }).play(...steps)
    expect([replacements(harness), harness.state()]).toEqual([[], 'Allocated'])
  })

  it('is never replaced in local mode', async () => {
    const harness = await start({ mode: 'local', gameServer: undefined }).play('/shutdown', 60_000)
    expect([replacements(harness), harness.state()]).toEqual([[], 'Shutdown'])
  })

  it('is replaced by a Scheduled one where its manifest says Shutdown', async () => {
    const harness = start({ gameServer: { ...gameServer, status: { state: 'Shutdown' } } })
    expect((await harness.play(10_000)).state()).toBe('Scheduled')
  })

  it('is replaced by a GameServer of the new manifest if that manifest is loaded after its end', async () => {
    const harness = startHarness()
    const before = present(harness).object_meta
    await harness.play({ type: 'delete', graceMs: 0 }, 1)
    expect(harness.sidecar.snapshot().gone).toBe(true)
    const ends = harness.ends()
    harness.control({ type: 'reload', gameServer: { metadata: { name: 'saved' } } })
    expect(harness.sidecar.snapshot().gone).toBe(false)
    const after = present(harness).object_meta
    expect(after.name).toMatch(/^saved-\w{5}$/)
    expect(after.uid).not.toBe(before.uid)
    expect(Number(after.resource_version)).toBeGreaterThan(Number(before.resource_version))
    expect(ends).toEqual(['connection replaced'])
  })
})
