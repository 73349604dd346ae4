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
  it('with a body over 4 MiB get 429 code 8, announced or not', async () => {
    const { sidecar } = startHarness()
    const over = 4 * 1024 * 1024 + 1
    const message = `grpc: received message larger than max (${over} vs. 4194304)`
    const expected = [429, 'application/json', { code: 8, message, details: [] }]
    expect(await ask(sidecar.handle(post('/ready', ' '.repeat(over))))).toEqual(expected)
    expect(await ask(sidecar.handle(post('/ready', '{}', { 'content-length': String(over) })))).toEqual(expected)
  })

  it('with a body of exactly 4 MiB are read', async () => {
    const { sidecar } = startHarness()
    const body = '{}' + ' '.repeat(4 * 1024 * 1024 - 2)
    expect(await ask(sidecar.handle(post('/ready', body)))).toEqual([200, 'application/json', {}])
  })

  it('with an endless body are answered without reading it to the end', async () => {
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

  it('are read in whatever pieces their body comes', async () => {
    const { sidecar } = startHarness()
    const bytes = new TextEncoder().encode('{"key":"k","value":"é😀"}')
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const request = new Request('http://localhost/metadata/annotation', {
      method: 'PUT',
      body: pieces,
      duplex: 'half',
    } as RequestInit)
    expect(await ask(sidecar.handle(request))).toEqual([200, 'application/json', {}])
    expect(sidecar.log.entries().at(-1)!.event).toEqual({
      type: 'call',
      call: { operation: 'setAnnotation', key: 'k', value: 'é😀' },
    })
  })

  it('with a malformed escape get 400 as plain text, and end the connection', async () => {
    const { sidecar } = startHarness()
    const response = await sidecar.handle(new Request('http://localhost/v1beta1/lists/%zz'))
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.text()).toBe('400 Bad Request')
  })

  it('are told by their raw target, where the host gives it', async () => {
    const { sidecar } = startHarness()
    const request = (): Request => new Request('http://localhost/a/../gameserver')
    expect((await sidecar.handle(request())).status).toBe(200)
    expect((await sidecar.handle(request(), { target: '/a/../gameserver' })).status).toBe(404)
    expect((await sidecar.handle(request(), { target: 'http://elsewhere/gameserver?x' })).status).toBe(200)
    expect((await sidecar.handle(request(), { method: 'get', target: '/gameserver' })).status).toBe(501)
  })

  it('carry no CORS headers in their answers', async () => {
    const { sidecar } = startHarness()
    const response = await sidecar.handle(
      new Request('http://localhost/gameserver', { headers: { origin: 'http://x' } }),
    )
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('of any bytes whatever are answered, never thrown at', async () => {
    const { sidecar } = startHarness({ mode: 'local', gameServer: undefined })
    let seed = 1
    const random = (limit: number): number => (seed = (seed * 48271) % 2147483647) % limit
    const alphabet = '{}[]":,\\u0dDe\u0000 1.+-ntf\u00ff€'
    for (let i = 0; i < 2000; i++) {
      let text = ''
      for (let n = random(30); n > 0; n--) text += alphabet[random(alphabet.length)]!
      const path = ['/reserve', '/v1beta1/lists/players:addValue', '/health'][random(3)]!
      const response = await sidecar.handle(post(path, text + ' '))
      expect([200, 400, 500]).toContain(response.status)
    }
  })
})

describe('what every answer looks like', () => {
  it('has unset fields, int64 as strings and snake_case, in the real order', async () => {
    const { sidecar } = startHarness({ mode: 'local', gameServer: undefined })
    const response = await sidecar.handle(new Request('http://localhost/gameserver'))
    expect(await response.text()).toBe(
      '{"object_meta":{"name":"local","namespace":"default","uid":"1234","resource_version":"v1","generation":"1",' +
        '"creation_timestamp":"1893456000","deletion_timestamp":"0","annotations":{"annotation":"true"},' +
        '"labels":{"islocal":"true"}},"spec":{"health":{"disabled":false,"period_seconds":3,"failure_threshold":5,' +
        '"initial_delay_seconds":10}},"status":{"state":"Ready","address":"127.0.0.1","addresses":[],' +
        '"ports":[{"name":"default","port":7777}],"players":null,"counters":{"rooms":{"count":"1","capacity":"10"}},' +
        '"lists":{"players":{"capacity":"100","values":["test0","test1","test2"]}}}}',
    )
  })
})
