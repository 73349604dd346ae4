import { describe, expect, test } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { browsers, filled, isLink, isUpgrade, pageHeaders, refused, served } from './support/strangers.js'
import { expectRefusal, expectServing, targets } from './support/targets.js'
import { ask, askAll } from '../support/wire.js'
import type { Answer } from '../support/wire.js'

const DEV = 'http://localhost:5173'

describe.each(targets)('$name', ({ start }) => {
  test('serves its own names and pages, and sends others no CORS headers', async () => {
    const victim = await start()
    for (const [what, ...headers] of served) {
      const answer = await ask(victim.port, `GET ${victim.at('/gameserver')}`, filled(headers, victim.port))
      expect(answer.status, what).toBe(200)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect(victim.reached()).toEqual(served.map(() => 'getGameServer'))
  })

  test('refuses re-bound names and foreign origins on every path', async () => {
    const victim = await start()
    const { port, at } = victim
    for (const [status, what, ...headers] of refused) {
      const own = filled(headers, port)
      const upgrade = [...own, ...websocketHeaders]
      for (const answer of [
        await ask(port, `GET ${at('/gameserver')}`, own),
        await ask(port, `POST ${at('/shutdown')}`, own, '{}'),
        await ask(port, `GET ${at('/watch/gameserver')}`, upgrade),
        await ask(port, `GET ${at('/shutdown')}?method=POST`, upgrade),
      ]) {
        expect(answer.status, what).toBe(status)
        expectRefusal(answer, status)
      }
    }
    const [answer, ...more] = await askAll(port, `POST ${at('/shutdown')} HTTP/1.0\r\n\r\n`)
    expectRefusal(answer, 400)
    expect(more).toEqual([])
    expect(victim.reached()).toEqual([])
    await expectServing(victim)
  })

  test.each(Object.entries(browsers))("refuses whatever %s sends for a stranger's page", async (_name, recording) => {
    const victim = await start()
    const { port, at } = victim
    expect(recording.requests.length).toBeGreaterThan(40)
    for (const [name, method, ...own] of recording.requests) {
      const headers = pageHeaders(port, recording, own)
      const paths = isUpgrade(own) ? ['/shutdown?method=POST', '/watch/gameserver', '/shutdown'] : ['/shutdown']
      for (const path of paths) {
        // A HEAD is refused like a GET, but without a body.
        const answer = await ask(port, `${method} ${at(path)}`, headers, method === 'POST' ? '{}' : '')
        expect(answer.status, name).toBe(isLink(method, own) ? 501 : 403)
        if (method !== 'HEAD') expectRefusal(answer, answer.status)
      }
    }
    expect(victim.reached().filter((event) => event !== 'refused GET /shutdown')).toEqual([])
    await expectServing(victim)
  })

  test('serves an allowed host, and refuses names that resemble it', async () => {
    const victim = await start({ allowHosts: ['Dev.Example', '::2'] })
    const from = (host: string): Promise<Answer> =>
      ask(victim.port, `GET ${victim.at('/gameserver')}`, [`Host: ${host}`])
    for (const host of ['dev.example', 'DEV.example:1234', '[::2]', 'localhost']) {
      expect((await from(host)).status, host).toBe(200)
    }
    for (const host of ['a.dev.example', 'dev.example.', 'devxexample', '[::3]', 'example']) {
      expectRefusal(
        await from(host),
        403,
        /^The host \S+ is not served; if it should be, add --allow-host \S+ \(in code allowHosts: \['\S+'\]\)$/,
      )
    }
  })

  test('lets an allowed origin call and read, and shows others no trace of that', async () => {
    const victim = await start({ allowOrigins: [DEV] })
    const { port, at } = victim
    const from = (origin: string, line: string, ...more: readonly string[]): Promise<Answer> =>
      ask(port, line.replace('/', at('/')), ['Host: localhost', `Origin: ${origin}`, ...more])
    const allowed = await from(DEV, 'GET /gameserver', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors')
    expect(allowed.status).toBe(200)
    expect(allowed.headers).toMatchObject({ 'access-control-allow-origin': DEV, vary: 'Origin' })
    const preflight = await from(DEV, 'OPTIONS /ready', 'Access-Control-Request-Method: POST')
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe(DEV)
    expect(preflight.headers['access-control-allow-headers']).toMatch(/^content-type\b/)
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined()

    const strangers = ['http://localhost:5174', 'https://localhost:5173', 'http://127.0.0.1:5173', 'null']
    for (const stranger of strangers) {
      expectRefusal(await from(stranger, 'GET /gameserver'), 403)
      expectRefusal(await from(stranger, 'POST /shutdown'), 403)
      expectRefusal(await from(stranger, 'OPTIONS /ready', 'Access-Control-Request-Method: POST'), 403)
    }
    expect(victim.reached()).toEqual(['getGameServer'])
  })

  test.each(['http://x', 'x:80', 'a b', '', 'a@b', 'x/y', '*'])('rejects %j as an allowed host', async (host) => {
    await expect(start({ allowHosts: [host] })).rejects.toThrow('An allowed host must be')
  })

  test.each(['localhost:5173', '*', 'null', 'http://x/', '', 'http://*', 'http://a@x'])(
    'rejects %j as an allowed origin',
    async (origin) => {
      await expect(start({ allowOrigins: [origin] })).rejects.toThrow('An allowed origin must')
    },
  )
})
