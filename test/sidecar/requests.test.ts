import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'

const ask = async (answer: Promise<Response>): Promise<[number, string | null, unknown]> => {
  const response = await answer
  const text = await response.text()
  return [response.status, response.headers.get('content-type'), text.startsWith('{') ? JSON.parse(text) : text]
}
const post = (path: string, body: BodyInit | null, headers: Record<string, string> = {}): Request =>
  new Request(`http://localhost${path}`, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)

describe('requests', () => {
  it('a request with an endless body is answered without reading it to the end', async () => {
    const { sidecar } = startHarness()
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
    const [status] = await ask(sidecar.handle(post('/ready', endless)))
    expect(status).toBe(429)
    expect(pulled).toBeLessThan(70)
    expect(cancelled).toBe(true)
  })

  it('a request is routed by its raw target, if the host gives it', async () => {
    const { sidecar } = startHarness()
    const request = (): Request => new Request('http://localhost/a/../gameserver')
    expect((await sidecar.handle(request())).status).toBe(200)
    expect((await sidecar.handle(request(), { target: '/a/../gameserver' })).status).toBe(404)
    expect((await sidecar.handle(request(), { target: 'http://elsewhere/gameserver?x' })).status).toBe(200)
    expect((await sidecar.handle(request(), { method: 'get', target: '/gameserver' })).status).toBe(501)
  })
})

describe('a body that is malformed', () => {
  it.each([
    ['a JSON object is expected, not [1]', '[1]'],
    [`a JSON object is expected, not ${'x'.repeat(40)}…`, 'x'.repeat(100)],
    ['the body ends before its JSON object does', '{"seconds":1'],
    ['the field "seconds" must be a 64-bit integer, not "ten"', '{"seconds":"ten"}'],
    ['the field "seconds" must be a 64-bit integer, not 9223372036854775808', '{"seconds":9223372036854775808}'],
    ['the field "seconds" is given twice', '{"seconds":1,"seconds":1}'],
    ['a string holds half of a surrogate pair', '{"a":"\\ud83d"}'],
  ])('a malformed body is refused because %s', async (problem, body) => {
    const { sidecar } = startHarness()
    const message = `invalid request: ${problem}`
    const expected = [400, 'application/json', { code: 3, message, details: [] }]
    expect(await ask(sidecar.handle(post('/reserve', body)))).toEqual(expected)
  })
})

describe('a key that means something to JavaScript', () => {
  it('__proto__ is data in a body', async () => {
    const { sidecar, call, clock } = startHarness()
    expect((await call('PUT', '/metadata/annotation', JSON.parse('{"__proto__":{"key":"a"}}')))[0]).toBe(400)
    expect(await call('PUT', '/metadata/annotation', { key: 'constructor', value: 'x' })).toEqual([200, {}])
    clock.advance(600)
    const { annotations } = sidecar.snapshot().gameServer.object_meta
    expect(Object.entries(annotations ?? {})).toContainEqual(['agones.dev/sdk-constructor', 'x'])
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('__proto__ is data in a control command', () => {
    const { sidecar } = startHarness()
    sidecar.control({ type: 'setState', state: 'Ready' })
    const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>
    expect(sidecar.control({ type: 'allocate', labels })).toEqual({ ok: true })
    const entries = Object.entries(sidecar.snapshot().gameServer.object_meta.labels ?? {})
    expect(entries).toEqual(
      expect.arrayContaining([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

const KIB = 1024

describe('a GameServer that grows without end', () => {
  it('a command that makes the GameServer too large is refused', () => {
    const { sidecar } = startHarness()
    const value = 'x'.repeat(1024 * KIB)
    const results = Array.from({ length: 9 }, (_, i) => sidecar.control({ type: 'setAnnotation', key: `a${i}`, value }))
    expect(results.at(0)).toEqual({ ok: true })
    expect(results.at(-1)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^A GameServer has at most 8388608 characters here: /),
    })
    // The fault that makes it larger on purpose is no growth.
    expect(sidecar.control({ type: 'padObject', bytes: 9 * 1024 * KIB })).toEqual({ ok: true })
  })
})
