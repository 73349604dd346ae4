import { describe, expect, it } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import type { ControlCommand } from '../../src/platform/sidecar.js'
import { startHarness, type Step } from './support/harness.js'

const away = { type: 'apiServer', away: true } as const
const back = { type: 'apiServer', away: false } as const
const calls: readonly Step[] = [
  '/ready',
  'PUT /metadata/label {"key":"mode","value":"duel"}',
  'PUT /metadata/annotation {"key":"note","value":"x"}',
  'PATCH /v1beta1/counters/rooms {"countDiff":2}',
  '/v1beta1/lists/players:addValue {"value":"alice"}',
  '/health',
  'GET /gameserver',
]

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
  it('calls answer 200 and watches are silent; writes are applied later', async () => {
    const { sidecar, play, call, watch } = startHarness()
    const seen = watch()
    await play(away, ...calls, 18_000)
    expect(essence((await call('GET', '/gameserver'))[1] as GameServer)).toEqual(nothing)
    expect(essence(watch()[0]!)).toEqual(nothing)
    expect(seen).toHaveLength(1)
    expect(sidecar.snapshot()).toMatchObject({ faults: { apiServerAway: true }, watchers: [{ id: 1 }, { id: 2 }] })

    await play(back, 20)
    expect(sidecar.snapshot().faults.apiServerAway).toBe(false)
    expect(seen).toHaveLength(7)
    expect(essence(seen.at(-1)!)).toEqual(everything)
  })

  it('writes wait in the order of their calls', async () => {
    const { play, watch } = startHarness()
    const seen = watch()
    await play(away, ...[...calls].reverse().flatMap((one) => [one, 10]), 10_000, back)
    expect(seen.slice(1).map(essence)).toEqual([
      ['Scheduled', undefined, undefined, '1', 1],
      ['Scheduled', undefined, undefined, '3', 1],
      ['Scheduled', undefined, 'x', '3', 1],
      ['Scheduled', 'duel', 'x', '3', 1],
      ['RequestReady', 'duel', 'x', '3', 1],
    ])
  })

  it('a write that was less than half a second old when the API server returned still waits its half second', async () => {
    const { play, states } = await startHarness().play(away, '/ready', 100, back, 399)
    expect(states()).toEqual([])
    await play(1)
    expect(states()).toEqual(['RequestReady'])
  })

  it.each<ControlCommand>([
    { type: 'allocate' },
    { type: 'setState', state: 'Ready' },
    { type: 'setLabel', key: 'a', value: 'b' },
    { type: 'padObject', bytes: 10 },
    { type: 'delete' },
    { type: 'terminate' },
    { type: 'reload', gameServer: {} },
  ])('the command $type is refused', async (command) => {
    const { sidecar } = await startHarness().play(away)
    const { gameServer } = sidecar.snapshot()
    expect(sidecar.control(command)).toEqual({
      ok: false,
      message: `the API server is away, and ${command.type} needs it; {"type":"apiServer","away":false} brings it back`,
    })
    expect(sidecar.snapshot().gameServer).toBe(gameServer)
  })

  it('the API server comes back by itself after ms', async () => {
    const { sidecar, clock, play } = await startHarness().play({ ...away, ms: 18_000 })
    expect(sidecar.snapshot().faults.apiServerAway).toBe(clock.now() + 18_000)
    await play(...calls, 17_999)
    expect(essence(sidecar.snapshot().gameServer)).toEqual(nothing)
    await play(21)
    expect(essence(sidecar.snapshot().gameServer)).toEqual(everything)
  })

  it('missed beats are counted, and the server becomes Unhealthy when it is back, and is replaced a second later', async () => {
    const { play, state, states } = startHarness({ gameServer: undefined, replaceAfter: 1_000 })
    await play('/health', away, 120_000)
    expect(states()).toEqual([])
    await play(back)
    expect(states()).toEqual(['Unhealthy'])
    await play(999)
    expect(state()).toBe('Shutdown')
    await play(1)
    expect(state()).toBe('Scheduled')
  })

  it('an ended GameServer is replaced only once the API server is back', async () => {
    const { play, state } = await startHarness({ replaceAfter: 1_000 }).play('/shutdown', 600, away, 60_000)
    expect(state()).toBe('Shutdown')
    await play(back, 0)
    expect(state()).toBe('Scheduled')
  })
})

it('local mode refuses the command apiServer', () => {
  const message = 'local mode has no API server; start the sidecar in production mode'
  expect(startHarness({ mode: 'local', gameServer: undefined }).sidecar.control(away)).toEqual({ ok: false, message })
})
