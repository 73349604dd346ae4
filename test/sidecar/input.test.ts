import { describe, expect, it } from 'vitest'
import { resolveConfig, type ConformanceResult } from '../../src/platform/sidecar.js'
import { startHarness, type Step } from './support/harness.js'

it('a manifest in production gives counters and lists by spec or status, status first', () => {
  const { sidecar } = startHarness({
    gameServer: {
      spec: {
        counters: { a: { count: 1, capacity: 2 }, b: { count: 3 } },
        lists: { l: { capacity: 5, values: ['x'] } },
      },
      status: { counters: { b: { count: '9223372036854775807', capacity: 9223372036854775807n } } },
    },
  })
  const { status, spec, object_meta } = sidecar.snapshot().gameServer
  expect(status.counters).toEqual({
    a: { count: '1', capacity: '2' },
    b: { count: '9223372036854775807', capacity: '9223372036854775807' },
  })
  expect(status.lists).toEqual({ l: { capacity: '5', values: ['x'] } })
  expect(spec).toEqual({
    health: { disabled: false, period_seconds: 5, failure_threshold: 3, initial_delay_seconds: 5 },
  })
  expect(object_meta).toMatchObject({ name: 'local', namespace: 'default', creation_timestamp: '1893456000' })
})

describe('a conformance run', () => {
  it.each<[string, string[], Step[], Partial<ConformanceResult>]>([
    [
      'names what is missing and what nobody expected',
      ['ready', 'watch'],
      ['/ready', '/health'],
      { missing: ['watch'], unexpected: ['health'] },
    ],
    [
      'takes a label only with the creation time as its value, an annotation only with the uid',
      ['setlabel', 'setannotation'],
      ['PUT /metadata/label {"key":"creation","value":"5"}', 'PUT /metadata/annotation {"key":"uid","value":"1234"}'],
      {
        ...{ received: ['setannotation'], missing: ['setlabel'] },
        problems: ['setlabel should have been called with "1893456000", not "5"'],
      },
    ],
    [
      'takes each kind of counter update for itself',
      ['updatecounter'],
      ['PATCH /v1beta1/counters/rooms {"count":3}'],
      { missing: ['updatecounter'], unexpected: ['setcountcounter'] },
    ],
    [
      'counts the end of a reservation in local mode as ready, as the real one does',
      ['reserve'],
      ['/reserve {"seconds":1}', 1000],
      { unexpected: ['ready'] },
    ],
  ])('%s', async (_, conformance, steps, expected) => {
    const { sidecar } = await startHarness({ mode: 'local', gameServer: undefined, conformance }).play(...steps)
    expect(sidecar.conformance()).toMatchObject({ ok: false, ...expected })
  })

  it('of an unknown name is refused', () => {
    expect(() => resolveConfig({ conformance: ['ready', 'fly'] })).toThrow(
      'conformance knows no "fly"; it knows ready, health',
    )
  })
})

const post = (path: string, body: BodyInit): Request =>
  new Request(`http://localhost${path}`, { method: 'POST', body, duplex: 'half' } as RequestInit)

it('a request with an endless body is answered without reading it to the end', async () => {
  let pulled = 0
  let cancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(64 * 1024).fill(32))
    },
    cancel() {
      cancelled = true
    },
  })
  expect((await startHarness().sidecar.handle(post('/ready', endless))).status).toBe(429)
  expect(pulled).toBeLessThan(70)
  expect(cancelled).toBe(true)
})

it.each([
  [`a JSON object is expected, not ${'x'.repeat(40)}…`, 'x'.repeat(100)],
  ['the body ends before its JSON object does', '{"seconds":1'],
  ['the field "seconds" must be a 64-bit integer, not 9223372036854775808', '{"seconds":9223372036854775808}'],
  ['the field "seconds" is given twice', '{"seconds":1,"seconds":1}'],
  ['a string holds half of a surrogate pair', '{"a":"\\ud83d"}'],
])('a malformed body is refused because %s', async (problem, body) => {
  const response = await startHarness().sidecar.handle(post('/reserve', body))
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json'])
  expect(await response.json()).toEqual({ code: 3, message: `invalid request: ${problem}`, details: [] })
})

it('__proto__ is data in a body and in a control command', async () => {
  const { sidecar, call, play } = startHarness()
  expect((await call('PUT', '/metadata/annotation', JSON.parse('{"__proto__":{"key":"a"}}')))[0]).toBe(400)
  const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>
  await play('PUT /metadata/annotation {"key":"constructor","value":"x"}', 600)
  await play({ type: 'setState', state: 'Ready' }, { type: 'allocate', labels })
  const { object_meta } = sidecar.snapshot().gameServer
  expect(Object.entries(object_meta.annotations!)).toContainEqual(['agones.dev/sdk-constructor', 'x'])
  expect(Object.entries(object_meta.labels!)).toEqual(Object.entries(labels))
  expect(Object.keys(Object.prototype)).toEqual([])
})

it("the fragment of a URL stays with the client, and a target's # is part of its path", async () => {
  const { sidecar } = startHarness()
  const request = new Request('http://localhost/gameserver#top')
  expect((await sidecar.handle(request)).status).toBe(200)
  const { method, headers, body, signal } = request
  expect((await sidecar.handle({ method, headers, body, signal, url: '/gameserver#top' })).status).toBe(404)
})
