import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'

const KIB = 1024

describe('a GameServer that grows without end', () => {
  it('stays within 8 Mi characters in local mode; what goes beyond is answered, dropped and warned of', async () => {
    const { sidecar, call, warnings } = startHarness({ mode: 'local' })
    const value = 'x'.repeat(1024 * KIB)
    for (let i = 0; i < 12; i += 1) {
      expect(await call('PUT', '/metadata/annotation', { key: `a${i}`, value })).toEqual([200, {}])
    }
    expect(Object.keys(sidecar.snapshot().gameServer.object_meta.annotations ?? {})).toHaveLength(7)
    expect(warnings()).toEqual(Array(5).fill('object-too-large'))
    expect(await call('POST', '/shutdown')).toEqual([200, {}])
    expect(sidecar.snapshot().gameServer.status.state).toBe('Shutdown')
  })

  it('stays within what is kept in production, labels, annotations and values that wait included', async () => {
    const { sidecar, call, clock, warnings } = startHarness()
    const value = 'x'.repeat(1024 * KIB)
    for (let i = 0; i < 12; i += 1) {
      await call('PUT', '/metadata/annotation', { key: `a${i}`, value })
      await call('POST', '/v1beta1/lists/rooms:addValue', { value: value + String(i) })
    }
    expect(warnings().filter((code) => code === 'object-too-large').length).toBeGreaterThan(4)
    clock.advance(600)
    const { gameServer } = sidecar.snapshot()
    expect(JSON.stringify(gameServer).length).toBeLessThan(9 * 1024 * KIB)
    expect(await call('POST', '/ready')).toEqual([200, {}])
    clock.advance(600)
    expect(sidecar.snapshot().gameServer.status.state).toBe('Ready')
  })

  it('takes no command that makes it too large, and says so', () => {
    const { sidecar } = startHarness()
    const value = 'x'.repeat(1024 * KIB)
    const results = Array.from({ length: 9 }, (_, i) => sidecar.control({ type: 'setAnnotation', key: `a${i}`, value }))
    expect(results.at(0)).toEqual({ ok: true })
    expect(results.at(-1)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^a GameServer has at most 8388608 characters here: /),
    })
    const labels = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`l${i}`, 'x']))
    expect(sidecar.control({ type: 'allocate', force: true, labels })).toEqual({
      ok: false,
      message: 'labels has 10001 entries; at most 10000 are taken',
    })
    // The fault that makes it larger on purpose is no growth.
    expect(sidecar.control({ type: 'padObject', bytes: 9 * 1024 * KIB })).toEqual({ ok: true })
  })

  it('is written in one pass, however many labels were set', async () => {
    const { sidecar, call, clock } = startHarness()
    const before = process.cpuUsage()
    for (let i = 0; i < 2_000; i += 1) await call('PUT', '/metadata/label', { key: `l${i}`, value: 'x' })
    const toSet = process.cpuUsage(before).user
    const after = process.cpuUsage()
    clock.advance(600)
    expect(Object.keys(sidecar.snapshot().gameServer.object_meta.labels ?? {})).toHaveLength(2_000)
    // It sorted them all for each one: as long as all calls together.
    expect(process.cpuUsage(after).user).toBeLessThan(toSet / 4)
  })

  it('tells thousands of changes at once, which are more than a function has arguments', () => {
    const { sidecar } = startHarness({ mode: 'local' })
    const record = (name: string): Record<string, string> =>
      Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [name + String(i), 'x']))
    for (const name of ['a', 'b']) {
      const metadata = { labels: record(name), annotations: record(name) }
      expect(sidecar.control({ type: 'reload', gameServer: { metadata } })).toEqual({ ok: true })
    }
    expect(sidecar.log.entries().at(-1)?.changes).toHaveLength(40_000)
  })
})

it('the log forgets old entries by the size of what they changed too', async () => {
  const { sidecar, call, clock } = startHarness({ logSize: 100 * KIB })
  for (let i = 0; i < 40; i += 1) {
    await call('POST', '/v1beta1/lists/rooms:addValue', { value: `${i}${'x'.repeat(10 * KIB)}` })
    clock.advance(600)
  }
  expect(JSON.stringify(sidecar.log.entries()).length).toBeLessThan(200 * KIB)
})
