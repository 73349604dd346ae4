import { describe, expect, test } from 'vitest'
import { operations } from '../../src/protocol/operations.js'
import { websocketHeaders } from '../node/support.js'
import { ambiguous, bytesFor, clear, NEXT, post } from './support/framings.js'
import { expectRefusal, startGateway } from './support/targets.js'
import { handshake, OK, startUpstream } from './support/upstream.js'
import type { Upstream } from './support/upstream.js'
import { ask, askAll, dial, head } from './support/wire.js'
import type { GatewayOptions } from '../../src/node/index.js'

const at = (path: string): string => `/_/sidecar${path}`

async function start(options: GatewayOptions = {}): Promise<{ port: number; upstream: Upstream }> {
  const upstream = await startUpstream((request) => (/watch/.test(request.line) ? handshake(request) : OK))
  const { port } = await startGateway({ sidecar: upstream.url, local: false, ...options })
  return { port, upstream }
}

describe('what goes to the sidecar can be read in one way only', () => {
  test.each(Object.values(ambiguous).flat())('%s: nothing goes there', async (_what, bytes) => {
    const { port, upstream } = await start()
    await askAll(port, bytesFor({ at }, bytes + NEXT))
    expect((await ask(port, `GET ${at('/gameserver')}`, ['Host: localhost'])).status).toBe(200)
    expect(upstream.requests.map(({ line }) => line)).toEqual(['GET /gameserver HTTP/1.1'])
    expect(upstream.wrong).toEqual([])
  })

  test.each(clear)('%s: two requests go there, one after the other', async (_what, bytes) => {
    const { port, upstream } = await start()
    const answers = await askAll(port, bytesFor({ at }, bytes + NEXT))
    expect(answers.filter(({ status }) => status !== 100).map(({ status }) => status)).toEqual([200, 200])
    const [line, next] = upstream.requests.map((request) => request.line)
    expect(line).toMatch(/^(POST \/ready|GET \/gameserver) HTTP\/1\.1$/)
    expect(next).toBe('POST /allocate HTTP/1.1')
    expect(upstream.requests).toHaveLength(2)
    expect(upstream.wrong).toEqual([])
  })

  test('twenty requests at once go there one by one, in their order', async () => {
    const { port, upstream } = await start()
    const bytes = Array.from({ length: 20 }, (_, i) =>
      post('Content-Length: 15', `{"seconds":"${String(i).padStart(2)}"`, 'POST /reserve HTTP/1.1'),
    ).join('')
    const answers = await askAll(port, bytesFor({ at }, bytes.replaceAll('/reserve', at('/reserve')) + NEXT))
    expect(answers).toHaveLength(21)
    const order = upstream.requests.slice(0, -1).map(({ body }) => Number(body.slice(12, 14)))
    expect(order).toEqual([...Array(20).keys()])
    expect(upstream.wrong).toEqual([])
  })
})

/** Of a request with everything in it, what may go on. */
const FORWARDED = ['accept', 'connection', 'content-length', 'content-type', 'host', 'user-agent']

describe('headers', () => {
  const own = (port: number): readonly string[] => [`Host: localhost:${port}`, `Origin: http://localhost:${port}`]

  test('only those go on that are about the call itself', async () => {
    const { port, upstream } = await start()
    const answer = await ask(
      port,
      `POST ${at('/ready')}`,
      [
        ...own(port),
        `Referer: http://localhost:${port}/`,
        'User-Agent: test',
        'Content-Type: text/plain',
        'Cookie: secret=1',
        'Authorization: Basic secret',
        'Proxy-Authorization: Basic secret',
        'Proxy-Connection: keep-alive',
        'Keep-Alive: timeout=1000',
        'TE: trailers',
        'Trailer: Content-Length',
        'Via: 1.1 x',
        'Forwarded: host=evil.example',
        'X-Forwarded-For: 10.0.0.1',
        'X-Forwarded-Host: evil.example',
        'X-HTTP-Method-Override: PUT',
        'X-HTTP-Method: PUT',
        'X-Method-Override: PUT',
        'Sec-Fetch-Site: same-origin',
        'Sec-WebSocket-Key: x',
        'Access-Control-Request-Method: PUT',
        'Connection: x-named, close, Upgrade',
        'X-Named: 1',
        'X_Kept: 2',
        'Content_Length: 5',
        'Upgrade-Insecure-Requests: 1',
        'Accept: */*',
        'Accept-Language: de',
        'DNT: 1',
        'Grpc-Timeout: 1n',
        'Grpc-Metadata-Authorization: evil',
        'Grpc-Encoding: evil',
        'X-Original-URL: /shutdown',
        'X-Rewrite-URL: /shutdown',
        'X-Original-Method: DELETE',
        'X-Envoy-Original-Path: /shutdown',
        'X-Envoy-Upstream-RQ-Timeout-Ms: 1',
        'X-Client-IP: 127.0.0.1',
        'True-Client-IP: 127.0.0.1',
        'X-Host: evil.example',
        'If-None-Match: *',
        'Range: bytes=0-0',
        'Max-Forwards: 0',
        'Content-Encoding: gzip',
        'Traceparent: 00-0-0-01',
        'X-Anything: 1',
      ],
      '{}',
    )
    expect(answer.status).toBe(200)
    const [request] = upstream.requests
    const names = request!.headers.map((header) => header.split(':')[0]!.toLowerCase()).sort()
    expect(names).toEqual(FORWARDED)
    expect(request!.headers.join('\n')).not.toContain('evil')
    expect(upstream.wrong).toEqual([])
  })

  test.each([
    'Content-Length',
    'content-length, host',
    'Host, Content-Type',
    'keep-alive, Transfer-Encoding',
    'close, X-A, , x-b',
    'Connection',
    '"host"',
  ])('Connection: %s takes nothing away that the request needs', async (names) => {
    const { port, upstream } = await start()
    const bytes = post(`Connection: ${names}\r\nContent-Length: 2`, '{}') + NEXT
    const answers = await askAll(port, bytesFor({ at }, bytes))
    expect(answers[0]!.status).toBe(200)
    const [{ headers, body } = { headers: [], body: '' }] = upstream.requests
    expect(headers.map((header) => header.toLowerCase())).toEqual(
      expect.arrayContaining([`host: ${new URL(upstream.url).host}`, 'content-length: 2']),
    )
    expect(body).toBe('{}')
    expect(upstream.wrong).toEqual([])
  })

  test('of a handshake only what belongs to it goes on', async () => {
    const { port, upstream } = await start()
    const headers = [...own(port), ...websocketHeaders, 'Cookie: secret=1', 'Sec-WebSocket-Protocol: a']
    const offer = 'Sec-WebSocket-Extensions: permessage-deflate'
    const wire = await dial(port, head(`GET ${at('/watch/gameserver')}`, ...headers, offer))
    await wire.saw(/^HTTP\/1\.1 101 /)
    const names = upstream.requests[0]!.headers.map((header) => header.split(':')[0]!.toLowerCase()).sort()
    expect(names).toEqual(['connection', 'host', 'sec-websocket-key', 'sec-websocket-version', 'upgrade'])
  })

  test('a request behind a handshake goes nowhere', async () => {
    const { port, upstream } = await start()
    const watch = head(`GET ${at('/watch/gameserver')}`, 'Host: localhost', ...websocketHeaders)
    const answers = await askAll(port, watch + bytesFor({ at }, NEXT))
    expectRefusal(answers[0], 400)
    expect(answers).toHaveLength(1)
    expect(upstream.requests).toEqual([])
  })

  test.each([
    ['a value with a control character', 'Accept: a\x01b', 400],
    ['a value with an escape', 'Accept: a\x1b[31mb', 400],
    ['a value with DEL', 'Accept: a\x7fb', 400],
    ['a name with a letter outside ASCII', 'X\xe9: a', 400],
    ['an empty name', ': a', 400],
    ['a name in brackets', '[x]: a', 400],
    ['a name with a blank', 'X Y: a', 400],
    ['a line without a colon', 'X', 400],
    ['a value outside ASCII', 'Accept: \xe9\xff', 200],
    ['a value that looks like escaped lines', 'Accept: a%0d%0aHost:%20evil\\r\\nHost: evil', 200],
  ])('%s is answered %#', async (_what, header, status) => {
    const { port, upstream } = await start()
    const answer = await ask(port, `POST ${at('/ready')}`, ['Host: localhost', header], '{}')
    expect(answer.status).toBe(status)
    if (status !== 200) expectRefusal(answer, status)
    expect(upstream.requests).toHaveLength(status === 200 ? 1 : 0)
    expect(upstream.wrong).toEqual([])
  })
})

const KEY = 'rooms'
const real = Object.values(operations).map(([method, path]) => [method, path.replace('{key}', KEY)] as const)

describe('paths', () => {
  test('exactly the interface is forwarded', async () => {
    const { port, upstream } = await start()
    const asked = real.filter(([, path]) => path !== '/watch/gameserver')
    for (const [method, path] of asked) {
      expect((await ask(port, `${method} ${at(path)}`, ['Host: localhost'])).status, path).toBe(200)
    }
    const lines = asked.map(([method, path]) => `${method} ${path} HTTP/1.1`)
    expect(upstream.requests.map(({ line }) => line)).toEqual(lines)
  })

  /** Ways to write a path that somebody on the way might read as it. */
  const disguises: readonly ((path: string) => string)[] = [
    (path) => `${at(path)}/`,
    (path) => at(`/${path}`),
    (path) => at(`/.${path}`),
    (path) => at(`/x/..${path}`),
    (path) => at(`/%2e${path}`),
    (path) => at(`/x/%2e%2e${path}`),
    (path) => at(`/x/%252e%252e${path}`),
    (path) => at(`/..${path}`),
    (path) => at(`/../sidecar${path}`),
    (path) => at(path.replace('/', '%2f')),
    (path) => at(path.replace('/', '%252f')),
    (path) => at(path.replace('/', '\\')),
    (path) => at(path.replace('/', '/;')),
    (path) => at(path.replace(/.$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)),
    (path) => at(path.replace(/.$/, (letter) => `%25${letter.charCodeAt(0).toString(16)}`)),
    (path) => at(path.toUpperCase()),
    (path) => `${at(path)};a=b`,
    (path) => `${at(path)}%00`,
    (path) => `${at(path)}%0d%0aX:%20y`,
    (path) => `${at(path)}%20`,
    (path) => `${at(path)}.`,
    (path) => `${at(path)}%`,
    (path) => `${at(path)}%zz`,
    (path) => `${at(path)}#x`,
    (path) => `${at(path)}%23`,
    (path) => `${at(path)}%3f`,
    (path) => `${at(path)}?x=1`,
    (path) => `${at(path)}?method=POST`,
    (path) => `${at(path)}?updateMask=values&x=1`,
    (path) => `/_/Sidecar${path}`,
    (path) => `/_/sidecarx${path}`,
    (path) => `/_/sidecar.${path}`,
    (path) => `/_/sidecar;x${path}`,
    (path) => `/_/sidecar%2f${path}`,
    (path) => `/_/sidecar%2e${path}`,
    (path) => `/_%2fsidecar${path}`,
    (path) => `/%5f/sidecar${path}`,
    (path) => `//_/sidecar${path}`,
    (path) => `/./_/sidecar${path}`,
    (path) => `/x/../_/sidecar${path}`,
    (path) => `/_/config.js/../sidecar${path}`,
    (path) => `/_/../_/sidecar${path}`,
    (path) => `/_\\sidecar${path}`,
    (path) => path,
  ]

  test.each(real)('no disguise of %s %s is forwarded', async (method, path) => {
    // The names of counters and lists may be any: there such a path is another name.
    const isNamed = path.includes(KEY)
    const { port, upstream } = await start()
    for (const disguise of disguises) {
      const target = disguise(path)
      if (isNamed && target.startsWith(at('/v1beta1/')) && target.split('/').length === 6) continue
      const answer = await ask(port, `${method} ${target}`, ['Host: localhost'])
      expect([400, 404, 405, 501], target).toContain(answer.status)
    }
    expect(upstream.requests.map(({ line }) => line)).toEqual([])
  })

  const names: readonly (readonly [name: string, isForwarded: boolean])[] = [
    ['a%2Fb', false],
    ['a%2fb', false],
    ['a%5Cb', true],
    ['..', false],
    ['.', false],
    ['%2e%2e', false],
    ['%2E', false],
    ['%2e%2e%2f%2e%2e%2fshutdown', false],
    ['..%5C..', true],
    ['%00', false],
    ['a%00b', false],
    ['a%0Ab', false],
    ['a%0d%0aX-A:%20b', false],
    ['a%7Fb', false],
    ['%ff', false],
    ['%c0%ae%c0%ae', false],
    ['%c0%af', false],
    ['%ed%a0%80', false],
    ['%', false],
    ['%2', false],
    ['%zz', false],
    ['', false],
    ['a b', false],
    ['a%20b', true],
    ['a%3Fb', true],
    ['a%23b', true],
    ['a%25b', true],
    ['a%252Fb', true],
    ['%E2%82%AC', true],
    ['a:b', true],
    ['a%3AaddValue', true],
    ['"', false],
    ['<', false],
    ['a{b}', false],
    ['a|b', false],
    ['a^b', false],
    ['a`b', false],
    ['\xe9', false],
  ]

  test.each(names)('a counter called %s is forwarded as it is: %s', async (name, isForwarded) => {
    const { port, upstream } = await start()
    const path = `/v1beta1/counters/${name}`
    const answer = await ask(port, `GET ${at(path)}`, ['Host: localhost'])
    if (isForwarded) expect(upstream.requests.map(({ line }) => line)).toEqual([`GET ${path} HTTP/1.1`])
    else {
      expect(upstream.requests).toEqual([])
      expect([400, 404, 501]).toContain(answer.status)
    }
    expect(upstream.wrong).toEqual([])
  })

  test('what is denied stays denied, however it is written', async () => {
    const { port, upstream } = await start({ deny: ['shutdown', 'addListValue', 'updateList'] })
    const list = at('/v1beta1/lists/players')
    const tries: readonly (readonly [line: string, ...headers: string[]])[] = [
      [`POST ${at('/shutdown')}`],
      [`POST ${at('/shutdown')}?`],
      [`POST http://localhost${at('/shutdown')}`],
      [`GET ${at('/shutdown')}?method=POST`, ...websocketHeaders],
      [`GET ${at('/shutdown')}`, 'X-HTTP-Method-Override: POST'],
      [`POST ${at('/shutdown')}/../shutdown`],
      [`POST ${at('/%73hutdown')}`],
      [`POST ${list}:addValue`],
      [`POST ${list}%3AaddValue`],
      [`POST ${list}:%61ddValue`],
      [`POST ${list}:addValue?`],
      [`POST ${list}:removeValue:addValue`],
      [`PATCH ${list}`],
      [`PATCH ${list}?updateMask=values`],
      [`POST ${list}`, 'X-HTTP-Method-Override: PATCH', 'Content-Type: application/x-www-form-urlencoded'],
    ]
    for (const [line, ...headers] of tries) {
      const body = headers.length > 3 ? '' : '{}'
      const { status } = await ask(port, line, ['Host: localhost', ...headers], body)
      expect([400, 403, 404, 501], line).toContain(status)
    }
    expect(upstream.requests).toEqual([])
    const denied = await ask(port, `POST ${at('/shutdown')}`, ['Host: localhost'])
    expectRefusal(denied, 501, /was told not to forward shutdown/)
    expect((await ask(port, `POST ${list}:removeValue`, ['Host: localhost'], '{}')).status).toBe(200)
  })

  test('only the watch opens as a WebSocket', async () => {
    const { port, upstream } = await start()
    for (const [, path] of real) {
      for (const query of ['', '?method=POST', '?method=', '?']) {
        if (path === '/watch/gameserver' && query === '') continue
        const answer = await ask(port, `GET ${at(path)}${query}`, ['Host: localhost', ...websocketHeaders])
        expect([400, 403, 404, 501], `${path}${query}`).toContain(answer.status)
      }
    }
    expect(upstream.requests).toEqual([])
  })
})
