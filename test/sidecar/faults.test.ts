import { describe, expect, it } from 'vitest'
import { ConnectionDropped } from '../../src/platform/sidecar.js'
import { turns } from '../support/until.js'
import { startHarness, type Step } from './support/harness.js'

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false
  void promise.catch(() => undefined).then(() => (done = true))
  await turns(20)
  return done
}

const watched = (): Request => new Request('http://localhost/watch/gameserver')

describe('delayCalls', () => {
  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('delays calls by 3 s %s they take effect; until then %i writes are queued', async (when, queued) => {
    const { call, play, sidecar, clock } = startHarness()
    await play({ type: 'delayCalls', ms: 3000, operations: ['ready'], when })
    const answer = call('POST', '/ready')
    await play('GET /gameserver')
    expect(await settled(answer)).toBe(false)
    expect(sidecar.snapshot().pending).toHaveLength(queued)
    clock.advance(3000)
    expect(await answer).toEqual([200, {}])
    expect(sidecar.snapshot().pending).toHaveLength(1 - queued)
  })

  it('delayed calls are cut when the sidecar restarts or closes', async () => {
    const { call, control, sidecar, clock } = startHarness()
    control({ type: 'delayCalls', ms: 3000 })
    for (const end of [() => control({ type: 'restart' }), () => sidecar.close()]) {
      const answer = call('POST', '/ready')
      await settled(answer)
      end()
      await expect(answer).rejects.toBeInstanceOf(ConnectionDropped)
    }
    expect(clock.pending).toBe(0)
  })

  it('a delayed watch clears its timer when it is closed or its client disconnects', async () => {
    const { control, sidecar, clock } = startHarness()
    control({ type: 'delayCalls', ms: 3000, operations: ['watchGameServer'] })
    const idle = clock.pending
    const watch = sidecar.watch({ onMessage: () => undefined })
    expect(clock.pending).toBe(idle + 1)
    watch.close()
    expect(clock.pending).toBe(idle)
    const left = new AbortController()
    const response = sidecar.handle(new Request(watched(), { signal: left.signal }))
    await settled(response)
    left.abort()
    await expect(response).rejects.toThrow('the client left')
    expect(clock.pending).toBe(idle)
  })
})

describe('failCalls', () => {
  it('fails count calls of the named operations only', async () => {
    const { call, control } = startHarness()
    control({ type: 'failCalls', status: 503, message: 'later', operations: ['ready'], count: 2 })
    const failure = [503, { code: 14, message: 'later', details: [] }]
    const answers = []
    for (const path of ['/ready', '/health', '/ready', '/ready']) answers.push(await call('POST', path))
    expect(answers).toEqual([failure, [200, {}], failure, [200, {}]])
  })

  it('failed calls have no effect without apply', async () => {
    const { call, control, sidecar } = startHarness()
    control({ type: 'failCalls', count: 1 })
    await call('POST', '/ready')
    expect(sidecar.snapshot().pending).toEqual([])
    control({ type: 'failCalls', count: 1, apply: true, drop: true })
    await expect(call('POST', '/ready')).rejects.toBeInstanceOf(ConnectionDropped)
    expect(sidecar.snapshot().pending).toHaveLength(1)
  })

  it('fails watches too', async () => {
    const { control, sidecar } = startHarness()
    control({ type: 'failCalls', status: 500, message: 'no', operations: ['watchGameServer'], count: 2 })
    const body = '{"error":{"code":2,"message":"no","details":[]}}'
    const response = await sidecar.handle(watched())
    expect([response.status, await response.text()]).toEqual([500, `${body}\n`])
    const errors: unknown[] = []
    sidecar.watch({ onMessage() {}, onError: (answer) => errors.push(answer) })
    expect(errors).toEqual([{ status: 500, body }])
    expect(sidecar.snapshot().watchers).toEqual([])
  })

  it('a failure carries Retry-After', async () => {
    const { control, sidecar } = startHarness()
    control({ type: 'failCalls', retryAfter: 7 })
    const response = await sidecar.handle(new Request('http://localhost/gameserver'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7'])
  })
})

describe('other faults', () => {
  it('padObject enlarges the object, and 0 restores it', () => {
    const { sidecar, control, watch } = startHarness()
    const seen = watch()
    control({ type: 'padObject', bytes: 70_000 })
    expect(JSON.stringify(seen[1]).length).toBeGreaterThan(70_000)
    expect(sidecar.snapshot().faults.padding).toBe(70_000)
    control({ type: 'padObject', bytes: 0 })
    expect(seen[2]!.object_meta.annotations).toEqual({})
    expect(JSON.stringify(sidecar.log.entries()).length).toBeLessThan(20_000)
  })

  it('clearFaults ends every fault', async () => {
    const { sidecar, play } = startHarness()
    const before = sidecar.snapshot().faults
    await play(
      { type: 'delayCalls', ms: 5 },
      { type: 'failCalls' },
      { type: 'stallWatchers' },
      { type: 'ignoreBeats', on: true, count: 3 },
      { type: 'loseWrites', count: 3 },
      { type: 'padObject', bytes: 5 },
      { type: 'apiServer', away: true },
    )
    for (const [name, value] of Object.entries(sidecar.snapshot().faults)) {
      expect(value, name).not.toEqual(before[name as keyof typeof before])
    }
    await play({ type: 'clearFaults' }, '/ready')
    expect(sidecar.snapshot().faults).toEqual(before)
  })

  it('ignoreBeats with count ignores only so many beats', async () => {
    const { sidecar } = await startHarness().play(
      { type: 'ignoreBeats', on: true, count: 2 },
      ...Array<Step>(3).fill('/health'),
    )
    const { health, faults } = sidecar.snapshot()
    expect([health.beats, faults.ignoreBeats]).toEqual([1, false])
    expect(sidecar.log.entries().map(({ fault }) => fault === true)).toEqual([false, true, true, false])
  })

  it('a lost write is answered and never applied; reads, beats and refusals do not use up the fault', async () => {
    const { sidecar, call, play, states } = startHarness()
    await play({ type: 'loseWrites', count: 2 }, 'GET /gameserver', '/health')
    expect((await call('PATCH', '/v1beta1/counters/rooms', { count: 99 }))[0]).toBe(500)
    expect(sidecar.snapshot().faults.writesToLose).toBe(2)
    expect(await call('POST', '/v1beta1/lists/rooms:addValue', { value: 'd' })).toEqual([
      200,
      { name: 'rooms', capacity: '10', values: ['a', 'b', 'c', 'd'] },
    ])
    await play('/ready', 2_000)
    const { gameServer, faults } = sidecar.snapshot()
    expect(states()).toEqual([])
    expect(gameServer.status.lists?.['rooms']?.values).toEqual(['a', 'b', 'c'])
    expect(faults.writesToLose).toBe(0)
    await play('/ready', 2_000)
    expect(states().at(-1)).toBe('Ready')
  })

  it('dropWatchers cuts one watch by its id, once', () => {
    const { sidecar, control } = startHarness()
    const ended: string[] = []
    for (const name of ['a', 'b'])
      sidecar.watch({ onMessage: () => undefined, onEnd: (reason) => void ended.push(`${name} ${reason}`) })
    const { id } = sidecar.snapshot().watchers[0]!
    control({ type: 'dropWatchers', ids: [id] })
    expect(ended).toEqual(['a dropped'])
  })
})

describe('the world outside', () => {
  it('a restart cuts every connection and drops queued writes', async () => {
    const harness = startHarness()
    const ends = harness.ends()
    await harness.play('/ready', { type: 'restart' }, 5000)
    expect([ends, harness.states()]).toEqual([['watch restart', 'connection restart'], []])
  })

  it('a restart keeps the object, a fresh one starts for a new GameServer', async () => {
    const { play, state } = await startHarness().play('/shutdown', 500, { type: 'restart' })
    expect(state()).toBe('Shutdown')
    await play({ type: 'restart', fresh: true })
    expect(state()).toBe('Scheduled')
  })

  it('a reload in production keeps state, counts and SDK metadata, and replaces the rest', async () => {
    const { control, play, watch } = startHarness()
    await play('/ready', 'PUT /metadata/label {"key":"mine","value":"x"}')
    await play('PATCH /v1beta1/counters/rooms {"countDiff":3}', 600)
    const seen = watch()
    const counters = { rooms: { count: 1, capacity: 10 }, more: { capacity: 5 } }
    control({ type: 'reload', gameServer: { metadata: { labels: { fleet: 'blue' } }, spec: { counters } } })
    const { object_meta: meta, status } = seen[1]!
    expect(status.state).toBe('Ready')
    expect(meta.labels).toEqual({ 'agones.dev/sdk-mine': 'x', fleet: 'blue' })
    expect(status.counters).toEqual({ more: { count: '0', capacity: '5' }, rooms: { count: '4', capacity: '10' } })
    expect(status.lists).toEqual({})
    expect(Number(meta.resource_version)).toBe(Number(seen[0]!.object_meta.resource_version) + 1)
  })

  it('a gone GameServer refuses every command but restart', async () => {
    const { sidecar, control, play, state } = await startHarness().play({ type: 'delete', graceMs: 0 }, 0)
    expect(sidecar.snapshot().gone).toBe(true)
    expect(() => control({ type: 'setState', state: 'Ready' })).toThrow('restart the sidecar to get a new one')
    await play({ type: 'restart' })
    expect([sidecar.snapshot().gone, state()]).toEqual([false, 'Scheduled'])
  })
})
