import { describe, expect, test } from 'vitest'
import { expectRefusal, targets } from './support/targets.js'
import { ask } from './support/wire.js'
import type { Answer } from './support/wire.js'

const DEV = 'http://localhost:5173'

describe.each(targets)('$name with lists of who else is served', ({ start }) => {
  test('serves an allowed host, and nothing that looks like it', async () => {
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

  test('lets an allowed origin call and read; others see no sign of it', async () => {
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

  test.each(['http://x', 'x:80', 'a b', '', 'a@b', 'x/y', '*'])('takes no host %j', async (host) => {
    await expect(start({ allowHosts: [host] })).rejects.toThrow('An allowed host must be')
  })

  test.each(['localhost:5173', '*', 'null', 'http://x/', '', 'http://*', 'http://a@x'])(
    'takes no origin %j',
    async (origin) => {
      await expect(start({ allowOrigins: [origin] })).rejects.toThrow('An allowed origin must')
    },
  )
})
