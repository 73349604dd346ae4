import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'

const KIB = 1024
const quiet = { health: { disabled: true } }

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
      message: expect.stringMatching(/^a GameServer has at most 10000 labels here, not 10001: /) as string,
    })
    // The fault that makes it larger on purpose is no growth.
    expect(sidecar.control({ type: 'padObject', bytes: 9 * 1024 * KIB })).toEqual({ ok: true })
  })

  it('is written in one pass, however many labels were set', async () => {
    const labels = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`file${i}`, 'x']))
    const { sidecar, call, clock } = startHarness({ gameServer: { metadata: { labels }, spec: quiet } })
    for (let i = 0; i < 400; i += 1) await call('PUT', '/metadata/label', { key: `l${i}`, value: 'x' })
    const cost = (run: () => void): number => {
      const before = process.cpuUsage()
      run()
      return process.cpuUsage(before).user
    }
    const ofAll = cost(() => clock.advance(600))
    expect(Object.keys(sidecar.snapshot().gameServer.object_meta.labels ?? {})).toHaveLength(9_400)
    const ofOne = Math.min(
      ...['a', 'b', 'c'].map((value) =>
        cost(() => expect(sidecar.control({ type: 'setLabel', key: 'one', value })).toEqual({ ok: true })),
      ),
    )
    // It copied and sorted all labels anew for each one.
    expect(ofAll).toBeLessThan(40 * ofOne)
  })
})

it('the log forgets old entries by the size of what they changed too', async () => {
  const { sidecar, call, clock } = startHarness({ logSize: 100 * KIB })
  for (let i = 0; i < 40; i += 1) {
    await call('POST', '/v1beta1/lists/players:addValue', { value: `${i}${'x'.repeat(10 * KIB)}` })
    clock.advance(600)
  }
  expect(JSON.stringify(sidecar.log.entries()).length).toBeLessThan(150 * KIB)
})
