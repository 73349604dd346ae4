import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { Agent, get as getSecurely } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { temporaryFile, temporaryFolder } from '../support/temporary-folder.js'
import { selfSigned } from '../gateway/certificate.js'
import { call, type CommandRun, forgetSidecar, readGameServer, run, startLocal } from './support.js'

const PAGE = '<!doctype html><html><head><title>Game</title></head></html>'

forgetSidecar()

/** A served folder on any free port, from its first line on. */
async function startServe(...args: readonly string[]): Promise<CommandRun & { dir: string; url: string }> {
  const dir = await temporaryFolder('gameserver-serve')
  await writeFile(join(dir, 'index.html'), PAGE)
  const serve = run('serve', dir, '--port', '0', ...args)
  const [, url] = await serve.line(/ at (https?:\/\/\S+)/)
  return { ...serve, dir, url: url!.replace(/\/$/, '') }
}

const textOf = async (url: string): Promise<string> => (await fetch(url)).text()

describe('serve', () => {
  test('--local prints the addresses of page, sidecar and dashboard, and the page finds the sidecar by itself', async () => {
    const { url, line } = await startServe('--local')
    const local = (await line(/^Local sidecar \(production mode\) at (\S+), for the page at \/_\/sidecar$/))[1]!
    await line(new RegExp(`^Dashboard at ${local}/_/$`))
    expect(await textOf(url)).toContain('<head><script src="/_/config.js"></script><title>')
    expect(await textOf(`${url}/_/config.js`)).toContain('"baseUrl":"/_/sidecar","platform":"agones"')
    await call(`${url}/_/sidecar`, '/metadata/label', { key: 'a', value: 'b' }, 'PUT')
    await line(/setLabel a = b/)
    const gameServers = await Promise.all([readGameServer(`${url}/_/sidecar`), readGameServer(local)])
    expect(gameServers[0]).toEqual(gameServers[1])
  })

  test('--local takes the flags of the local command', async () => {
    const file = await temporaryFile('gs.yaml', 'metadata: { name: mine }\n')
    const { url, line } = await startServe('--local', '--mode', 'local', '--file', file, '--platform', 'game-ops')
    await line(/^GameServer from .*gs\.yaml/)
    await line(/^Local sidecar \(local mode\)/)
    expect((await readGameServer(`${url}/_/sidecar`)).object_meta.name).toBe('mine')
    expect(await textOf(`${url}/_/config.js`)).toContain('"platform":"game-ops"')
  })

  test('uses the sidecar of --sidecar, else of AGONES_SDK_HTTP_PORT', async () => {
    const local = await startLocal('--mode', 'local')
    const named = await startServe('--sidecar', local.url)
    await named.line(new RegExp(`^Sidecar at ${local.url}`))
    await call(`${named.url}/_/sidecar`, '/allocate')
    await local.line(/allocate/)
    vi.stubEnv('AGONES_SDK_HTTP_PORT', new URL(local.url).port)
    const { url } = await startServe()
    expect((await readGameServer(`${url}/_/sidecar`)).status.state).toBe('Allocated')
  })

  test('--spa, --isolate and --auto-health reach the page; --deny refuses operations, and the banner names them', async () => {
    const flags = ['--spa', '--isolate', '--auto-health', '--deny', 'shutdown,allocate']
    const { url, line } = await startServe('--local', ...flags)
    await line(/^Not forwarded: shutdown, allocate$/)
    const sidecar = `${url}/_/sidecar`
    expect([(await call(sidecar, '/shutdown')).status, (await call(sidecar, '/health')).status]).toEqual([501, 200])
    // As a browser does: `fetch` says of itself that it doesn't navigate.
    const navigation = get(`${url}/lobby/1`, { headers: { accept: 'text/html' } })
    const [route] = (await once(navigation, 'response')) as [IncomingMessage]
    expect(await text(route)).toContain('<title>Game')
    expect(route.headers['cross-origin-embedder-policy']).toBe('require-corp')
    expect(await textOf(`${url}/_/config.js`)).toContain('"autoHealth":true')
  })

  test('--token protects the sidecar, and the banner prints the address with the token', async () => {
    const { line, url } = await startServe('--local', '--token')
    const token = new URL((await line(/ at (\S+\?token=\S+)/))[1]!).searchParams.get('token')!
    const { origin } = new URL(url)
    expect((await fetch(`${origin}/_/sidecar/gameserver`)).status).toBe(401)
    const known = await fetch(`${origin}/_/sidecar/gameserver`, { headers: { authorization: `Bearer ${token}` } })
    expect(known.status).toBe(200)
  })

  test('--cert and --key turn on TLS', async () => {
    const { cert, key } = selfSigned()
    const files = ['--cert', await temporaryFile('cert.pem', cert), '--key', await temporaryFile('key.pem', key)]
    const { url } = await startServe('--local', ...files)
    expect(url).toMatch(/^https:/)
    const agent = new Agent({ rejectUnauthorized: false })
    const request = getSecurely(`${url}/_/sidecar/gameserver`, { agent })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(200)
    agent.destroy()
  })
})
