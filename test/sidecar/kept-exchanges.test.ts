import { describe, expect, test } from 'vitest'
import { startHarness } from './support/harness.js'

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
  test('the request and the answer are kept, without what authorizes', async () => {
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

  test('a long body is cut, and its length is told', async () => {
    const { sidecar } = startHarness()
    const body = JSON.stringify({ key: 'a', value: 'v'.repeat(50_000) })
    await send(sidecar, '/metadata/annotation', body)
    const { request } = sidecar.log.find(1)!.exchange!
    expect(request.body).toBe(body.slice(0, 16 * 1024))
    expect(request.bodyBytes).toBe(body.length)
  })

  test('all requests together take a bounded space: the oldest go first, their entries stay', async () => {
    const { sidecar } = startHarness()
    const value = 'v'.repeat(16_000)
    for (let i = 0; i < 800; i += 1) await send(sidecar, '/metadata/label', JSON.stringify({ key: `k${i}`, value }))
    const kept = sidecar.log.entries().filter(({ seq }) => sidecar.log.find(seq)?.exchange !== undefined)
    const characters = kept.length * value.length
    expect(characters).toBeLessThan(8 * 1024 * 1024)
    expect(characters).toBeGreaterThan(4 * 1024 * 1024)
    expect(sidecar.log.find(1)?.exchange).toBeUndefined()
    expect(sidecar.log.find(sidecar.log.entries().at(-1)!.seq)?.exchange).toBeDefined()
  })

  test('beats of a client share one record', async () => {
    const { sidecar } = startHarness()
    await send(sidecar, '/health', '{}')
    await send(sidecar, '/health', '{}')
    const [first, second] = [1, 2].map((seq) => sidecar.log.find(seq)!.exchange)
    expect(first).toMatchObject({ request: { target: '/health', body: '{}' }, response: { status: 200 } })
    expect(second).toBe(first)
  })

  test('beats of any number of clients keep a bounded number of records', async () => {
    const { sidecar } = startHarness()
    const kept = new Set<unknown>()
    for (let round = 0; round < 2; round++) {
      for (let number = 0; number < 400; number++) {
        const beat = new Request('http://localhost/health', { method: 'POST', body: '{}' })
        await sidecar.handle(beat, { client: `node#${number}` })
      }
    }
    for (const { seq } of sidecar.log.entries()) kept.add(sidecar.log.find(seq)?.exchange)
    expect(kept.size).toBeLessThanOrEqual(201)
  })

  test('a call whose connection is cut has a request and no answer', async () => {
    const { sidecar } = startHarness()
    sidecar.control({ type: 'failCalls', drop: true })
    await expect(send(sidecar, '/metadata/label', '{"key":"a","value":"b"}')).rejects.toThrow('dropped')
    const { exchange } = sidecar.log.find(2)!
    expect(exchange?.request.target).toBe('/metadata/label')
    expect(exchange?.response).toBeUndefined()
  })
})
