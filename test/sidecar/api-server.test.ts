import { describe, expect, it } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import type { ControlCommand } from '../../src/platform/sidecar.js'
import { startHarness, type Harness } from './support/harness.js'

const calls = [
  ['POST', '/ready', {}],
  ['PUT', '/metadata/label', { key: 'mode', value: 'duel' }],
  ['PUT', '/metadata/annotation', { key: 'note', value: 'x' }],
  ['PATCH', '/v1beta1/counters/rooms', { countDiff: 2 }],
  ['POST', '/v1beta1/lists/players:addValue', { value: 'alice' }],
  ['POST', '/health', {}],
  ['GET', '/gameserver', undefined],
] as const

const callAll = async ({ call }: Harness): Promise<void> => {
  for (const [method, path, body] of calls) expect((await call(method, path, body))[0], path).toBe(200)
}

const essence = ({ object_meta, status }: GameServer): unknown => [
  status.state,
  object_meta.labels?.['agones.dev/sdk-mode'],
  object_meta.annotations?.['agones.dev/sdk-note'],
  status.counters?.['rooms']?.count,
  status.lists?.['players']?.values?.length,
]

const nothing = ['Scheduled', undefined, undefined, '1', 0]
const everything = ['Ready', 'duel', 'x', '3', 1]

describe('while the API server is away', () => {
  it('while the API server is away calls answer 200 and watches are silent; writes are applied in order later', async () => {
    const harness = startHarness()
    const { sidecar, clock, call, watch } = harness
    const seen = watch()
    sidecar.control({ type: 'apiServer', away: true })
    await callAll(harness)
    clock.advance(18_000)
    expect(essence((await call('GET', '/gameserver'))[1] as GameServer)).toEqual(nothing)
    expect(essence(watch()[0]!)).toEqual(nothing)
    expect(seen).toHaveLength(1)
    expect(sidecar.snapshot()).toMatchObject({ faults: { apiServerAway: true }, watchers: [{ id: 1 }, { id: 2 }] })

    sidecar.control({ type: 'apiServer', away: false })
    clock.advance(20)
    expect(sidecar.snapshot().faults.apiServerAway).toBe(false)
    expect(seen.map(essence)).toEqual([
      nothing,
      ['RequestReady', undefined, undefined, '1', 0],
      ['RequestReady', 'duel', undefined, '1', 0],
      ['RequestReady', 'duel', 'x', '1', 0],
      ['RequestReady', 'duel', 'x', '3', 0],
      ['RequestReady', 'duel', 'x', '3', 1],
      everything,
    ])
  })

  it('writes wait in the order of their calls', async () => {
    const harness = startHarness()
    const { sidecar, clock, call, watch } = harness
    sidecar.control({ type: 'apiServer', away: true })
    const seen = watch()
    for (const [method, path, body] of [...calls].reverse()) {
      await call(method, path, body)
      clock.advance(10)
    }
    clock.advance(10_000)
    sidecar.control({ type: 'apiServer', away: false })
    expect(seen.slice(1).map(essence)).toEqual([
      ['Scheduled', undefined, undefined, '1', 1],
      ['Scheduled', undefined, undefined, '3', 1],
      ['Scheduled', undefined, 'x', '3', 1],
      ['Scheduled', 'duel', 'x', '3', 1],
      ['RequestReady', 'duel', 'x', '3', 1],
    ])
  })

  it('a write of less than half a second ago keeps its own time', async () => {
    const { sidecar, clock, call, state } = startHarness()
    sidecar.control({ type: 'apiServer', away: true })
    await call('POST', '/ready')
    clock.advance(100)
    sidecar.control({ type: 'apiServer', away: false })
    clock.advance(399)
    expect(state()).toBe('Scheduled')
    clock.advance(1)
    expect(state()).toBe('RequestReady')
  })

  it.each<ControlCommand>([
    { type: 'allocate' },
    { type: 'setState', state: 'Ready' },
    { type: 'setLabel', key: 'a', value: 'b' },
    { type: 'setAnnotation', key: 'a', value: 'b' },
    { type: 'setCounter', name: 'rooms', count: 2 },
    { type: 'setList', name: 'players', values: [] },
    { type: 'padObject', bytes: 10 },
    { type: 'delete' },
    { type: 'terminate' },
    { type: 'reload', gameServer: {} },
  ])('the command $type is refused while the API server is away', (command) => {
    const { sidecar } = startHarness()
    const { gameServer } = sidecar.snapshot()
    sidecar.control({ type: 'apiServer', away: true })
    expect(sidecar.control(command)).toEqual({
      ok: false,
      message: `the API server is away, and ${command.type} needs it; {"type":"apiServer","away":false} brings it back`,
    })
    expect(sidecar.snapshot().gameServer).toBe(gameServer)
  })

  it('the API server comes back by itself after ms', async () => {
    const harness = startHarness()
    const { sidecar, clock } = harness
    sidecar.control({ type: 'apiServer', away: true, ms: 18_000 })
    expect(sidecar.snapshot().faults.apiServerAway).toBe(clock.now() + 18_000)
    await callAll(harness)
    clock.advance(17_999)
    expect(essence(sidecar.snapshot().gameServer)).toEqual(nothing)
    clock.advance(21)
    expect(essence(sidecar.snapshot().gameServer)).toEqual(everything)
  })

  it('missed beats are counted, and the server becomes Unhealthy when it is back, and is replaced a second later', async () => {
    const { sidecar, clock, call, state } = startHarness({ gameServer: undefined, replaceAfter: 1_000 })
    await call('POST', '/health')
    sidecar.control({ type: 'apiServer', away: true })
    clock.advance(120_000)
    expect(state()).toBe('Scheduled')
    sidecar.control({ type: 'apiServer', away: false })
    expect(state()).toBe('Unhealthy')
    const { uid } = sidecar.snapshot().gameServer.object_meta
    clock.advance(999)
    expect(sidecar.snapshot().gameServer.object_meta.uid).toBe(uid)
    clock.advance(1)
    expect(sidecar.snapshot().gameServer.object_meta.uid).not.toBe(uid)
  })

  it('an ended GameServer is replaced only after the API server is back', async () => {
    const { sidecar, clock, call, state } = startHarness({ replaceAfter: 1_000 })
    await call('POST', '/shutdown')
    clock.advance(600)
    sidecar.control({ type: 'apiServer', away: true })
    clock.advance(60_000)
    expect(state()).toBe('Shutdown')
    sidecar.control({ type: 'apiServer', away: false })
    clock.advance(0)
    expect(state()).toBe('Scheduled')
  })

  it('local mode refuses the command apiServer', () => {
    const { sidecar } = startHarness({ mode: 'local', gameServer: undefined })
    expect(sidecar.control({ type: 'apiServer', away: true })).toMatchObject({
      ok: false,
      message: expect.stringContaining('production mode') as string,
    })
  })
})
