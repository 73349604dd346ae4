import { describe, expect, it } from 'vitest'
import { explainEntry, type LogEntry, type SidecarConfig } from '../../src/platform/sidecar.js'
import { startHarness, type Harness } from './support/harness.js'

describe('the event log', () => {
  it('the event log holds every call, refusal, command, watch and change, in order', async () => {
    const { sidecar, call: send, clock, watch } = startHarness()
    const live: LogEntry[] = []
    const unsubscribe = sidecar.log.subscribe((entry) => live.push(entry))
    watch()
    await send('POST', '/allocate')
    await send('GET', '/nope')
    await send('GET', '/v1beta1/counters/nope')
    sidecar.control({ type: 'dropWatchers' })
    clock.advance(500)
    const entries = sidecar.log.entries()
    expect(live).toEqual(entries)
    expect(entries.map(({ seq, event }) => [seq, event.type])).toEqual([
      [1, 'watch-opened'],
      [2, 'call'],
      [3, 'refused'],
      [4, 'call'],
      [5, 'control'],
      [6, 'tick'],
    ])
    expect(entries[1]!.reply).toEqual({ status: 200 })
    expect(entries[2]!.event).toEqual({
      type: 'refused',
      method: 'GET',
      path: '/nope',
      status: 404,
      message: 'Not Found',
    })
    expect(entries[3]!.reply).toEqual({ status: 500, message: 'counter not found: nope' })
    expect(entries[5]!.changes[0]).toEqual({ type: 'state', value: 'Allocated', previous: 'Scheduled' })
    expect(sidecar.log.entries(5).map(({ seq }) => seq)).toEqual([6])
    unsubscribe()
    await send('POST', '/ready')
    expect(live).toHaveLength(6)
  })

  it('the event log is bounded in entries and in size', async () => {
    const { sidecar, call: send } = startHarness({ logEntries: 100, logSize: 100_000 })
    for (let i = 0; i < 250; i++) await send('POST', '/health')
    expect(sidecar.log.entries().length).toBeLessThanOrEqual(100)
    for (let i = 0; i < 30; i++) await send('PUT', '/metadata/annotation', { key: 'k', value: 'x'.repeat(20_000) })
    expect(sidecar.log.entries().length).toBeLessThan(10)
  })

  it('a listener of the log may call the sidecar, and entries stay in order', () => {
    const { sidecar, watch } = startHarness()
    const unsubscribe = sidecar.log.subscribe(({ event }) => {
      if (event.type === 'control' && event.command.type === 'setState' && event.command.state === 'Ready') {
        sidecar.control({ type: 'setState', state: 'Allocated' })
      }
    })
    const seen = watch()
    sidecar.control({ type: 'setState', state: 'Ready' })
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Ready', 'Allocated'])
    unsubscribe()
  })
})

const send = (
  sidecar: ReturnType<typeof startHarness>['sidecar'],
  path: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  sidecar.handle(
    new Request(`http://localhost${path}`, { method: path === '/health' ? 'POST' : 'PUT', body, headers }),
    {
      client: 'page#1',
    },
  )

describe('beside an entry', () => {
  it('an entry keeps its request and answer without credentials', async () => {
    const { sidecar } = startHarness()
    await send(sidecar, '/metadata/label?x=1', '{"key":"a","value":"b"}', {
      authorization: 'Bearer secret',
      'x-y': 'z',
    })
    const kept = sidecar.log.find(1)!
    expect(kept.entry).toMatchObject({ client: 'page#1', ms: 0 })
    expect(kept.exchange).toMatchObject({
      request: {
        method: 'PUT',
        target: '/metadata/label?x=1',
        headers: { authorization: '(redacted)', 'x-y': 'z' },
        body: '{"key":"a","value":"b"}',
      },
      response: { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
    })
    expect(sidecar.log.find(2)).toBeUndefined()
    expect(sidecar.log.find(0)).toBeUndefined()
  })

  it('an entry cuts a long body and keeps its length', async () => {
    const { sidecar } = startHarness()
    const body = JSON.stringify({ key: 'a', value: 'v'.repeat(50_000) })
    await send(sidecar, '/metadata/annotation', body)
    const { request } = sidecar.log.find(1)!.exchange!
    expect(request.body).toBe(body.slice(0, 16 * 1024))
    expect(request.bodyBytes).toBe(body.length)
  })

  it('a call whose connection is cut has a request and no answer', async () => {
    const { sidecar } = startHarness()
    sidecar.control({ type: 'failCalls', drop: true })
    await expect(send(sidecar, '/metadata/label', '{"key":"a","value":"b"}')).rejects.toThrow('dropped')
    const { exchange } = sidecar.log.find(2)!
    expect(exchange?.request.target).toBe('/metadata/label')
    expect(exchange?.response).toBeUndefined()
  })
})

/** Why the last entry of the log turned out as it did. */
function whyOf({ sidecar }: Harness): { rule: string; production?: string } {
  const { seq } = sidecar.log.entries().at(-1)!
  return explainEntry(sidecar.log.find(seq)!, sidecar.config)
}

async function why(
  method: string,
  path: string,
  body?: unknown,
  config: Partial<SidecarConfig> = {},
): Promise<{ rule: string; production?: string }> {
  const harness = startHarness(config)
  await harness.call(method, path, body)
  return whyOf(harness)
}

describe('the rule of an entry', () => {
  it.for([
    [
      'PATCH',
      '/v1beta1/counters/rooms',
      {},
      'updateCounter is refused: it changes nothing: give count, capacity or a countDiff other than 0.',
    ],
    ['GET', '/v1beta1/counters/nope', undefined, 'getCounter is refused: counter not found: nope.'],
    [
      'PATCH',
      '/v1beta1/lists/rooms',
      { capacity: 1001 },
      'updateList is refused: the capacity of a list must be from 0 to 1000.',
    ],
    [
      'POST',
      '/Ready',
      {},
      'No operation has the path /Ready. A trailing slash or another case makes a different path.',
    ],
    ['GET', '/ready', undefined, 'The path /ready exists, but not with the method GET.'],
  ] as const)('the rule of %s %s %j says why it was refused', async ([method, path, body, rule]) => {
    expect(await why(method, path, body)).toEqual({ rule })
  })

  it('a call that is ignored because the GameServer has ended says so', async () => {
    const harness = startHarness()
    harness.sidecar.control({ type: 'makeUnhealthy' })
    await harness.call('POST', '/ready')
    expect(whyOf(harness).rule).toBe(
      'The GameServer is Unhealthy, which is final: the sidecar answers the call with 200 and ignores it.',
    )
  })

  it('names the fault that decided, and the time that one took', async () => {
    const harness = startHarness()
    harness.sidecar.control({ type: 'failCalls', count: 2, status: 500 })
    await harness.call('POST', '/ready')
    expect(harness.sidecar.log.entries().at(-1)).toMatchObject({ fault: true, reply: { status: 500 } })
    expect(whyOf(harness).rule).toBe('The fault failCalls answered it with 500 before it took effect, 1 more to fail.')

    harness.sidecar.control({ type: 'clearFaults' })
    harness.sidecar.control({ type: 'delayCalls', ms: 70 })
    const answered = harness.call('POST', '/ready')
    await new Promise((resolve) => setTimeout(resolve))
    harness.clock.advance(70)
    await answered
    expect(harness.sidecar.log.entries().at(-1)).toMatchObject({ fault: true, ms: 70 })
    expect(whyOf(harness).rule).toContain('it took 70 ms')
  })

  it('a refused control command says why', () => {
    const harness = startHarness()
    harness.sidecar.control({ type: 'allocate' })
    expect(whyOf(harness).rule).toMatch(/^The control command allocate was refused: .*Ready/)
  })
})

describe('what a pod does', () => {
  it('the explanation names production only if it differs', async () => {
    expect(await why('PUT', '/metadata/label', { key: 'a', value: 'b' })).not.toHaveProperty('production')
    const local = await why('PUT', '/metadata/label', { key: 'a', value: 'b' }, { mode: 'local' })
    expect(local.production).toBe('A pod queues the write, answers, and writes about 500 ms later.')
  })

  it('the explanation of a mistake that fails in production is its warning', async () => {
    const { production } = await why('POST', '/reserve', { seconds: '9223372037' })
    expect(production).toContain('overflows')
  })
})
