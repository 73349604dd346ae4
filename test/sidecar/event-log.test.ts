import { describe, expect, it } from 'vitest'
import { explainEntry, type LogEntry, type Sidecar } from '../../src/platform/sidecar.js'
import { startHarness, type Harness, type Step } from './support/harness.js'

describe('the event log', () => {
  it('holds every call, refusal, command, watch and change, in order', async () => {
    const { sidecar, call, play, watch } = startHarness()
    const live: LogEntry[] = []
    const unsubscribe = sidecar.log.subscribe((entry) => live.push(entry))
    watch()
    await play('/allocate')
    await call('GET', '/nope')
    await call('GET', '/v1beta1/counters/nope')
    await play({ type: 'dropWatchers' }, 500)
    const entries = sidecar.log.entries()
    expect(live).toEqual(entries)
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(entries).toMatchObject([
      { event: { type: 'watch-opened' } },
      { event: { type: 'call' }, reply: { status: 200 } },
      { event: { type: 'refused', method: 'GET', path: '/nope', status: 404, message: 'Not Found' } },
      { event: { type: 'call' }, reply: { status: 500, message: 'counter not found: nope' } },
      { event: { type: 'control' } },
      { event: { type: 'tick' }, changes: [{ type: 'state', value: 'Allocated', previous: 'Scheduled' }, {}] },
    ])
    unsubscribe()
    await play('/ready')
    expect(live).toHaveLength(6)
  })

  it('is bounded in entries and in size', async () => {
    const { sidecar, play } = startHarness({ logEntries: 100, logSize: 100_000 })
    await play(...Array<Step>(250).fill('/health'))
    expect(sidecar.log.entries().map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, i) => 151 + i))
    expect([0, 150, 248.5, 250, 900].map((since) => sidecar.log.entries(since).length)).toEqual([100, 100, 2, 0, 0])
    const long = JSON.stringify({ key: 'k', value: 'x'.repeat(20_000) })
    await play(...Array<Step>(30).fill(`PUT /metadata/annotation ${long}`))
    expect(sidecar.log.entries().length).toBeLessThan(10)
  })

  it('has its entries in order, though a listener calls the sidecar', () => {
    const { sidecar, control, watch } = startHarness()
    sidecar.log.subscribe(({ event }) => {
      if (event.type === 'control' && event.command.type === 'setState' && event.command.state === 'Ready') {
        control({ type: 'setState', state: 'Allocated' })
      }
    })
    const seen = watch()
    control({ type: 'setState', state: 'Ready' })
    expect(seen.map(({ status }) => status.state)).toEqual(['Scheduled', 'Ready', 'Allocated'])
  })
})

describe('beside an entry', () => {
  const send = ({ handle }: Sidecar, path: string, body: string, headers = {}): Promise<Response> =>
    handle(
      Object.assign(new Request(`http://localhost${path}`, { method: 'PUT', body, headers }), { client: 'page#1' }),
    )

  it('an entry keeps its request and answer without credentials', async () => {
    const { sidecar } = startHarness()
    const headers = { authorization: 'Bearer secret', 'x-y': 'z' }
    await send(sidecar, '/metadata/label?x=1', '{"key":"a","value":"b"}', headers)
    expect(sidecar.log.find(1)).toMatchObject({
      entry: { client: 'page#1', ms: 0 },
      exchange: {
        request: {
          ...{ method: 'PUT', target: '/metadata/label?x=1', body: '{"key":"a","value":"b"}' },
          headers: { authorization: '(redacted)', 'x-y': 'z' },
        },
        response: { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
      },
    })
    expect([sidecar.log.find(2), sidecar.log.find(0)]).toEqual([undefined, undefined])
  })

  it('an entry cuts a long body and keeps its length', async () => {
    const { sidecar } = startHarness()
    const body = JSON.stringify({ key: 'a', value: 'v'.repeat(50_000) })
    await send(sidecar, '/metadata/annotation', body)
    const { request } = sidecar.log.find(1)!.exchange!
    expect(request).toMatchObject({ body: body.slice(0, 16 * 1024), bodyBytes: body.length })
  })

  it('a call whose connection is cut has a request and no answer', async () => {
    const { sidecar, control } = startHarness()
    control({ type: 'failCalls', drop: true })
    await expect(send(sidecar, '/metadata/label', '{"key":"a","value":"b"}')).rejects.toThrow('dropped')
    const { exchange } = sidecar.log.find(2)!
    expect([exchange?.request.target, exchange?.response]).toEqual(['/metadata/label', undefined])
  })
})

describe('the reason of the last entry', () => {
  const whyOf = ({ sidecar }: Harness) => {
    const { seq } = sidecar.log.entries().at(-1)!
    return explainEntry(sidecar.log.find(seq)!, sidecar.config)
  }
  const label = ['PUT', '/metadata/label', { key: 'a', value: 'b' }] as const

  it.for([
    [
      ...['PATCH', '/v1beta1/counters/rooms', {}],
      'updateCounter is refused: it changes nothing: give count, capacity or a countDiff other than 0.',
    ],
    ['GET', '/v1beta1/counters/nope', undefined, 'getCounter is refused: counter not found: nope.'],
    [
      ...['POST', '/Ready', {}],
      'No operation has the path /Ready. A trailing slash or another case makes a different path.',
    ],
    ['GET', '/ready', undefined, 'The path /ready exists, but not with the method GET.'],
    [
      ...label,
      'The sidecar queued the write and answered; it writes about 500 ms later. The same value again makes no new version.',
    ],
  ] as [string, string, object | undefined, string][])('%s %s %j: the rule', async ([method, path, body, rule]) => {
    const harness = startHarness()
    await harness.call(method, path, body)
    expect(whyOf(harness)).toBe(rule)
  })

  it('a call that is ignored because the GameServer has ended says so', async () => {
    const harness = await startHarness().play({ type: 'makeUnhealthy' }, '/ready')
    expect(whyOf(harness)).toBe(
      'The GameServer is Unhealthy, which is final: the sidecar answers the call with 200 and ignores it.',
    )
  })

  it('a ready() while Allocated says that the next match may be sent to the server', async () => {
    const harness = await startHarness().play({ type: 'setState', state: 'Allocated' }, '/ready')
    expect(whyOf(harness)).toContain('right after a match, and wrong for a game that has restarted during one')
  })

  it('names the fault that decided, or the time by which a fault delayed the call', async () => {
    const harness = await startHarness().play({ type: 'failCalls', count: 2, status: 500 })
    await harness.call('POST', '/ready')
    expect(harness.sidecar.log.entries().at(-1)).toMatchObject({ fault: true, reply: { status: 500 } })
    expect(whyOf(harness)).toBe('The fault failCalls answered it with 500 before it took effect, 1 more to fail.')

    await harness.play({ type: 'clearFaults' }, { type: 'delayCalls', ms: 70 })
    const answered = harness.call('POST', '/ready')
    await new Promise((resolve) => setTimeout(resolve))
    harness.clock.advance(70)
    await answered
    expect(harness.sidecar.log.entries().at(-1)).toMatchObject({ fault: true, ms: 70 })
    expect(whyOf(harness)).toContain('it took 70 ms')
  })

  it('in local mode names what a pod does', async () => {
    const local = startHarness({ mode: 'local' })
    await local.call(...label)
    expect(whyOf(local)).toBe(
      'Local mode writes it at once. A pod queues the write, answers, and writes about 500 ms later.',
    )
  })
})
