import { once } from 'node:events'
import { createServer as createHttpServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createServer } from 'vite'
import WebSocket from 'ws'
import { createLocalSidecar } from '../../src/node.js'
import { gameserverSidecar, type GameserverSidecarOptions } from '../../src/local/vite.js'
import { call, readGameServer } from '../cli/support.js'
import { converse } from '../node/support.js'
import { ask } from '../support/wire.js'
import { freePort } from '../support/free-port.js'
import { collector, configFor, dev, localUrl, page, project, TAG, whereabouts } from './support.js'
import { listenHere } from '../support/listen.js'

beforeEach(() => {
  vi.stubEnv('AGONES_SDK_HTTP_PORT', undefined)
  vi.stubEnv('AGONES_SDK_HTTP_HOST', undefined)
  return () => vi.unstubAllEnvs()
})

const textOf = async (url: string): Promise<string> => (await fetch(url)).text()
/** The dashboard's address as it was printed last. */
const dashboardIn = (lines: readonly string[]): Promise<string> =>
  vi.waitUntil(
    () => /Dashboard at (\S+)/.exec(lines.filter((line) => line.includes('Dashboard at')).at(-1) ?? '')?.[1],
    20_000,
  )

describe('a page of the development server', () => {
  test('gets the script that tells where the sidecar is, before all others, and is isolated, whatever its base', async () => {
    const options = { autoHealth: true, platform: 'game-ops', isolate: true }
    const { url } = await dev(options, { base: '/game/' })
    const answer = await fetch(`${url}/game/`, page)
    expect(answer.headers.get('cross-origin-embedder-policy')).toBe('require-corp')
    expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect((await readGameServer(`${url}/_/sidecar`)).status.state).toBe('Scheduled')
    const html = await answer.text()
    expect(html.indexOf(TAG)).toBeGreaterThan(0)
    expect(html.indexOf(TAG)).toBe(html.indexOf('<script src'))
    expect(html.indexOf(TAG)).toBeLessThan(html.indexOf('<title>'))
    const script = await textOf(`${url}/_/config.js`)
    const scope: { GAMESERVER_SIDECAR?: unknown } = {}
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the script as a page runs it
    new Function('globalThis', script)(scope)
    expect(scope.GAMESERVER_SIDECAR).toEqual({ baseUrl: '/_/sidecar', platform: 'game-ops', autoHealth: true })
  })

  test('has a dashboard, whose printed address brings the token where one is needed', async () => {
    const { lines } = await dev({ local: { address: '0.0.0.0' } })
    const { origin, hash } = new URL(await dashboardIn(lines))
    const state = `${origin}/_/api/state`
    expect((await fetch(state)).status).toBe(401)
    const authorization = `Bearer ${hash.slice('#token='.length)}`
    expect((await fetch(state, { headers: { authorization } })).status).toBe(200)
  })

  test('uses the local sidecar inside by calls, stream and WebSocket, and keeps its socket for hot updates', async () => {
    const { server, url, lines } = await dev({ local: { mode: 'local' } })
    const { webSocketToken } = server.config as unknown as { readonly webSocketToken: string }
    const hot = new WebSocket(`${url.replace('http', 'ws')}/?token=${webSocketToken}`, 'vite-hmr')
    onTestFinished(() => hot.terminate())
    expect(JSON.parse(String((await once(hot, 'message'))[0]))).toEqual({ type: 'connected' })
    const sidecar = `${url}/_/sidecar`
    await call(sidecar, '/metadata/label', { key: 'a', value: 'b' }, 'PUT')
    expect(await readGameServer(localUrl(lines))).toEqual(await readGameServer(sidecar))
    const stream = await fetch(`${sidecar}/watch/gameserver`)
    const { value } = await stream.body!.getReader().read()
    expect(JSON.parse(new TextDecoder().decode(value).split('\n')[0]!)).toHaveProperty('result.object_meta')
    const watch = converse(`${sidecar}/watch/gameserver`, { origin: url })
    expect(JSON.parse(await watch.frame(0))).toHaveProperty('result.object_meta')
    await call(sidecar, '/allocate')
    expect(JSON.parse(await watch.frame(1))).toHaveProperty('result.status.state', 'Allocated')
    const update = once(hot, 'message')
    server.ws.send('custom', {})
    expect(JSON.parse(String((await update)[0]))).toMatchObject({ type: 'custom' })
    expect(hot.readyState).toBe(WebSocket.OPEN)
  })
})

describe('which sidecar', () => {
  async function elsewhere(): Promise<{ url: string; port: number }> {
    const local = await createLocalSidecar({ mode: 'local' })
    onTestFinished(() => local.close())
    return local
  }

  test('the plugin uses the sidecar that an option names', async () => {
    const local = await elsewhere()
    const { url, lines } = await dev({ sidecar: local.url })
    expect(lines.join('\n')).toContain(`Sidecar at ${local.url}, for pages at /_/sidecar`)
    await call(`${url}/_/sidecar`, '/allocate')
    expect((await readGameServer(local.url)).status.state).toBe('Allocated')
  })

  test('the plugin uses the sidecar that the environment names, unless the option local is given', async () => {
    vi.stubEnv('AGONES_SDK_HTTP_PORT', String((await elsewhere()).port))
    const { url } = await dev()
    expect((await readGameServer(`${url}/_/sidecar`)).status.state).toBe('Ready')
    const other = await dev({ local: { mode: 'production' } })
    expect((await readGameServer(`${other.url}/_/sidecar`)).status.state).toBe('Scheduled')
  })

  test('a local sidecar that cannot start is reported in the log and by every call, and pages are served', async () => {
    const { url, lines } = await dev({ local: { file: '/nowhere/gs.yaml' } })
    const answer = await fetch(`${url}/_/sidecar/gameserver`)
    expect([answer.status, await answer.json()]).toEqual([
      503,
      {
        code: 14,
        message: 'The sidecar could not be started: Cannot read /nowhere/gs.yaml: there is no such file',
        details: [],
      },
    ])
    expect(lines.filter((line) => line.includes('Cannot read /nowhere/gs.yaml')).length).toBeGreaterThan(0)
    expect((await fetch(url, page)).status).toBe(200)
  })

  const wrong: readonly (readonly [GameserverSidecarOptions, RegExp])[] = [
    [{ port: 1 } as GameserverSidecarOptions, /^The object of options has no field "port"/],
    [{ local: false }, /^Nothing says where the sidecar is/],
    [{ expose: true }, /^To say who may use/],
  ]
  test.each(wrong)('%j is refused when Vite reads its configuration', (options, message) => {
    expect(() => gameserverSidecar(options)).toThrow(message)
  })
})

describe('the guard', () => {
  test('an allowed host and an allowed origin are served, and a denied operation is not', async () => {
    const { server } = await dev(
      { allowHosts: ['game.test'], allowOrigins: ['http://other.test'], deny: ['shutdown'] },
      { server: { allowedHosts: ['game.test'] } },
    )
    const { port } = server.httpServer!.address() as AddressInfo
    const headers = ['Host: game.test', 'Origin: http://other.test']
    const answer = await ask(port, 'POST /_/sidecar/ready', headers, '{}')
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, 'http://other.test'])
    expect((await ask(port, 'POST /_/sidecar/shutdown', headers, '{}')).status).toBe(501)
  })

  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address

  test.skipIf(address === undefined)(
    'other machines get pages, and the sidecar only with expose and a token',
    async () => {
      const anywhere = { server: { host: '0.0.0.0' } }
      const allowHosts = [address!]
      const closed = await dev({ allowHosts }, anywhere)
      const at = ({ server }: { server: typeof closed.server }): string =>
        `http://${address}:${(server.httpServer!.address() as AddressInfo).port}`
      expect((await fetch(at(closed), page)).status).toBe(200)
      const refused = await fetch(`${at(closed)}/_/sidecar/gameserver`)
      expect([refused.status, await refused.text()]).toEqual([
        403,
        expect.stringMatching(/give the plugin expose: true/),
      ])

      const exposed = await dev({ allowHosts, expose: true, token: true }, anywhere)
      const token = await vi.waitUntil(() => /\?token=(\S+)/.exec(exposed.lines.join('\n'))?.[1], 20_000)
      expect((await fetch(`${at(exposed)}/_/sidecar/gameserver`)).status).toBe(401)
      const entered = await fetch(`${at(exposed)}/?token=${token}`, { redirect: 'manual' })
      const cookie = entered.headers.get('set-cookie')!.split(';')[0]!
      expect((await fetch(`${at(exposed)}/_/sidecar/gameserver`, { headers: { cookie } })).status).toBe(200)
    },
  )
})

describe('the end', () => {
  test('a GameServer that has ended is replaced, and the log says so', async () => {
    const { url, lines } = await dev()
    const before = await readGameServer(`${url}/_/sidecar`)
    await fetch(`${url}/_/sidecar/shutdown`, { method: 'POST', body: '{}', headers: { origin: url } })
    const said = /gameserver-sidecar: GameServer local was shut down; a fresh one, (\S+), takes its place/
    const [, name] = await vi.waitUntil(() => said.exec(lines.join('\n')), { timeout: 20_000 })
    const { object_meta, status } = await readGameServer(`${url}/_/sidecar`)
    expect([object_meta.name, status.state]).toEqual([name, 'Scheduled'])
    expect(object_meta.uid).not.toBe(before.object_meta.uid)
  })

  test('a restart keeps the port that was asked for, prints its dashboard each time, and leaves nothing behind', async () => {
    const { server, url, lines } = await dev({ local: { port: await freePort() } })
    const local = (await dashboardIn(lines)).replace(/\/_\/$/, '')
    await server.restart()
    expect((await readGameServer(`${url}/_/sidecar`)).status.state).toBe('Scheduled')
    expect(localUrl(lines)).toBe(local)
    expect(await dashboardIn(lines)).toBe(`${local}/_/`)
    expect(lines.filter((line) => line.includes('Dashboard at'))).toHaveLength(2)
    // A keep-alive connection may lead to the previous sidecar.
    await vi.waitFor(async () => expect((await fetch(`${local}/_/api/state`)).status).toBe(200), 20_000)
    await server.close()
    expect(await whereabouts(local)).toBe('gone')
  })
})

test('with one plugin in two servers, each server closes its own local sidecar', async () => {
  const plugins = [gameserverSidecar()]
  const [first, second] = [await dev({}, { plugins }), await dev({}, { plugins })]
  const [gone, there] = await vi.waitUntil(() => {
    const urls = [first, second].map(({ lines }) => localUrl(lines))
    return urls.includes(undefined!) ? undefined : urls
  }, 20_000)
  await first.server.close()
  expect(await whereabouts(gone!)).toBe('gone')
  expect(await whereabouts(there!)).toBe('there')
})

test('as part of another server: calls and the stream, and a local sidecar that ends with it', async () => {
  const logger = collector()
  const config = configFor(await project(), logger)
  const vite = await createServer({ ...config, server: { ...config.server, middlewareMode: true, ws: false } })
  const server = createHttpServer(vite.middlewares)
  const url = `http://127.0.0.1:${await listenHere(server)}`
  expect(logger.lines.join('\n')).not.toContain('sidecar')
  expect((await readGameServer(`${url}/_/sidecar`)).status.state).toBe('Scheduled')
  const [stream] = (await once(get(`${url}/_/sidecar/watch/gameserver`), 'response')) as [IncomingMessage]
  await once(stream, 'data')
  const local = localUrl(logger.lines)
  await vite.close()
  expect(await whereabouts(local)).toBe('gone')
})
