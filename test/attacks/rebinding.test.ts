import { describe, expect, test } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { expectRefusal, expectServing, targets } from './support/targets.js'
import { ask, askAll } from './support/wire.js'

/** Stands for the server's own port. */
const PORT = 'PORT'

const served: readonly [what: string, ...headers: string[]][] = [
  ['localhost', 'Host: localhost:PORT'],
  ['localhost without a port', 'Host: localhost'],
  ['localhost in capitals', 'Host: LocalHost:PORT'],
  ['a forwarded port', 'Host: localhost:80'],
  ['the IPv4 loopback address', 'Host: 127.0.0.1:PORT'],
  ['the IPv6 loopback address', 'Host: [::1]:PORT'],
  ['blanks around it', 'Host: \t localhost:PORT \t'],

  ['its own origin', 'Host: localhost:PORT', 'Origin: http://localhost:PORT'],
  ['its own origin in capitals', 'Host: localhost:PORT', 'Origin: HTTP://LOCALHOST:PORT'],
  ['its own origin on the default port', 'Host: localhost', 'Origin: http://localhost:80'],

  ['a link on a local page', 'Host: localhost', 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: navigate'],
  ['an address typed in', 'Host: localhost:PORT', 'Sec-Fetch-Site: none'],
  ['its own page', 'Host: localhost:PORT', 'Sec-Fetch-Site: same-origin'],
]

const refused: readonly [status: number, what: string, ...headers: string[]][] = [
  [403, 'a name that was re-bound', 'Host: evil.com:PORT'],
  [403, 'a name that begins with localhost', 'Host: localhost.evil.com:PORT'],
  [403, 'a name that ends in localhost', 'Host: evil.localhost:PORT'],
  [403, 'a name that resolves to loopback', 'Host: 127.0.0.1.nip.io:PORT'],
  [403, 'localhost with a final dot', 'Host: localhost.:PORT'],
  [403, 'localhost6', 'Host: localhost6:PORT'],
  [403, 'an address in hexadecimal', 'Host: 0x7f.1:PORT'],
  [403, 'an address in octal', 'Host: 0177.0.0.1:PORT'],
  [403, 'an address in short', 'Host: 127.1:PORT'],
  [403, 'an address with a final dot', 'Host: 127.0.0.1.:PORT'],
  [403, 'an address as one number', 'Host: 2130706433:PORT'],
  [403, 'any address', 'Host: 0.0.0.0:PORT'],
  [403, 'no address at all', 'Host: 10.0.2.555:PORT'],
  [403, 'another loopback address', 'Host: 127.0.0.2:PORT'],
  [403, 'the IPv6 loopback address written out', 'Host: [0:0:0:0:0:0:0:1]:PORT'],
  [403, 'a mapped IPv4 address', 'Host: [::ffff:127.0.0.1]:PORT'],
  [403, 'an escaped name', 'Host: %6cocalhost:PORT'],
  [400, 'letters of another width', 'Host: \xef\xbd\x8cocalhost:PORT'],
  [400, 'a zone', 'Host: [::1%25lo]:PORT'],
  [400, 'a user', 'Host: a@localhost:PORT'],
  [400, 'a user and a password', 'Host: localhost:x@evil.com:PORT'],
  [400, 'a path', 'Host: localhost:PORT/x'],
  [400, 'a backslash', 'Host: localhost\\evil.com'],
  [400, 'a fragment', 'Host: localhost#evil.com'],
  [400, 'a query', 'Host: localhost?evil.com'],
  [400, 'white space', 'Host: local host'],
  [400, 'nothing', 'Host:'],
  [400, 'a port alone', 'Host: :PORT'],
  [400, 'no Host'],
  [400, 'two Hosts', 'Host: localhost:PORT', 'Host: localhost:PORT'],
  [400, 'two Hosts, the second re-bound', 'Host: localhost:PORT', 'host: evil.com'],
  [400, 'a port that is none', 'Host: localhost:x'],
  [400, 'a port out of range', 'Host: localhost:65536'],
  [400, 'port 0', 'Host: localhost:0'],
  [400, 'an empty port', 'Host: localhost:'],
  [400, 'a list', 'Host: localhost, evil.com'],
  [403, 'a forwarded Host', 'Host: evil.com', 'X-Forwarded-Host: localhost', 'Forwarded: host=localhost'],

  [403, 'no origin of its own', 'Host: localhost:PORT', 'Origin: null'],
  [403, 'another port', 'Host: localhost:PORT', 'Origin: http://localhost:1'],
  [403, 'no port', 'Host: localhost:PORT', 'Origin: http://localhost'],
  [403, 'an IP address for the name', 'Host: localhost:PORT', 'Origin: http://127.0.0.1:PORT'],
  [403, 'https for http', 'Host: localhost:PORT', 'Origin: https://localhost:PORT'],
  [403, 'a site', 'Host: localhost:PORT', 'Origin: https://evil.com'],
  [403, 'an extension', 'Host: localhost:PORT', 'Origin: chrome-extension://abcdef'],
  [403, 'a file', 'Host: localhost:PORT', 'Origin: file://'],
  [403, 'a file on another machine', 'Host: localhost:PORT', 'Origin: file://x'],
  [400, 'a site that begins alike', 'Host: localhost:PORT', 'Origin: http://localhost:PORT.evil.com'],
  [400, 'an origin with a path', 'Host: localhost:PORT', 'Origin: http://localhost:PORT/'],
  [400, 'an origin with a user', 'Host: localhost:PORT', 'Origin: http://a@localhost:PORT'],
  [400, 'an empty origin', 'Host: localhost:PORT', 'Origin:'],
  [400, 'a list of origins', 'Host: localhost:PORT', 'Origin: http://localhost:PORT http://evil.com'],
  [400, 'two origins', 'Host: localhost', 'Origin: http://localhost', 'Origin: http://localhost'],
  [403, 'a re-bound name and its origin', 'Host: evil.com:PORT', 'Origin: http://evil.com:PORT'],

  [403, 'a cross-site fetch', 'Host: localhost:PORT', 'Sec-Fetch-Site: cross-site'],
  [403, 'a cross-site link', 'Host: localhost', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'],
  [403, 'a local image', 'Host: localhost:PORT', 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: no-cors'],
  [
    403,
    'a frame in another local page',
    'Host: localhost:PORT',
    'Sec-Fetch-Site: same-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: iframe',
  ],
]

const filled = (texts: readonly string[], port: number): string[] =>
  texts.map((text) => text.replaceAll(PORT, String(port)))

describe.each(targets)('$name', ({ start }) => {
  test.each(served)('serves %s (%j)', async (_what, ...headers) => {
    const victim = await start()
    const answer = await ask(victim.port, `GET ${victim.at('/gameserver')}`, filled(headers, victim.port))
    expect(answer.status).toBe(200)
    expect(victim.reached()).toEqual(['getGameServer'])
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test.each(refused)('answers %i to %s (%j), whatever is asked for', async (status, _what, ...headers) => {
    const victim = await start()
    const { port, at } = victim
    const own = filled(headers, port)
    const upgrade = [...own, ...websocketHeaders]
    expectRefusal(await ask(port, `GET ${at('/gameserver')}`, own), status)
    expectRefusal(await ask(port, `POST ${at('/shutdown')}`, own, '{}'), status)
    expectRefusal(await ask(port, `GET ${at('/watch/gameserver')}`, upgrade), status)
    expectRefusal(await ask(port, `GET ${at('/shutdown')}?method=POST`, upgrade), status)
    expect(victim.reached()).toEqual([])
    await expectServing(victim)
  })

  test('an HTTP/1.0 request without a Host is refused too', async () => {
    const victim = await start()
    const answers = await askAll(victim.port, `POST ${victim.at('/shutdown')} HTTP/1.0\r\n\r\n`)
    expectRefusal(answers[0], 400)
    expect(answers).toHaveLength(1)
    expect(victim.reached()).toEqual([])
  })

  test.each([
    ['http://localhost:PORT', 'localhost:PORT', 200],
    ['HTTP://LocalHost:PORT', 'localhost:PORT', 200],
    ['http://localhost', 'localhost:80', 200],
    ['http://evil.com', 'localhost:PORT', 403],
    ['http://localhost:PORT', 'evil.com', 403],
    ['http://evil.com:PORT', 'evil.com:PORT', 403],
    ['http://127.0.0.1:PORT', 'localhost:PORT', 403],
    ['http://localhost:1', 'localhost:PORT', 403],
    ['http://a@localhost:PORT', 'localhost:PORT', 400],
    ['http://localhost:PORT\\@evil.com', 'localhost:PORT', 400],
    ['https://localhost:PORT', 'localhost:PORT', 400],
    ['ws://localhost:PORT', 'localhost:PORT', 400],
    ['file://localhost', 'localhost:PORT', 400],
    ['http://', 'localhost:PORT', 400],
    ['http:', 'localhost:PORT', 400],
  ])('a whole URL as the target, %s/..., with the Host %s is answered %i', async (origin, host, status) => {
    const victim = await start()
    const [own = '', header = ''] = filled([origin, `Host: ${host}`], victim.port)
    const line = (path: string): string => `${path.replace('/', `${own}${victim.at('/')}`)}`
    const answer = await ask(victim.port, line('GET /gameserver'), [header])
    expect(answer.status).toBe(status)
    if (status === 200) return expect(victim.reached()).toEqual(['getGameServer'])
    expectRefusal(answer, status)
    expectRefusal(await ask(victim.port, line('POST /shutdown'), [header], '{}'), status)
    const upgrade = [header, ...websocketHeaders]
    expectRefusal(await ask(victim.port, line('GET /watch/gameserver'), upgrade), status)
    expect(victim.reached()).toEqual([])
    await expectServing(victim)
  })

  test('what a page sends unasked and without Origin is refused by where it came from', async () => {
    const victim = await start()
    const { port } = victim
    const form = 'application/x-www-form-urlencoded'
    const types = ['Content-Type: text/plain', `Content-Type: ${form}`, 'X-No: type']
    const signs = [
      'Referer: http://localhost:5173/game',
      'Referer: https://evil.com/',
      'Referer: nonsense',
      'Sec-Fetch-Site: same-site',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Site: SAME-SITE',
    ]
    const post = (...headers: readonly string[]): ReturnType<typeof ask> =>
      ask(port, `POST ${victim.at('/ready')}`, ['Host: localhost', ...headers], '{}')
    for (const type of types) for (const sign of signs) expectRefusal(await post(type, sign), 403)
    expect(victim.reached()).toEqual([])
    const own = ['X-Not: a page', 'Origin: http://localhost', 'Referer: http://localhost/game']
    for (const type of types) for (const sign of own) expect((await post(type, sign)).status).toBe(200)
    expect(victim.reached()).toHaveLength(types.length * own.length)
  })
})
