import { describe, expect, test } from 'vitest'
import { converse } from '../node/support.js'
import { ask, type Answer } from '../support/wire.js'
import { PREFIX, startGateway } from './support.js'
import { sitePath } from './static-support.js'

const HOST = ['Host: localhost']

describe('beyond loopback', () => {
  test('with allowed origins and no token, it warns, and only their pages change something or watch over WebSocket', async () => {
    const gateway = await startGateway({
      local: true,
      host: '0.0.0.0',
      expose: true,
      allowOrigins: ['http://game.example'],
    })
    expect(gateway.warnings).toEqual([expect.stringContaining('Listening on 0.0.0.0')])
    const ready = async (...headers: string[]): Promise<number> =>
      (await ask(gateway.port, `POST ${PREFIX}/ready`, [...HOST, ...headers], '{}')).status
    expect(await ready()).toBe(403)
    expect(await ready('Origin: http://evil.example')).toBe(403)
    expect(await ready('Origin: http://localhost')).toBe(200)
    expect(await ready('Origin: http://game.example')).toBe(200)
    expect((await ask(gateway.port, `GET ${PREFIX}/gameserver`, HOST)).status).toBe(200)
    const watch = (origin?: string): Promise<unknown> => {
      const options = origin === undefined ? {} : { origin }
      const { opened, ended } = converse(`${gateway.url}${PREFIX}/watch/gameserver`, options)
      return Promise.race([opened.then(() => 'open'), ended])
    }
    expect(await watch()).toBe(403)
    expect(await watch('http://evil.example')).toBe(403)
    expect(await watch('http://game.example')).toBe('open')
  })
})

describe('tokens', () => {
  const start = async (options = {}): ReturnType<typeof startGateway> =>
    startGateway({ local: true, dir: await sitePath(), token: 'correct-horse-battery', ...options })

  test('a token in the address of a page moves into a cookie that only the gateway gets', async () => {
    const { port, url, log } = await start()
    const host = `Host: localhost:${port}`
    const open = (target: string): Promise<Answer> => ask(port, `GET ${target}`, [host])
    const entered = await open('/?a=1&token=correct-horse-battery&b=2')
    expect(entered.status).toBe(303)
    expect(entered.headers['location']).toBe('/?a=1&b=2')
    const [, cookie = '', attributes] = /([^;]+); (.*)/.exec(entered.headers['set-cookie']!) ?? []
    expect(attributes).toBe('Path=/_/; HttpOnly; SameSite=Strict')
    expect(cookie).toContain(String(port))
    const read = async (sent: string): Promise<number> =>
      (await ask(port, `GET ${PREFIX}/gameserver`, [host, `Cookie: ${sent}`])).status
    expect(await read(cookie)).toBe(200)
    expect(await read(`other=1; ${cookie}`)).toBe(200)
    expect(await read(`x${cookie}`)).toBe(401)
    expect(await read(cookie.replace('correct', 'wrong'))).toBe(401)
    const { opened } = converse(`${url}${PREFIX}/watch/gameserver`, { headers: { cookie, origin: url } })
    await opened
    expect((await open('/?token=wrong')).status).toBe(401)
    const { headers } = await open('/a//b/?token=correct-horse-battery&debug&c=%20')
    expect(headers['location']).toBe('/a//b/?debug&c=%20')
    for (const slashes of ['//', '/\\', '///\\/']) {
      const { headers } = await open(`${slashes}evil.example/?token=correct-horse-battery`)
      expect(headers['location']).toBe('/evil.example/')
    }
    expect(log.join()).not.toMatch(/correct-horse|token=\w/)
  })

  test('a token has a cookie of its own for each port that a browser sees', async () => {
    const { port } = await start()
    const name = async (host: string): Promise<string | undefined> => {
      const { headers } = await ask(port, 'GET /?token=correct-horse-battery', [`Host: ${host}`])
      return headers['set-cookie']?.split('=')[0]
    }
    const hosts = ['localhost', 'localhost:7001', 'localhost:7002', '[::1]', '[::1]:7001']
    const [plain, first, second, ...others] = await Promise.all(hosts.map(name))
    expect(new Set([plain, first, second]).size).toBe(3)
    expect(others).toEqual([plain, first])
    const read = (host: string, cookie: string): Promise<Answer> =>
      ask(port, `GET ${PREFIX}/gameserver`, [`Host: ${host}`, `Cookie: ${cookie}`])
    const both = `${second}=that-of-another-one; ${first}=correct-horse-battery`
    expect((await read('localhost:7001', both)).status).toBe(200)
    expect((await read('localhost:7002', both)).status).toBe(401)
  })

  test('token: true makes a token, which calls need on loopback too, and files do not', async () => {
    const gateway = await start({ token: true })
    expect(gateway.token).toMatch(/^[\w-]{32}$/)
    const read = (token: string): Promise<Response> =>
      fetch(`${gateway.url}${PREFIX}/gameserver`, { headers: { authorization: `Bearer ${token}` } })
    expect((await read('x')).status).toBe(401)
    expect((await read(gateway.token!)).status).toBe(200)
    for (const path of ['/', '/_/config.js']) expect((await fetch(gateway.url + path)).status).toBe(200)
  })

  test('a page of an allowed origin may send the token as a header, after a preflight', async () => {
    const { port } = await start({ allowOrigins: ['http://game.example'] })
    const page = [...HOST, 'Origin: http://game.example']
    const asks = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: authorization']
    const preflight = await ask(port, `OPTIONS ${PREFIX}/ready`, [...page, ...asks])
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).toBe('content-type, authorization')
    const answer = await ask(port, `POST ${PREFIX}/ready`, page, '{}')
    expect(answer.status).toBe(401)
    expect(answer.headers['access-control-allow-origin']).toBe('http://game.example')
  })
})

describe("the page's own files", () => {
  const SITE = 'Sec-Fetch-Site: cross-site'
  const FOLLOWED = [SITE, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']

  test.each([
    ['a link on another site', 'GET /', FOLLOWED, 200],
    ['a frame on another site', 'GET /', [SITE, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'], 403],
    ['an image on another site', 'GET /', [SITE, 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image'], 403],
    ['a form on another site', 'POST /', [...FOLLOWED, 'Origin: http://evil.example'], 403],
    ['a link to the sidecar', `GET ${PREFIX}/gameserver`, FOLLOWED, 403],
    ['a link to the configuration', 'GET /_/config.js', FOLLOWED, 403],
  ])('the request of %s, %s with %j, is answered %i', async (_name, line, headers, status) => {
    const { port } = await startGateway({ local: true, dir: await sitePath() })
    expect((await ask(port, line, [...HOST, ...headers])).status).toBe(status)
  })

  test('a gateway without a folder answers 404 for files', async () => {
    const { port } = await startGateway({ local: true })
    const answer = await ask(port, 'GET /index.html', HOST)
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.body).message).toBe('The gateway has no /index.html')
  })
})

describe('the configuration script', () => {
  test('the configuration script says where the sidecar is, to this origin only, and is never cached', async () => {
    const { url } = await startGateway({ local: true, platform: 'other', autoHealth: true })
    const response = await fetch(`${url}/_/config.js?x`)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(await response.text()).toBe(
      'globalThis.GAMESERVER_SIDECAR={"baseUrl":"/_/sidecar","platform":"other","autoHealth":true}\n',
    )
    const head = await fetch(`${url}/_/config.js`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await fetch(`${url}/_/config.js`, { method: 'POST' })).status).toBe(404)
  })
})

test('the log gets at most 20 lines however many requests are refused', async () => {
  const { port, log } = await startGateway({ sidecar: 'http://127.0.0.1:1' })
  for (let i = 0; i < 50; i++) await ask(port, `GET ${PREFIX}/nope`, HOST)
  expect(log).toHaveLength(20)
})
