import { describe, expect, test } from 'vitest'
import { echoSidecar, request, serve, websocketHeaders } from './support.js'
import type { RawAnswer, Served } from './support.js'

const PORT = 'PORT'

/** Rows: what it is, the headers, what a plain request and an upgrade are answered. */
const rows: readonly (readonly [string, readonly string[], number])[] = [
  ['localhost', ['Host: localhost:PORT'], 200],
  ['localhost without a port', ['Host: localhost'], 200],
  ['localhost in capitals', ['Host: LocalHost:PORT'], 200],
  ['a forwarded port', ['Host: localhost:80'], 200],
  ['the IPv4 loopback address', ['Host: 127.0.0.1:PORT'], 200],
  ['the IPv6 loopback address', ['Host: [::1]:PORT'], 200],
  ['a name that begins with localhost', ['Host: localhost.evil.com:PORT'], 403],
  ['a name that resolves to loopback', ['Host: 127.0.0.1.nip.io:PORT'], 403],
  ['localhost with a final dot', ['Host: localhost.:PORT'], 403],
  ['localhost6', ['Host: localhost6:PORT'], 403],
  ['an address in hexadecimal', ['Host: 0x7f.1:PORT'], 403],
  ['an address as one number', ['Host: 2130706433:PORT'], 403],
  ['no address at all', ['Host: 10.0.2.555:PORT'], 403],
  ['another loopback address', ['Host: 127.0.0.2:PORT'], 403],
  ['the IPv6 loopback address written out', ['Host: [0:0:0:0:0:0:0:1]:PORT'], 403],
  ['a mapped IPv4 address', ['Host: [::ffff:127.0.0.1]:PORT'], 403],
  ['a user', ['Host: a@localhost:PORT'], 400],
  ['a path', ['Host: localhost:PORT/x'], 400],
  ['white space', ['Host: local host'], 400],
  ['nothing', ['Host:'], 400],
  ['no Host', [], 400],
  ['two Hosts', ['Host: localhost:PORT', 'Host: localhost:PORT'], 400],
  ['a port that is none', ['Host: localhost:x'], 400],
  ['a port out of range', ['Host: localhost:65536'], 400],
  ['a list', ['Host: localhost, evil.com'], 400],

  ['its own origin', ['Host: localhost:PORT', 'Origin: http://localhost:PORT'], 200],
  ['its own origin in capitals', ['Host: localhost:PORT', 'Origin: HTTP://LOCALHOST:PORT'], 200],
  ['its own origin on the default port', ['Host: localhost', 'Origin: http://localhost:80'], 200],
  ['no origin of its own', ['Host: localhost:PORT', 'Origin: null'], 403],
  ['another port', ['Host: localhost:PORT', 'Origin: http://localhost:1'], 403],
  ['no port', ['Host: localhost:PORT', 'Origin: http://localhost'], 403],
  ['an IP address for the name', ['Host: localhost:PORT', 'Origin: http://127.0.0.1:PORT'], 403],
  ['https for http', ['Host: localhost:PORT', 'Origin: https://localhost:PORT'], 403],
  ['a site', ['Host: localhost:PORT', 'Origin: https://evil.com'], 403],
  ['a site that begins alike', ['Host: localhost:PORT', 'Origin: http://localhost:PORT.evil.com'], 400],
  ['an extension', ['Host: localhost:PORT', 'Origin: chrome-extension://abcdef'], 403],
  ['an origin with a path', ['Host: localhost:PORT', 'Origin: http://localhost:PORT/'], 400],
  ['an origin with a user', ['Host: localhost:PORT', 'Origin: http://a@localhost:PORT'], 400],
  ['an empty origin', ['Host: localhost:PORT', 'Origin:'], 400],
  [
    'two origins',
    ['Host: localhost:PORT', 'Origin: http://localhost:PORT', 'Origin: http://localhost:PORT'],
    400,
  ],
  ['a re-bound name', ['Host: evil.com:PORT', 'Origin: http://evil.com:PORT'], 403],

  ['a cross-site fetch', ['Host: localhost:PORT', 'Sec-Fetch-Site: cross-site'], 403],
  [
    'a cross-site navigation',
    ['Host: localhost:PORT', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'],
    403,
  ],
  [
    'an image of another local page',
    ['Host: localhost:PORT', 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: no-cors'],
    403,
  ],
  [
    'a link on another local page',
    ['Host: localhost:PORT', 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: navigate'],
    200,
  ],
  ['an address typed in', ['Host: localhost:PORT', 'Sec-Fetch-Site: none'], 200],
  ['its own page', ['Host: localhost:PORT', 'Sec-Fetch-Site: same-origin'], 200],
]

const filled = (headers: readonly string[], port: number): string[] =>
  headers.map((header) => header.replaceAll(PORT, String(port)))

test.each(rows)(
  'a request with %s (%j) is answered %i, and only 200 reaches the sidecar',
  async (_name, headers, status) => {
    const sidecar = echoSidecar()
    const { port } = await serve(sidecar)
    const answer = await request(port, 'GET /gameserver', filled(headers, port))
    expect(answer.status).toBe(status)
    expect(sidecar.asked).toHaveLength(status === 200 ? 1 : 0)
    if (status !== 200) expectErrorBody(answer)
    expect(answer.head.toLowerCase()).not.toContain('access-control')
  },
)

const refused = rows.filter(([, , status]) => status !== 200)

test.each(refused)('an upgrade with %s (%j) is answered %i', async (_name, headers, status) => {
  const sidecar = echoSidecar()
  const { port } = await serve(sidecar)
  const answer = await request(port, 'GET /ready?method=POST', [
    ...filled(headers, port),
    ...websocketHeaders,
  ])
  expect(answer.status).toBe(status)
  expect(sidecar.asked).toHaveLength(0)
  expectErrorBody(answer)
})

describe('a request target', () => {
  test.each([
    ['http://localhost:PORT/gameserver', 'localhost:PORT', 200],
    ['http://localhost/gameserver', 'localhost:80', 200],
    ['http://evil.com/gameserver', 'localhost:PORT', 403],
    ['http://127.0.0.1:PORT/gameserver', 'localhost:PORT', 403],
    ['http://localhost:1/gameserver', 'localhost:PORT', 403],
    ['http://a@localhost:PORT/gameserver', 'localhost:PORT', 400],
    ['https://localhost:PORT/gameserver', 'localhost:PORT', 400],
    ['http:///gameserver', 'localhost:PORT', 400],
  ])('%s with the Host %s is answered %i', async (target, host, status) => {
    const sidecar = echoSidecar()
    const { port } = await serve(sidecar)
    const fill = (text: string): string => text.replaceAll(PORT, String(port))
    const answer = await request(port, `GET ${fill(target)}`, [`Host: ${fill(host)}`])
    expect(answer.status).toBe(status)
    expect(sidecar.asked).toEqual(status === 200 ? ['GET /gameserver'] : [])
  })

  test('reaches the sidecar as it was sent, before any URL parser', async () => {
    const sidecar = echoSidecar()
    const { port } = await serve(sidecar)
    const targets = [
      '//gameserver',
      '/gameserver/',
      '/a/../gameserver',
      '/%zz',
      '/gameserver?a=%zz',
      '/v1beta1/lists/a%2Fb',
    ]
    for (const target of targets) await request(port, `GET ${target}`, ['Host: localhost'])
    expect(sidecar.asked).toEqual(targets.map((target) => `GET ${target}`))
  })
})

describe('what a page can send without asking first', () => {
  const simple = [
    'Content-Type: text/plain',
    'Content-Type: application/x-www-form-urlencoded',
    'X-No: content type',
  ]
  const post = ({ port }: Served, headers: readonly string[]): Promise<RawAnswer> =>
    request(port, 'POST /shutdown', ['Host: localhost', ...headers], '{}')

  test.each(simple)('%s is refused from another origin', async (header) => {
    const sidecar = echoSidecar()
    const served = await serve(sidecar)
    expect((await post(served, [header, 'Origin: https://evil.com'])).status).toBe(403)
    expect((await post(served, [header, 'Origin: null'])).status).toBe(403)
    expect((await post(served, [header, 'Sec-Fetch-Site: cross-site'])).status).toBe(403)
    expect((await post(served, [header, 'Sec-Fetch-Site: same-site'])).status).toBe(403)
    expect((await post(served, [header, 'Referer: http://localhost:5173/game'])).status).toBe(403)
    expect((await post(served, [header, 'Referer: nonsense'])).status).toBe(403)
    expect(sidecar.asked).toEqual([])
  })

  test.each(simple)(
    '%s passes from a client that is no page, as the real sidecar takes any type',
    async (header) => {
      const sidecar = echoSidecar()
      const served = await serve(sidecar)
      expect((await post(served, [header])).status).toBe(200)
      expect((await post(served, [header, 'Origin: http://localhost'])).status).toBe(200)
      expect((await post(served, [header, 'Referer: http://localhost/game'])).status).toBe(200)
      expect(sidecar.asked).toHaveLength(3)
    },
  )
})

describe('with flags', () => {
  test('an allowed host is served, and nothing that looks like it', async () => {
    const { port } = await serve(echoSidecar(), { allowHosts: ['Dev.Example', '::2'] })
    const status = async (host: string): Promise<number> =>
      (await request(port, 'GET /gameserver', [`Host: ${host}`])).status
    expect(await status('dev.example:1234')).toBe(200)
    expect(await status('[::2]')).toBe(200)
    expect(await status('a.dev.example')).toBe(403)
    expect(await status('localhost')).toBe(200)
  })

  test('an allowed origin may call and read, others see no sign of it', async () => {
    const { port } = await serve(echoSidecar(), { allowOrigins: ['http://localhost:5173'] })
    const from = (
      origin: string,
      line = 'GET /gameserver',
      more: readonly string[] = [],
    ): Promise<RawAnswer> => request(port, line, ['Host: localhost', `Origin: ${origin}`, ...more])
    const allowed = await from('http://localhost:5173')
    expect(allowed.status).toBe(200)
    expect(allowed.head).toContain('access-control-allow-origin: http://localhost:5173')
    expect(allowed.head).toContain('vary: Origin')
    const stranger = await from('http://localhost:5174')
    expect(stranger.status).toBe(403)
    expect(stranger.head).not.toContain('access-control')
    const preflight = await from('http://localhost:5173', 'OPTIONS /ready', [
      'Access-Control-Request-Method: POST',
    ])
    expect(preflight.status).toBe(204)
    expect(preflight.head).toContain('access-control-allow-headers: content-type')
  })

  test.each(['http://x', 'x:80', 'a b', ''])('%j is no host to allow', async (host) => {
    await expect(serve(echoSidecar(), { allowHosts: [host] })).rejects.toThrow('An allowed host must be')
  })

  test.each(['localhost:5173', '*', 'null', 'http://x/', ''])('%j is no origin to allow', async (origin) => {
    await expect(serve(echoSidecar(), { allowOrigins: [origin] })).rejects.toThrow('An allowed origin must')
  })
})

function expectErrorBody({ body, head }: RawAnswer): void {
  expect(head.toLowerCase()).toContain('content-type: application/json')
  expect(JSON.parse(body)).toEqual({ code: expect.any(Number), message: expect.any(String), details: [] })
}
