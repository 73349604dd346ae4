import { describe, expect, it } from 'vitest'
import { ConnectionDropped } from '../../src/platform/sidecar.js'
import { startHarness } from './support/harness.js'

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false
  void promise.then(
    () => (done = true),
    () => (done = true),
  )
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
  return done
}

describe('control: faults', () => {
  it('calls that are delayed take effect and answer after the time', async () => {
    const { call, sidecar, clock } = startHarness()
    sidecar.control({ type: 'delayCalls', ms: 3000, operations: ['ready'] })
    const answer = call('POST', '/ready')
    expect(await call('GET', '/gameserver')).toMatchObject([200, {}])
    expect(await settled(answer)).toBe(false)
    expect(sidecar.snapshot().pending).toEqual([])
    clock.advance(3000)
    expect(await answer).toEqual([200, {}])
    expect(sidecar.snapshot().pending).toHaveLength(1)
  })

  it('calls whose answer is delayed take effect at once', async () => {
    const { call, sidecar, clock } = startHarness()
    sidecar.control({ type: 'delayCalls', ms: 3000, when: 'after' })
    const answer = call('POST', '/ready')
    expect(await settled(answer)).toBe(false)
    expect(sidecar.snapshot().pending).toHaveLength(1)
    clock.advance(3000)
    expect(await answer).toEqual([200, {}])
  })

  it('delayed calls are cut when the sidecar restarts or closes', async () => {
    const { call, sidecar, clock } = startHarness()
    sidecar.control({ type: 'delayCalls', ms: 3000 })
    const first = call('POST', '/ready')
    await settled(first)
    sidecar.control({ type: 'restart' })
    await expect(first).rejects.toBeInstanceOf(ConnectionDropped)
    const second = call('POST', '/ready')
    await settled(second)
    sidecar.close()
    await expect(second).rejects.toBeInstanceOf(ConnectionDropped)
    expect(clock.pending).toBe(0)
  })

  it('a delayed watch keeps no timer once it is closed, nor once its client has left', async () => {
    const { sidecar, clock } = startHarness()
    sidecar.control({ type: 'delayCalls', ms: 3000, operations: ['watchGameServer'] })
    const idle = clock.pending
    const watch = sidecar.watch({ onMessage: () => undefined })
    expect(clock.pending).toBe(idle + 1)
    watch.close()
    expect(clock.pending).toBe(idle)
    const left = new AbortController()
    const response = sidecar.handle(new Request('http://localhost/watch/gameserver'), { signal: left.signal })
    await settled(response)
    left.abort()
    await expect(response).rejects.toThrow('the client left')
    expect(clock.pending).toBe(idle)
  })

  it('failCalls fails count calls of the named operations only', async () => {
    const { call, sidecar } = startHarness()
    sidecar.control({ type: 'failCalls', status: 503, message: 'later', operations: ['ready'], count: 2 })
    const failure = [503, { code: 14, message: 'later', details: [] }]
    expect(await call('POST', '/ready')).toEqual(failure)
    expect(await call('POST', '/health')).toEqual([200, {}])
    expect(await call('POST', '/ready')).toEqual(failure)
    expect(await call('POST', '/ready')).toEqual([200, {}])
  })

  it('failed calls have no effect without apply', async () => {
    const { call, sidecar } = startHarness()
    sidecar.control({ type: 'failCalls', count: 1 })
    await call('POST', '/ready')
    expect(sidecar.snapshot().pending).toEqual([])
    sidecar.control({ type: 'failCalls', count: 1, apply: true, drop: true })
    await expect(call('POST', '/ready')).rejects.toBeInstanceOf(ConnectionDropped)
    expect(sidecar.snapshot().pending).toHaveLength(1)
  })

  it('failCalls fails watches too', async () => {
    const { sidecar } = startHarness()
    sidecar.control({
      type: 'failCalls',
      status: 500,
      message: 'no',
      operations: ['watchGameServer'],
      count: 2,
    })
    const response = await sidecar.handle(new Request('http://localhost/watch/gameserver'))
    expect([response.status, await response.text()]).toEqual([
      500,
      '{"error":{"code":2,"message":"no","details":[]}}\n',
    ])
    const errors: unknown[] = []
    sidecar.watch({ onMessage() {}, onError: (answer) => errors.push(answer) })
    expect(errors).toEqual([{ status: 500, body: '{"error":{"code":2,"message":"no","details":[]}}' }])
    expect(sidecar.snapshot().watchers).toEqual([])
  })

  it('padObject enlarges the object, and 0 restores it', () => {
    const { sidecar, watch } = startHarness()
    const seen = watch()
    expect(sidecar.control({ type: 'padObject', bytes: 70_000 })).toEqual({ ok: true })
    expect(JSON.stringify(seen[1]).length).toBeGreaterThan(70_000)
    expect(sidecar.snapshot().faults.padding).toBe(70_000)
    sidecar.control({ type: 'padObject', bytes: 0 })
    expect(seen[2]!.object_meta.annotations).toEqual({})
    expect(JSON.stringify(sidecar.log.entries()).length).toBeLessThan(20_000)
  })

  it('clearFaults ends every fault', async () => {
    const { sidecar, call } = startHarness()
    for (const command of [
      { type: 'delayCalls', ms: 5 },
      { type: 'failCalls' },
      { type: 'stallWatchers' },
      { type: 'ignoreBeats', on: true, count: 3 },
      { type: 'loseWrites', count: 3 },
      { type: 'dropWatchers', everyMs: 5_000 },
      { type: 'padObject', bytes: 5 },
      { type: 'apiServer', away: true },
    ] as const) {
      expect(sidecar.control(command)).toEqual({ ok: true })
    }
    sidecar.control({ type: 'clearFaults' })
    expect(sidecar.snapshot().faults).toEqual({
      delays: [],
      failures: [],
      watchersStalled: false,
      watchersDropped: undefined,
      ignoreBeats: false,
      apiServerAway: false,
      beatsToIgnore: undefined,
      writesToLose: 0,
      padding: 0,
    })
    expect(await call('POST', '/ready')).toEqual([200, {}])
  })
})

describe('control: the world outside', () => {
  it('a restart cuts every connection and drops queued writes', async () => {
    const { sidecar, call, clock, state } = startHarness()
    const events: string[] = []
    sidecar.watch({ onMessage() {}, onEnd: (reason) => events.push(`watch ${reason}`) })
    sidecar.onDisconnect((reason) => events.push(`disconnect ${reason}`))
    await call('POST', '/ready')
    sidecar.control({ type: 'restart' })
    clock.advance(5000)
    expect(events).toEqual(['watch restart', 'disconnect restart'])
    expect(state()).toBe('Scheduled')
    expect(sidecar.snapshot().restarts).toBe(1)
  })

  it('a restart keeps the object, a fresh one starts for a new GameServer', async () => {
    const { sidecar, call, clock, state } = startHarness()
    await call('POST', '/shutdown')
    clock.advance(500)
    sidecar.control({ type: 'restart' })
    expect(state()).toBe('Shutdown')
    sidecar.control({ type: 'restart', fresh: true })
    expect(state()).toBe('Scheduled')
  })

  it('a reload in production keeps state, counts and SDK metadata, and replaces the rest', async () => {
    const { sidecar, call, clock, watch } = startHarness()
    await call('POST', '/ready')
    await call('PUT', '/metadata/label', { key: 'mine', value: 'x' })
    await call('PATCH', '/v1beta1/counters/rooms', { countDiff: 3 })
    clock.advance(600)
    const seen = watch()
    const manifest = {
      metadata: { labels: { fleet: 'blue' } },
      spec: { counters: { rooms: { count: 1, capacity: 10 }, more: { capacity: 5 } } },
    }
    expect(sidecar.control({ type: 'reload', gameServer: manifest })).toEqual({ ok: true })
    const { object_meta: meta, status } = seen[1]!
    expect(status.state).toBe('Ready')
    expect(meta.labels).toEqual({ 'agones.dev/sdk-mine': 'x', fleet: 'blue' })
    expect(status.counters).toEqual({
      more: { count: '0', capacity: '5' },
      rooms: { count: '4', capacity: '10' },
    })
    expect(status.lists).toEqual({})
    expect(Number(meta.resource_version)).toBe(Number(seen[0]!.object_meta.resource_version) + 1)
  })

  it('a gone GameServer refuses every command but restart', () => {
    const { sidecar, clock, state } = startHarness()
    sidecar.control({ type: 'delete', graceMs: 0 })
    clock.advance(0)
    expect(sidecar.snapshot().gone).toBe(true)
    expect(sidecar.control({ type: 'setState', state: 'Ready' })).toMatchObject({ ok: false })
    expect(sidecar.control({ type: 'restart' })).toEqual({ ok: true })
    expect(sidecar.snapshot().gone).toBe(false)
    expect(state()).toBe('Scheduled')
  })
})

describe('faults by number and by chance', () => {
  const statuses = async (config: { seed?: number } = {}): Promise<number[]> => {
    const { sidecar, call } = startHarness(config)
    sidecar.control({ type: 'failCalls', share: 0.3, retryAfter: 7, operations: ['getGameServer'] })
    const found: number[] = []
    for (let i = 0; i < 200; i += 1) found.push((await call('GET', '/gameserver'))[0])
    return found
  }

  it('a share of the calls fails, the same ones with the same seed', async () => {
    const [first, again, other] = [await statuses(), await statuses(), await statuses({ seed: 2 })]
    const failed = first.filter((status) => status === 503).length
    expect(failed).toBeGreaterThan(30)
    expect(failed).toBeLessThan(90)
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  it('a failure carries Retry-After', async () => {
    const { sidecar } = startHarness()
    sidecar.control({ type: 'failCalls', retryAfter: 7 })
    const response = await sidecar.handle(new Request('http://localhost/gameserver'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7'])
  })

  it('a delay with jitter is between ms and ms + jitterMs', async () => {
    const { sidecar, call, clock } = startHarness()
    sidecar.control({ type: 'delayCalls', ms: 100, jitterMs: 50 })
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    for (let i = 0; i < 20; i += 1) {
      let isAnswered = false
      void call('POST', '/ready').then(() => (isAnswered = true))
      await turn()
      for (clock.advance(90); !isAnswered; await turn()) clock.advance(10)
    }
    const times = sidecar.log.entries().flatMap(({ ms }) => (ms === undefined ? [] : [ms]))
    expect(times).toHaveLength(20)
    expect(times.filter((ms) => ms < 100 || ms > 150)).toEqual([])
    expect(new Set(times).size).toBeGreaterThan(2)
  })

  it('ignoreBeats with count ignores only so many beats', async () => {
    const { sidecar, call } = startHarness()
    sidecar.control({ type: 'ignoreBeats', on: true, count: 2 })
    for (let i = 0; i < 3; i += 1) await call('POST', '/health')
    expect(sidecar.snapshot().health.beats).toBe(1)
    expect(sidecar.snapshot().faults).toMatchObject({ ignoreBeats: false, beatsToIgnore: undefined })
    expect(sidecar.log.entries().map(({ fault }) => fault === true)).toEqual([false, true, true, false])
  })

  it('a lost write is answered and never applied; reads, beats and refusals do not use up the fault', async () => {
    const { sidecar, call, clock } = startHarness()
    sidecar.control({ type: 'loseWrites', count: 2 })
    await call('GET', '/gameserver')
    await call('POST', '/health')
    expect((await call('PATCH', '/v1beta1/counters/rooms', { count: 99 }))[0]).toBe(500)
    expect(sidecar.snapshot().faults.writesToLose).toBe(2)
    expect(await call('POST', '/v1beta1/lists/rooms:addValue', { value: 'd' })).toEqual([
      200,
      { name: 'rooms', capacity: '10', values: ['a', 'b', 'c', 'd'] },
    ])
    expect(await call('POST', '/ready')).toEqual([200, {}])
    clock.advance(2_000)
    const { gameServer, faults } = sidecar.snapshot()
    expect(gameServer.status.state).toBe('Scheduled')
    expect(gameServer.status.lists?.['rooms']?.values).toEqual(['a', 'b', 'c'])
    expect(faults.writesToLose).toBe(0)
    await call('POST', '/ready')
    clock.advance(2_000)
    expect(sidecar.snapshot().gameServer.status.state).toBe('Ready')
  })

  it('dropWatchers cuts one watch, or all periodically', () => {
    const { sidecar, clock } = startHarness()
    const ended: string[] = []
    const open = (name: string): void =>
      void sidecar.watch({ onMessage: () => undefined, onEnd: (reason) => void ended.push(`${name} ${reason}`) })
    open('a')
    open('b')
    const { id } = sidecar.snapshot().watchers[0]!
    expect(sidecar.control({ type: 'dropWatchers', ids: [id] })).toEqual({ ok: true })
    expect(ended).toEqual(['a dropped'])
    expect(sidecar.control({ type: 'dropWatchers', ids: [id] })).toEqual({
      ok: false,
      message: `there is no watcher ${id}; open are ${id + 1}`,
    })
    sidecar.control({ type: 'dropWatchers', everyMs: 1_000 })
    expect(ended).toEqual(['a dropped', 'b dropped'])
    for (const name of ['c', 'd']) {
      open(name)
      clock.advance(1_000)
    }
    expect(ended.slice(2)).toEqual(['c dropped', 'd dropped'])
    sidecar.control({ type: 'clearFaults' })
    open('e')
    clock.advance(5_000)
    expect(ended).toHaveLength(4)
  })
})
