import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent, get as getSecurely } from 'node:https'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { temporaryFolder } from '../support/temporary-folder.js'
import { call, cli, NO_SIDECAR, readGameServer, startLocal, startServe } from './support.js'

const PAGE = '<!doctype html><html><head><title>Game</title></head></html>'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gameserver-serve-'))
  await writeFile(join(dir, 'index.html'), PAGE)
  return () => rm(dir, { recursive: true, force: true })
})

const textOf = async (url: string): Promise<string> => (await fetch(url)).text()

describe('what only the caller can put right is one sentence and exit code 64', () => {
  const rows: readonly (readonly [args: readonly string[], sentence: RegExp])[] = [
    [
      [],
      /^Nothing says where the sidecar is: name it with --sidecar URL, run one inside with --local, or set AGONES_SDK_HTTP_PORT\.$/,
    ],
    [['--platform', 'game-ops'], /or set GAME_OPS_SDK_HTTP_PORT\.$/],
    [['--local', '--sidecar', 'http://127.0.0.1:1'], /^--sidecar and --local exclude each other/],
    [['--sidecar', 'nowhere'], /"nowhere", which is no URL such as http:\/\/127\.0\.0\.1:9358\.$/],
    [
      ['--sidecar', 'http://127.0.0.1:1', '--no-dashboard'],
      /^--no-dashboard would steer a local sidecar; add --local to run one\.$/,
    ],
    [['--local', '--mode', 'staging'], /argument 'staging' is invalid: allowed choices are local, production/],
    [['--local', '--deny', 'shutdwon'], /no operation "shutdwon" to deny; did you mean "shutdown"\?$/],
    [
      ['--local', '--host', '0.0.0.0'],
      /^Other machines can reach 0\.0\.0\.0 .* add --expose, with --token or --allow-origin\.$/,
    ],
    [['--local', '--host', '0.0.0.0', '--expose'], /^--expose needs --token .* or --allow-origin/],
    [
      ['--local', '--host', '192.0.2.1', '--expose', '--token'],
      /^This machine has no address 192\.0\.2\.1; choose another with --host\.$/,
    ],
    [['--local', '--token', 'short'], /^token must have 16 to 256/],
    [['--local', '--cert', 'a.pem'], /^--cert and --key go together/],
    [
      ['--local', '--cert', '/etc/hosts', '--key', '/etc/hosts'],
      /^cert and key must be PEM texts that belong together: .*\.$/,
    ],
    [['--local', '--allow-host', 'http://x'], /^An allowed host must be a bare name/],
    [['--local', '--allow-origin', '*'], /^An allowed origin must look like/],
    [['--local', '--timeout', '0'], /argument '0' is invalid: it must be more than 0 seconds\.$/],
    [['--local', '--port', 'x'], /argument 'x' is invalid/],
    [['--local', '--isolated'], /^Unknown option '--isolated'; did you mean --isolate\?$/],
  ]

  test.each(rows)('%j', async (args, sentence) => {
    const { code, out, err } = await cli(['serve', dir, '--port=0', ...args], NO_SIDECAR).finished
    expect(err).toMatch(sentence)
    expect(err.split('\n')).toHaveLength(1)
    expect(out).toBe('')
    expect(code).toBe(64)
  })

  test.each([
    ['no folder', [], /^Missing required argument 'dir'; usage: gameserver-sidecar serve \[options\] <dir>$/],
    ['a missing folder', ['nowhere'], /^There is no folder \S+nowhere to serve\.$/],
    ['a file', ['index.html'], /index\.html is not a folder: name the one that holds index\.html\.$/],
  ] as const)('%s', async (_what, names, sentence) => {
    const { code, err } = await cli(['serve', ...names.map((name) => join(dir, name)), '--local', '--port=0']).finished
    expect(err).toMatch(sentence)
    expect(code).toBe(64)
  })

  test('a folder with nothing in it', async () => {
    await rm(join(dir, 'index.html'))
    const { code, err } = await cli(['serve', dir, '--local', '--port=0']).finished
    expect(err).toMatch(/^The folder \S+ holds nothing to serve: was the game built\?$/)
    expect(code).toBe(64)
  })

  test.each(['--port', '--http-port'])('a taken port: %s', async (flag) => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const ports = { '--port': '0', '--http-port': '0', [flag]: String(port) }
    const { code, err } = await cli(['serve', dir, '--local', ...Object.entries(ports).flat()]).finished
    expect(err).toMatch(
      new RegExp(`^Port ${port} is already in use; choose another with ${flag}, or 0 for any free one\\.$`),
    )
    expect(code).toBe(69)
  })

  test('a private key that everybody could fetch, or that is a pipe', async () => {
    for (const name of ['a.key', 'a.pem']) await writeFile(join(dir, name), 'secret')
    const keys = ['--cert', join(dir, 'a.pem'), '--key', join(dir, 'a.key')]
    const { code, err } = await cli(['serve', dir, '--local', '--port=0', ...keys]).finished
    expect(err).toMatch(/^The private key \S+a\.key is in the folder that is served; keep it elsewhere\.$/)
    expect(code).toBe(64)
    const pipe = join(await temporaryFolder('gameserver-pipe'), 'key.pem')
    execFileSync('mkfifo', [pipe])
    const piped = await cli(['serve', dir, '--local', '--port=0', ...keys.slice(0, 3), pipe]).finished
    expect(piped).toMatchObject({ code: 64, err: `Cannot read ${pipe} of --key: it is a pipe, not a file.` })
    const missing = await cli(['serve', join(dir, 'nowhere'), '--local', '--port=0', ...keys]).finished
    expect(missing.err).toMatch(/^(There is no folder|cert and key must)/)
  })
})

test('--help tells every option', async () => {
  const { code, out } = await cli(['serve', '--help']).finished
  const options = [
    'sidecar',
    'local',
    'port',
    'host',
    'cert',
    'key',
    'deny',
    'spa',
    'isolate',
    'auto-health',
    'expose',
    'token',
    'allow-host',
    'allow-origin',
    'platform',
    'timeout',
    'yes',
    'verbose',
    'mode',
    'file',
    'feature-gates',
    'ws-limit',
    'http-port',
  ]
  for (const option of options) expect(out).toContain(`--${option}`)
  expect(code).toBe(0)
})

describe('with a local sidecar inside', () => {
  test('says where the page and the sidecar are; the page finds it without being told', async () => {
    const { url, line } = await startServe(dir)
    const local = (await line(/^Local sidecar \(production mode\) at (\S+), for the page at \/_\/sidecar$/))[1]!
    expect(await textOf(url)).toContain('<head><script src="/_/config.js"></script><title>')
    expect(await textOf(`${url}/_/config.js`)).toContain('"baseUrl":"/_/sidecar","platform":"agones"')
    await call(`${url}/_/sidecar`, '/metadata/label', { key: 'a', value: 'b' }, 'PUT')
    await line(/setLabel a=b/)
    const gameServers = await Promise.all([readGameServer(`${url}/_/sidecar`), readGameServer(local)])
    expect(gameServers[0]).toEqual(gameServers[1])
  })

  test('is steered by the flags of the local command', async () => {
    const file = join(dir, 'gs.yaml')
    await writeFile(file, 'metadata: { name: mine }\n')
    const { url, line } = await startServe(dir, [
      '--local',
      '--mode',
      'local',
      '--file',
      file,
      '--platform',
      'game-ops',
    ])
    await line(/^GameServer from .*gs\.yaml/)
    await line(/^Local sidecar \(local mode\)/)
    const sidecar = `${url}/_/sidecar`
    await call(sidecar, '/metadata/label', { key: 'a', value: 'b' }, 'PUT')
    const {
      object_meta: { name, labels },
    } = await readGameServer(sidecar)
    expect([name, labels?.['game-ops.dev/sdk-a']]).toEqual(['mine', 'b'])
    expect(await textOf(`${url}/_/config.js`)).toContain('"platform":"game-ops"')
  })
})

describe('with a sidecar elsewhere', () => {
  test('that --sidecar names', async () => {
    const local = await startLocal(['--mode', 'local'])
    const { url, line } = await startServe(dir, ['--sidecar', local.url])
    await line(new RegExp(`^Sidecar at ${local.url}`))
    await call(`${url}/_/sidecar`, '/allocate')
    await local.line(/allocate/)
  })

  test('that the environment names', async () => {
    const local = await startLocal(['--mode', 'local'])
    const { url } = await startServe(dir, [], { AGONES_SDK_HTTP_PORT: new URL(local.url).port })
    expect((await readGameServer(`${url}/_/sidecar`)).status.state).toBe('Ready')
  })

  test('that is not there: the page is served, calls get 502 in the shape of the sidecar, and a line says so', async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    free.close()
    const { url, errorLine } = await startServe(dir, ['--sidecar', `http://127.0.0.1:${port}`])
    const answer = await call(`${url}/_/sidecar`, '/ready')
    expect([answer.status, await answer.json()]).toEqual([502, { code: 14, message: expect.any(String), details: [] }])
    await errorLine(/502/)
    expect((await fetch(url)).status).toBe(200)
  })
})

describe('options', () => {
  test('--deny: these are refused, others pass, and the banner says so', async () => {
    const { url, line } = await startServe(dir, ['--local', '--deny', 'shutdown,allocate'])
    await line(/^Not forwarded: shutdown, allocate$/)
    const statuses = await Promise.all(
      ['/shutdown', '/allocate', '/health'].map(async (path) => (await call(`${url}/_/sidecar`, path)).status),
    )
    expect(statuses).toEqual([501, 501, 200])
  })

  test('--spa, --isolate, --auto-health', async () => {
    const { url } = await startServe(dir, ['--local', '--spa', '--isolate', '--auto-health'])
    // As a browser does: `fetch` says of itself that it doesn't navigate.
    const navigation = get(`${url}/lobby/1`, { headers: { accept: 'text/html' } })
    const [route] = (await once(navigation, 'response')) as [IncomingMessage]
    expect(await text(route)).toContain('<title>Game')
    expect(route.headers['cross-origin-embedder-policy']).toBe('require-corp')
    expect(await textOf(`${url}/_/config.js`)).toContain('"autoHealth":true')
  })

  test('--token: the sidecar is not reached without it; the banner tells the address that has it', async () => {
    const { line, url } = await startServe(dir, ['--local', '--token'])
    const token = new URL((await line(/ at (\S+\?token=\S+)/))[1]!).searchParams.get('token')!
    const { origin } = new URL(url)
    expect((await fetch(`${origin}/_/sidecar/gameserver`)).status).toBe(401)
    const known = await fetch(`${origin}/_/sidecar/gameserver`, { headers: { authorization: `Bearer ${token}` } })
    expect(known.status).toBe(200)
  })

  test('--cert and --key: over TLS', async () => {
    const folder = await temporaryFolder('gameserver-tls')
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const make = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    execFileSync('openssl', [...make, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' })
    const { url } = await startServe(dir, ['--local', '--cert', cert, '--key', key])
    expect(url).toMatch(/^https:/)
    const agent = new Agent({ rejectUnauthorized: false })
    const request = getSecurely(`${url}/_/sidecar/gameserver`, { agent })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(200)
    agent.destroy()
  })
})

describe('a signal', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s: pages are told, and the process ends with 0', async (signal) => {
    const { url, child, finished } = await startServe(dir)
    const socket = new WebSocket(`${url.replace('http', 'ws')}/_/sidecar/watch/gameserver`)
    const closed = once(socket, 'close')
    await once(socket, 'message')
    const stream = await fetch(`${url}/_/sidecar/watch/gameserver`)
    child.kill(signal)
    const lines = (await stream.text()).trim().split('\n')
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ error: { code: 14, message: expect.stringContaining(signal) } })
    const [code, reason] = (await closed) as [number, Buffer]
    expect([code, reason.toString()]).toEqual([1001, signal])
    expect((await finished).code).toBe(0)
    expect((await finished).err).toBe('')
  })

  test('that comes twice, as npm passes on what a terminal has sent already, is one', async () => {
    const { child, finished } = await startServe(dir)
    child.kill('SIGINT')
    child.kill('SIGINT')
    expect((await finished).code).toBe(0)
  })

  test('given a second time, it ends the process at once', async () => {
    await writeFile(join(dir, 'large.bin'), Buffer.alloc(64 * 1024 * 1024))
    const { url, child, finished } = await startServe(dir)
    // Who reads nothing of what it asked for keeps the end waiting, for five seconds at most.
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'readable')
    // It is sent until it counts: two that come close together are one, as npm passes them on.
    const again = setInterval(() => child.kill('SIGTERM'), 100)
    const { code } = await finished
    clearInterval(again)
    expect(code).toBe(143)
  })
})
