import { describe, expect, it } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import type { SidecarConfig } from '../../src/platform/sidecar.js'
import { startHarness, type Harness } from './support/harness.js'

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

const shown = ({ object_meta, status }: GameServer): string =>
  `${status.state}${object_meta.deletion_timestamp === '0' ? '' : ', deleted'}`

const replacements = ({ sidecar }: Harness): unknown[] =>
  sidecar.log.entries().flatMap(({ changes }) => changes.filter(({ type }) => type === 'replaced'))

describe('a GameServer that has ended', () => {
  it.each([
    ['Shutdown', ['Scheduled', 'Shutdown', 'Shutdown, deleted'], true],
    ['Shutdown', ['Scheduled', 'Shutdown', 'Shutdown, deleted'], false],
    ['Unhealthy', ['Scheduled', 'Unhealthy', 'Shutdown', 'Shutdown, deleted'], true],
    ['Unhealthy', ['Scheduled', 'Unhealthy'], false],
    ['deleted', ['Scheduled', 'Scheduled, deleted'], true],
    ['deleted', ['Scheduled', 'Scheduled, deleted'], false],
  ])(
    'shows its watchers what a cluster shows, and the log the reason: %s, %j, replaced: %j',
    async (how, states, isReplaced) => {
      const harness = start(isReplaced ? {} : { replaceAfter: undefined })
      const { call, sidecar, clock, watch } = harness
      const seen = watch()
      if (how === 'Shutdown') await call('POST', '/shutdown')
      else if (how === 'Unhealthy') sidecar.control({ type: 'makeUnhealthy' })
      else sidecar.control({ type: 'delete' })
      clock.advance(500)
      clock.advance(100)
      expect(seen.map(shown)).toEqual(states)
      clock.advance(3_600_000)
      expect(seen.map(shown)).toEqual(states)
      expect(replacements(harness)).toMatchObject(isReplaced ? [{ reason: how, previous: 'arena' }] : [])
    },
  )

  it('an ended GameServer is replaced 1 s later by a Scheduled one of the same manifest, with a new name and uid', async () => {
    const { call, sidecar, clock } = start()
    const before = sidecar.snapshot().gameServer
    await call('PUT', '/metadata/label', { key: 'mode', value: 'duel' })
    await call('PATCH', '/v1beta1/counters/rooms', { countDiff: 5 })
    await call('POST', '/v1beta1/lists/players:addValue', { value: 'b' })
    await call('POST', '/shutdown')
    clock.advance(500)
    expect(sidecar.snapshot().replacesAt).toBe(clock.now() + 1_000)
    clock.advance(999)
    expect(sidecar.snapshot().gameServer.status.state).toBe('Shutdown')
    clock.advance(1)
    const { gameServer: fresh, replacesAt, pending } = sidecar.snapshot()
    expect([replacesAt, pending]).toEqual([undefined, []])
    expect(fresh.object_meta.name).toMatch(/^arena-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(fresh.object_meta.uid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
    expect(fresh.object_meta).toMatchObject({ labels: { map: 'x' }, deletion_timestamp: '0' })
    expect(Number(fresh.object_meta.resource_version)).toBeGreaterThan(Number(before.object_meta.resource_version))
    expect(fresh.status).toEqual(before.status)
    expect(fresh.spec).toEqual(before.spec)
  })

  it('a deleted GameServer is replaced after its grace period, and reads fail from then on', async () => {
    const { call, sidecar, clock } = start()
    sidecar.control({ type: 'delete', graceMs: 10_000 })
    clock.advance(9_999)
    expect(sidecar.snapshot().gameServer.object_meta.name).toBe('arena')
    clock.advance(1)
    expect(sidecar.snapshot().gameServer.object_meta.name).not.toBe('arena')

    sidecar.control({ type: 'delete', graceMs: 0 })
    clock.advance(999)
    expect((await call('GET', '/gameserver'))[0]).toBe(500)
    clock.advance(1)
    expect((await call('GET', '/gameserver'))[0]).toBe(200)
  })

  it('a replacement cuts every watch and connection, and drops queued writes', async () => {
    const { call, sidecar, clock } = start()
    const ends: string[] = []
    const disconnected: string[] = []
    sidecar.watch({ onMessage: () => undefined, onEnd: (reason) => ends.push(reason) })
    sidecar.onDisconnect((reason) => disconnected.push(reason))
    await call('POST', '/shutdown')
    clock.advance(1_400)
    await call('PUT', '/metadata/label', { key: 'late', value: 'x' })
    clock.advance(10_000)
    expect([ends, disconnected]).toEqual([['replaced'], ['replaced']])
    expect(sidecar.snapshot().gameServer.object_meta.labels).toEqual({ map: 'x' })
    expect(sidecar.snapshot().watchers).toEqual([])
  })

  it('replacements have distinct names, which a replay repeats', async () => {
    const run = async (): Promise<string[]> => {
      const { call, sidecar, clock } = start()
      const names: string[] = []
      for (let i = 0; i < 20; i++) {
        await call('POST', '/shutdown')
        clock.advance(1_500)
        names.push(sidecar.snapshot().gameServer.object_meta.name)
      }
      return names
    }
    const names = await run()
    expect(await run()).toEqual(names)
    expect(new Set(names).size).toBe(20)
  })

  it('a call before a late replacement is not answered by the replacement', async () => {
    const { call, sidecar, clock } = start()
    await call('POST', '/shutdown')
    clock.advance(600)
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const init = { method: 'POST', body: body.readable, duplex: 'half' } as RequestInit
    const late = sidecar.handle(new Request('http://localhost/shutdown', init))
    clock.sleep(5_000)
    const writer = body.writable.getWriter()
    void writer.write(new TextEncoder().encode('{}')).catch(() => undefined)
    void writer.close().catch(() => undefined)
    await expect(late).rejects.toThrow('the sidecar has ended meanwhile')
    clock.advance(60_000)
    expect(sidecar.snapshot().gameServer.status.state).toBe('Scheduled')
  })

  it('a GameServer whose end is taken back is not replaced', async () => {
    const harness = start({ gameServer: { spec: { health: { disabled: true } } } })
    await harness.call('POST', '/shutdown')
    harness.clock.advance(700)
    harness.sidecar.control({ type: 'setState', state: 'Ready' })
    harness.clock.advance(60_000)
    expect(replacements(harness)).toEqual([])
    await harness.call('POST', '/allocate')
    harness.clock.advance(500)
    expect(harness.state()).toBe('Allocated')
  })

  it('local mode never replaces a GameServer', async () => {
    const harness = start({ mode: 'local', gameServer: undefined })
    await harness.call('POST', '/shutdown')
    harness.clock.advance(60_000)
    expect(replacements(harness)).toEqual([])
    expect(harness.state()).toBe('Shutdown')
  })

  it('a manifest that says Shutdown is replaced by a Scheduled GameServer', () => {
    const { clock, state } = start({ gameServer: { ...gameServer, status: { state: 'Shutdown' } } })
    clock.advance(10_000)
    expect(state()).toBe('Scheduled')
  })

  it('a reload of a gone GameServer starts a fresh one of the new manifest', () => {
    const { sidecar, clock } = startHarness()
    const before = sidecar.snapshot().gameServer.object_meta
    sidecar.control({ type: 'delete', graceMs: 0 })
    clock.advance(1)
    expect(sidecar.snapshot().gone).toBe(true)
    const ended: string[] = []
    sidecar.onDisconnect((reason) => void ended.push(reason))
    expect(sidecar.control({ type: 'reload', gameServer: { metadata: { name: 'saved' } } })).toEqual({ ok: true })
    const { gone, gameServer } = sidecar.snapshot()
    expect(gone).toBe(false)
    expect(gameServer.object_meta.name).toMatch(/^saved-\w{5}$/)
    expect(gameServer.object_meta.uid).not.toBe(before.uid)
    expect(Number(gameServer.object_meta.resource_version)).toBeGreaterThan(Number(before.resource_version))
    expect(ended).toEqual(['replaced'])
  })
})
