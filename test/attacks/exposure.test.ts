import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLocalSidecar } from '../../src/node.js'
import { startFakeSidecar } from '../gateway/support.js'
import { websocketHeaders } from '../node/support.js'
import { expectRefusal, startGateway } from './support/targets.js'
import { ask } from '../support/wire.js'

/** Spies on the function even in modules of `src` that imported it before. */
const compared = vi.spyOn(crypto, 'timingSafeEqual')
beforeAll(syncBuiltinESMExports)
beforeEach(() => void compared.mockClear())
afterAll(() => {
  compared.mockRestore()
  syncBuiltinESMExports()
})

const TOKEN = 'correct-horse-battery-staple'
const HOST = 'Host: localhost'
const BEARER = `Authorization: Bearer ${TOKEN}`

/** A gateway that other machines may reach, with a token, before a sidecar that records what it gets. */
async function startExposed() {
  const upstream = await startFakeSidecar()
  const options = { sidecar: upstream.url, local: false, host: '0.0.0.0', expose: true, token: TOKEN }
  const victim = await startGateway(options)
  const at = (path: string): string => `/_/sidecar${path}`
  const entered = await ask(victim.port, `GET /?token=${TOKEN}`, [HOST])
  const cookie = entered.headers['set-cookie']!.split(';')[0]!
  return { ...victim, at, upstream, cookie }
}

describe('a gateway with a token', () => {
  const wrong: readonly string[] = [
    `Authorization: Bearer ${TOKEN.slice(0, -1)}`,
    `Authorization: Bearer ${TOKEN}x`,
    `Authorization: Bearer ${TOKEN} ${TOKEN}`,
    'Authorization: Bearer ',
    'Authorization: Bearer undefined',
    `Authorization: ${TOKEN}`,
    `Authorization: Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}`,
    `Cookie: token=${TOKEN}`,
    `Cookie: gameserver_sidecar_1=${TOKEN}`,
    `Referer: http://localhost/?token=${TOKEN}`,
    'X-Nothing: at all',
  ]

  test('refuses a wrong token, and the right token in a wrong place', async () => {
    const { port, at, upstream, lines, warnings } = await startExposed()
    for (const header of wrong) {
      for (const line of [`GET ${at('/gameserver')}`, `POST ${at('/shutdown')}`]) {
        expectRefusal(await ask(port, line, [HOST, header]), 401)
      }
      expectRefusal(await ask(port, `GET ${at('/watch/gameserver')}`, [HOST, header, ...websocketHeaders]), 401)
    }
    expect(upstream.asked).toEqual([])
    expect([...lines, ...warnings].join('\n')).not.toContain(TOKEN)
  })

  test.each([BEARER, 'cookie'])('refuses foreign pages and hosts even with the token (%s)', async (kind) => {
    const { port, at, upstream, cookie } = await startExposed()
    // To a cookie, other ports of the same host are the same site, so the browser sends the cookie to them.
    const proof = kind === 'cookie' ? `Cookie: ${cookie}` : kind
    const strangers = [
      [HOST, 'Origin: http://localhost:5173'],
      [HOST, 'Origin: null'],
      [HOST, 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: no-cors'],
      [HOST, 'Sec-Fetch-Site: cross-site'],
      ['Host: evil.example'],
      ['Host: 0.0.0.0'],
    ]
    for (const headers of strangers) {
      expectRefusal(await ask(port, `POST ${at('/shutdown')}`, [...headers, proof], '{}'), 403)
      const upgrade = [...headers, proof, ...websocketHeaders]
      expectRefusal(await ask(port, `GET ${at('/watch/gameserver')}`, upgrade), 403)
    }
    expect(upstream.asked).toEqual([])
    expect((await ask(port, `POST ${at('/ready')}`, [HOST, proof], '{}')).status).toBe(200)
  })

  test('compares every offered token in constant time', async () => {
    const { port, at } = await startExposed()
    for (const offered of ['', 'x', TOKEN, TOKEN.slice(1), 'x'.repeat(8_000)]) {
      for (const how of [`Authorization: Bearer ${offered}`, `Cookie: gameserver_sidecar_http=${offered}`]) {
        compared.mockClear()
        await ask(port, `GET ${at('/gameserver')}`, [HOST, how])
        expect(compared).toHaveBeenCalledOnce()
      }
      compared.mockClear()
      await ask(port, `GET /?token=${offered}`, [HOST])
      expect(compared).toHaveBeenCalledOnce()
    }
    // Unequal lengths would reveal the length of the token.
    for (const [one, other] of compared.mock.calls) expect(one.byteLength).toBe(other.byteLength)
  })

  test('never reveals the token in its log, its answers or to the sidecar', async () => {
    const { port, at, upstream, lines, warnings, cookie } = await startExposed()
    const answers = []
    for (const target of [at('/gameserver'), at('/nothing'), '/nothing', '/_/nothing', '//evil.example/', '/%zz']) {
      for (const query of ['', `?token=${TOKEN}`, `?x=1&token=${TOKEN}`, `?token=wrong&x=${TOKEN}`]) {
        for (const proof of [BEARER, `Cookie: ${cookie}`, 'X-Nothing: at all']) {
          const referer = `Referer: http://localhost:${port}/?token=${TOKEN}`
          answers.push(await ask(port, `GET ${target}${query}`, [HOST, proof, referer]))
        }
      }
    }
    for (const { headers, body } of answers) {
      const { 'set-cookie': own = '', location = '', ...others } = headers
      expect(JSON.stringify(others) + location + body).not.toMatch(`token=${TOKEN}`)
      expect(own.replace(/^gameserver_sidecar_http=[^;]+; Path=\/_\/; HttpOnly; SameSite=Strict$/, '')).toBe('')
      expect(location).not.toMatch(/^\/\/|evil\.example(?!\/)/)
    }
    expect(lines.length + warnings.length).toBeGreaterThan(0)
    expect([...lines, ...warnings].join('\n')).not.toContain(TOKEN)
    expect(JSON.stringify(upstream.asked)).not.toContain(TOKEN)
    expect(upstream.asked.length).toBeGreaterThan(0)
  })
})

test('an exposed local sidecar checks its own token in constant time, and never reveals it', async () => {
  const warnings: string[] = []
  const onWarning = (text: string): void => void warnings.push(text)
  const local = await createLocalSidecar({ mode: 'local', address: '0.0.0.0', onWarning })
  onTestFinished(() => local.close())
  const token = local.controlToken!
  for (const offered of ['', 'x', token.slice(1), `${token}x`]) {
    compared.mockClear()
    const headers = [HOST, `Authorization: Bearer ${offered}`, 'X-Sidecar-Control: 1']
    const answer = await ask(local.port, 'POST /_/api/commands', headers, '{"type":"delete"}')
    expectRefusal(answer, 401)
    expect(answer.body).not.toContain(token)
    expect(compared).toHaveBeenCalledOnce()
  }
  expectRefusal(
    await ask(local.port, 'GET /_/api/state', ['Host: evil.example', `Authorization: Bearer ${token}`]),
    403,
  )
  expect((await ask(local.port, `GET /_/api/state?token=${token}`, [HOST])).status).toBe(200)
  expect(warnings).toHaveLength(1)
  expect(warnings.join()).not.toContain(token)
  expect(JSON.stringify(local.sidecar.log.entries())).not.toContain(token)
})
