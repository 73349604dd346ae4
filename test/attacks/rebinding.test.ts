import { describe, expect, test } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { filled, refused, served } from './support/strangers.js'
import { expectRefusal, expectServing, targets } from './support/targets.js'
import { ask, askAll } from './support/wire.js'

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
    const line = (path: string): string => path.replace('/', `${own}${victim.at('/')}`)
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
