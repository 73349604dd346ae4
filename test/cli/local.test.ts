import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import WebSocket from 'ws'
import { temporaryFolder } from '../support/temporary-folder.js'
import { call, cli, NO_SIDECAR, readGameServer, startLocal } from './support.js'

async function temporaryFile(name: string, text: string): Promise<string> {
  const folder = await temporaryFolder('gameserver-cli')
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

describe('a GameServer that has ended', () => {
  test('is replaced a second later, and one line says by which', async () => {
    const local = await startLocal()
    await call(local.url, '/shutdown')
    const [, name] = await local.line(/GameServer local was shut down; a fresh one, (local-\w+), takes its place/)
    // The connection of the call before was the old one's, and is cut.
    const { object_meta, status } = await vi.waitFor(() => readGameServer(local.url), 20_000)
    expect([object_meta.name, status.state]).toEqual([name, 'Scheduled'])
  })

  test('stays with --no-replace', async () => {
    const local = await startLocal(['--no-replace'])
    await call(local.url, '/shutdown')
    await local.line(/is being deleted/)
    const state = (await (await fetch(`${local.url}/_/api/state`)).json()) as { readonly replacesAt?: number }
    expect(state.replacesAt).toBeUndefined()
  })
})

describe('what only the caller can put right is one sentence and exit code 64', () => {
  const rows: readonly (readonly [readonly string[], RegExp])[] = [
    [['local', '--htp-port', '1'], /^Unknown option '--htp-port'; did you mean --http-port\?$/],
    [['local', '--nonsense'], /^Unknown option '--nonsense'; gameserver-sidecar local --help lists all\.$/],
    [['local', '--prot', '1'], /^Unknown option '--prot'; did you mean --http-port\?$/],
    [['local', '--port', '1'], /^Unknown option '--port'; did you mean --http-port\?$/],
    [['local', '--host', 'x'], /^Unknown option '--host'; did you mean --address\?$/],
    [['serve', '.', '--address', 'x'], /^Unknown option '--address'; did you mean --host\?$/],
    [['host', '.', '--port', '1'], /^Unknown option '--port'; did you mean --players-port\?$/],
    [['init', '--port', '1'], /^Unknown option '--port'; did you mean --players-port\?$/],
    [['exec', '--host', 'x', '--', 'true'], /^Unknown option '--host'; gameserver-sidecar exec --help lists all\./],
    [['--prot', '1'], /^Unknown option '--prot'; did you mean serve --port\?$/],
    [['serve', '.', '--local', '--prot', '1'], /^Unknown option '--prot'; did you mean --port\?$/],
    [
      ['serve', '.', '--local', '--deny', 'shutdwn'],
      /^There is no operation "shutdwn" to deny; did you mean "shutdown"\?$/,
    ],
    [
      ['serve', '.', '--local', '--deny', 'foo'],
      /^There is no operation "foo" to deny; there are ready, health, .*\.$/,
    ],
    [['help', 'gateway'], /^There is no command "gateway"; there are local, .*\.$/],
    [['help', 'locl'], /^There is no command "locl"; did you mean "local"\?$/],
    [['gateway'], /^There is no command "gateway"; there are local, .*\.$/],
    [['local', '--mode', '\u001b[31m\u009b\u202e'], /argument '\\u001b\[31m\\u009b\\u202e' is invalid/],
    [['lcoal'], /^There is no command "lcoal"; did you mean "local"\?$/],
    [
      ['local', 'extra'],
      /^Too many arguments for 'local': expected 0 arguments but got 1; usage: gameserver-sidecar local \[options\]$/,
    ],
    [['local', '--http-port'], /^Option '--http-port <port>' argument missing\.$/],
    [['local', '--http-port', 'x'], /^Option '--http-port <port>' argument 'x' is invalid: it must be a whole number/],
    [['local', '--http-port', '65536'], /argument '65536' is invalid/],
    [['local', '--http-port', '-1'], /argument '-1' is invalid/],
    [['local', '--mode', 'staging'], /argument 'staging' is invalid: allowed choices are local, production/],
    [['local', '--timeout', '1h'], /argument '1h' is invalid: it must be a number of seconds/],
    [['local', '--delay', 'x'], /argument 'x' is invalid/],
    [['local', '--ws-limit', '64k'], /argument '64k' is invalid/],
    [['local', '--feature-gates', 'CountsAndLists'], /is invalid: it must look like CountsAndLists=false/],
    [['local', '--conformance', 'raedy'], /knows no "raedy"/],
    [['local', '--conformance', ''], /argument '' is invalid: it must name at least one, with commas between several/],
    [['local', '--conformance', ' , '], /argument ' , ' is invalid: it must name at least one/],
    [['local', '--allow-host', ''], /argument '' is invalid: it must name at least one/],
    [['local', '--allow-origin', ''], /argument '' is invalid: it must name at least one/],
    [['serve', '.', '--local', '--deny', ','], /argument ',' is invalid: it must name at least one/],
    [['local', '--platform', 'A B'], /platform must be/],
    [['local', '--allow-host', 'http://x'], /^An allowed host must be a bare name or address, not "http:\/\/x"\.$/],
    [['local', '--allow-origin', '*'], /^An allowed origin must look like http:\/\/localhost:5173, not "\*"\.$/],
    [
      ['local', '--address', '192.0.2.1'],
      /^This machine has no address 192\.0\.2\.1; choose another with --address\.$/,
    ],
  ]

  test.each(rows)('%j', async (args, sentence) => {
    const port = args[0] === 'local' && !args.includes('--http-port') ? ['--http-port=0'] : []
    const { code, out, err } = await cli([...args, ...port], NO_SIDECAR).finished
    expect(err).toMatch(sentence)
    expect(err.split('\n')).toHaveLength(1)
    expect(out).toBe('')
    expect(code).toBe(64)
  })

  test('a taken port has an exit code of its own, 69', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, err } = await cli(['local', '--http-port', String(port)]).finished
    expect(err).toMatch(
      new RegExp(`^Port ${port} is already in use; choose another with --http-port, or 0 for any free one\\.$`),
    )
    expect(code).toBe(69)
  })

  test.each([
    ['local', '--file', '/nowhere/gs.yaml'],
    ['serve', '.', '--port=0', '--local', '--file', '/nowhere/gs.yaml'],
    ['serve', '.', '--port=0', '--local', '--cert', '/nowhere/cert.pem', '--key', '/nowhere/key.pem'],
    ['host', '--node', 'test/cli/local.test.ts', '--local', '--file', '/nowhere/gs.yaml'],
    ['exec', '--file', '/nowhere/gs.yaml', '--', 'true'],
  ])('a file that is not there has an exit code of its own, 66: %s %s', async (...args) => {
    const { code, out, err } = await cli(args, NO_SIDECAR).finished
    expect(err).toMatch(/^Cannot read \/nowhere\/(gs\.yaml|cert\.pem of --cert): there is no such file\.$/)
    expect([out, code]).toEqual(['', 66])
  })

  test('a file that is no GameServer', async () => {
    const path = await temporaryFile('gs.yaml', 'kind: Pod\n')
    const { code, err } = await cli(['local', '--http-port', '0', '--file', path]).finished
    expect(err).toBe(`${path} holds no usable GameServer: its kind is "Pod"; give a GameServer or a Fleet.`)
    expect(code).toBe(64)
  })

  test('no command at all shows the commands', async () => {
    const { code, err } = await cli([]).finished
    expect(err).toMatch(/^Usage: gameserver-sidecar/)
    expect(err).toMatch(/local/)
    expect(code).toBe(64)
  })
})

test.each([
  [['--version']],
  [['-V']],
  [['local', '--version']],
  [['local', '--http-port', '0', '-V']],
  [['serve', '.', '-V']],
])('%j tells the version of the package and starts nothing', async (args) => {
  const { code, out } = await cli(args).finished
  expect(out.trim()).toMatch(/^\d+\.\d+\.\d+\S*$/)
  expect(code).toBe(0)
})

test('--help tells every option and ends with 0', async () => {
  const { code, out, err } = await cli(['local', '--help']).finished
  const options = ['mode', 'file', 'http-port', 'address', 'platform', 'delay', 'timeout', 'feature-gates', 'verbose']
  for (const option of [...options, 'conformance', 'ws-limit', 'allow-host', 'allow-origin']) {
    expect(out).toContain(`--${option}`)
  }
  // The heading that the command serve gives to some of them.
  expect(out).not.toContain('With a sidecar of its own')
  expect(err).toBe('')
  expect(code).toBe(0)
})

describe('a running sidecar', () => {
  test('says where it is and what to give the game server, and answers at once', async () => {
    const { url, line } = await startLocal()
    expect((await line(/(\w+_SDK_HTTP_PORT=\d+)/))[1]).toBe(`AGONES_SDK_HTTP_PORT=${new URL(url).port}`)
    const gameServer = await readGameServer(url)
    expect(gameServer.status.state).toBe('Scheduled')
  })

  test('tells what there is and what to do first, and in the end how much there was', async () => {
    const { url, child, line, finished } = await startLocal()
    await line(new RegExp(`Dashboard: +${url}/_/$`))
    await line(/GameServer: +local {2}Scheduled {3}health 5 s x3$/)
    await line(new RegExp(`Waiting for a game's first call.*curl -d "{}" ${url}/ready$`))
    await call(url, '/ready')
    await call(url, '/nope', undefined, 'GET')
    await line(/RequestReady → Ready$/)
    child.kill('SIGINT')
    const { out, code } = await finished
    expect(out.split('\n').at(-1)).toBe('2 calls, 2 events, 1 error')
    // No terminal, so no keys.
    expect(out).not.toContain('press')
    expect(code).toBe(0)
  })

  test('tells each missed beat, and why an allocation was refused', async () => {
    const path = await temporaryFile('gs.yaml', 'spec: { health: { periodSeconds: 1, initialDelaySeconds: 0 } }\n')
    const { url, line } = await startLocal(['--file', path])
    await fetch(`${url}/_/api/allocations`, { method: 'POST', headers: { 'x-sidecar-control': '1' }, body: '{}' })
    await line(/control allocate by manifest +not allocated: state is Scheduled, must be Ready$/)
    await call(url, '/ready')
    for (const failure of [1, 2, 3]) await line(new RegExp(`warning: .* failure ${failure} of 3`))
  })

  test('prints one object of JSON a line with --log-format json, and nothing else', async () => {
    const path = await temporaryFile('gs.yaml', 'metadata: { labels: { map: one } }\n')
    const { child, line, finished } = cli([
      'local',
      '--http-port=0',
      '--log-format=json',
      '--file',
      path,
      '--mode=local',
    ])
    const [, url] = await line(/"event":"listening","url":"([^"]+)"/)
    await call(url!, '/metadata/label', { key: 'a', value: 'x\u2028\u001b[2J' }, 'PUT')
    for (let i = 0; i < 3; i += 1) await call(url!, '/health')
    await writeFile(path, 'metadata: [')
    await line(/"event":"warning"/)
    child.kill('SIGINT')
    const { out, err, code } = await finished
    const lines = out.split('\n').map((text) => JSON.parse(text) as { time: string; event: string })
    expect(lines.map(({ event }) => event)).toEqual(['listening', 'call', 'warning', 'stopped'])
    for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time)
    expect(lines[1]).toMatchObject({
      call: { operation: 'setLabel', value: 'x\u2028\u001b[2J' },
      reply: { status: 200 },
    })
    expect(lines[3]).toMatchObject({ by: 'SIGINT', calls: 4, events: 1, errors: 0 })
    expect(out).not.toMatch(/[^\P{C}\n]|\u2028/u)
    expect(err).toBe('')
    expect(code).toBe(0)
  })

  test('tells each event in a line: time, what, result', async () => {
    const { url, line } = await startLocal(['--mode', 'local'])
    await call(url, '/ready')
    expect((await line(/\d {2}ready/)).input).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}ready {2,}ok/)
    await call(url, '/metadata/label', { key: 'map', value: 'arena\u001b[31m' }, 'PUT')
    expect((await line(/setLabel/)).input).toMatch(
      /setLabel map=arena\\u001b\[31m +ok, label agones.dev\/sdk-map=arena\\u001b/,
    )
    await call(url, '/v1beta1/counters/nope', undefined, 'GET')
    expect((await line(/getCounter/)).input).toMatch(/getCounter nope +500 not found\. nope Counter not found$/)
    await call(url, '/nope', undefined, 'GET')
    expect((await line(/nope +404/)).input).toMatch(/GET \/nope +404 Not Found$/)
  })

  test('shows the first beat, and every one with --verbose', async () => {
    for (const args of [[], ['--verbose']]) {
      const { url, child, finished } = await startLocal(args)
      for (let i = 0; i < 3; i += 1) await call(url, '/health')
      child.kill('SIGTERM')
      const beats = (await finished).out.split('\n').filter((text) => /^\d.* health /.test(text))
      expect(beats).toHaveLength(args.length === 0 ? 1 : 3)
    }
  })

  const colors: readonly (readonly [env: NodeJS.ProcessEnv, colors: boolean])[] = [
    [{}, false],
    [{ FORCE_COLOR: 'true', NO_COLOR: '1', TERM: 'dumb' }, true],
  ]
  test.each(colors)('where no terminal is, %o makes colours: %s', async (env, expected) => {
    const { finished } = cli(['local', '--http-port', '0', '--timeout', '0.01'], env)
    expect((await finished).out.includes('\u001b[1mSIDECAR')).toBe(expected)
  })

  test('JSON has no colours, whatever FORCE_COLOR says', async () => {
    const args = ['local', '--http-port', '0', '--timeout', '0.01', '--log-format', 'json']
    const { out } = await cli(args, { FORCE_COLOR: '3' }).finished
    expect(out).toMatch(/^\{"time".*"listening"/)
    expect(out).not.toContain('\u001b')
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('ends with exit code 0 by %s, watchers and all', async (signal) => {
    const { url, child, finished } = await startLocal()
    const socket = new WebSocket(`${url.replace('http', 'ws')}/watch/gameserver`)
    const closed = once(socket, 'close')
    await once(socket, 'message')
    const stream = await fetch(`${url}/watch/gameserver`)
    const cut = stream.text().catch(() => 'cut')
    child.kill(signal)
    expect((await finished).code).toBe(0)
    expect((await finished).err).toBe('')
    expect((await closed)[0]).toBe(1006)
    expect(await cut).toBe('cut')
  })

  test('ends by itself after --timeout, with exit code 0', async () => {
    const { finished } = await startLocal(['--timeout', '0.2'])
    expect((await finished).code).toBe(0)
  })

  test('can be stopped while it waits for --delay', async () => {
    const { child, line, finished } = cli(['local', '--http-port', '0', '--delay', '1000'])
    await line(/Waiting 1000 s/)
    child.kill('SIGTERM')
    expect((await finished).code).toBe(0)
  })

  test('outlives a reader of its output that leaves', async () => {
    const { url, child, finished } = await startLocal()
    child.stdout!.destroy()
    await call(url, '/ready').catch(() => undefined)
    await call(url, '/ready').catch(() => undefined)
    child.kill('SIGTERM')
    expect((await finished).err).toBe('')
  })

  test('loads a saved file again, and says so when it is no good', async () => {
    const path = await temporaryFile('gs.yaml', 'metadata: { labels: { map: one } }\n')
    const { url, line, errorLine } = await startLocal(['--file', path])
    const label = async (): Promise<string | undefined> => (await readGameServer(url)).object_meta.labels?.['map']
    expect(await label()).toBe('one')
    await writeFile(path, 'metadata: [')
    expect((await errorLine(/neither YAML nor JSON/)).input).toMatch(/^warning: .*; the last good content stays$/)
    expect(await label()).toBe('one')
    await writeFile(path, 'metadata: { labels: { map: two } }\n')
    await line(/reload/)
    expect(await label()).toBe('two')
  })

  test('takes the template of a Fleet among other documents, and says so', async () => {
    const fleet =
      'kind: Fleet\nmetadata: { name: my-fleet }\nspec: { template: { metadata: { labels: { map: a } } } }\n'
    const path = await temporaryFile('fleet.yaml', `kind: Service\n---\n${fleet}`)
    const { url, errorLine } = await startLocal(['--file', path])
    await errorLine(/fleet\.yaml: uses the template of the Fleet "my-fleet", document 2 of 2$/)
    expect((await readGameServer(url)).object_meta.labels?.['map']).toBe('a')
  })

  test('prints nothing that a terminal would obey, whatever its file holds', async () => {
    const nasty = '\\e]0;title\\a\\e[2J\\u009b31m\\u202e\\u2028'
    const path = await temporaryFile('gs.yaml', `metadata: { labels: { "${nasty}": "${nasty}" } }\n`)
    const { child, line, errorLine, finished } = await startLocal(['--file', path, '--verbose'])
    await writeFile(path, `metadata: { labels: { "other${nasty}": "${nasty}" } }\n`)
    await line(/reload/)
    await writeFile(path, `metadata: { labels: { "${nasty}": 5 } }\n`)
    await errorLine(/warning/)
    await writeFile(path, `"${nasty}": 5\n`)
    await errorLine(/has no field/)
    child.kill('SIGTERM')
    const { out, err } = await finished
    for (const text of [out, err]) expect(text).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u)
    expect((await cli(['local', '--http-port', '0', '--file', path]).finished).err).toMatch(/^[^\p{C}\p{Zl}]+$/u)
  })

  test('outlives a control command that is nested 4,200 levels deep', async () => {
    const { url } = await startLocal(['--verbose'])
    const body = `{"type":"reload","gameServer":{"spec":{"template":${'['.repeat(4_200) + ']'.repeat(4_200)}}}}`
    await fetch(`${url}/_/api/commands`, { method: 'POST', body, headers: { 'x-sidecar-control': '1' } })
    expect((await readGameServer(url)).status.state).toBe('Scheduled')
  })

  test('beyond loopback warns, prints a token, and asks for it', async () => {
    const { url, line, errorLine } = await startLocal(['--address', '0.0.0.0'])
    await errorLine(/^warning: Listening on 0\.0\.0\.0/)
    const token = (await line(/Token of the control interface: (\S+)/))[1]!
    expect((await fetch(`${url}/_/api/state`)).status).toBe(401)
    const known = await fetch(`${url}/_/api/state`, { headers: { authorization: `Bearer ${token}` } })
    expect(known.status).toBe(200)
    const foreign = await new Promise<number>((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/gameserver`, {
        origin: 'http://evil.example',
      })
      socket.on('error', () => undefined)
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    })
    expect(foreign).toBe(403)
  })

  test('takes the platform, the mode, the gates and the limit', async () => {
    const args = [
      '--platform',
      'game-ops',
      '--mode',
      'local',
      '--feature-gates',
      'CountsAndLists=false',
      '--ws-limit',
      '10',
    ]
    const { url, line } = await startLocal(args)
    await line(/GAME_OPS_SDK_HTTP_PORT=\d+/)
    await call(url, '/metadata/label', { key: 'a', value: 'b' }, 'PUT')
    const gameServer = await readGameServer(url)
    expect(gameServer.status.state).toBe('Ready')
    expect(gameServer.object_meta.labels?.['game-ops.dev/sdk-a']).toBe('b')
    expect(await (await call(url, '/v1beta1/lists/players', undefined, 'GET')).text()).toContain('not enabled')
    const socket = new WebSocket(`${url.replace('http', 'ws')}/gameserver`)
    expect((await once(socket, 'close'))[0]).toBe(1006)
  })
})

test('a page that is refused is told in the terminal, with what would allow it', async () => {
  const run = await startLocal()
  for (const origin of ['http://localhost:5173', 'null']) {
    expect((await fetch(`${run.url}/gameserver?x=1`, { headers: { origin } })).status).toBe(403)
  }
  await run.errorLine(
    /^403 GET \/gameserver: Pages of http:\/\/localhost:5173 are not served; .* --allow-origin http:\/\/localhost:5173 /,
  )
  await run.errorLine(
    /^403 GET \/gameserver: Pages without an origin .* open them from a server, such as npx gameserver-sidecar serve$/,
  )
  run.child.kill('SIGTERM')
  expect((await run.finished).code).toBe(0)
})
