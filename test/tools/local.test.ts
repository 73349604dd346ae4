import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { call, control, readGameServer, run, startLocal } from './support.js'

describe('a GameServer that has ended', () => {
  test('is replaced a second later, and a line names its successor', async () => {
    const local = await startLocal()
    await control(local.url, { type: 'setClock', speed: 10 })
    await call(local.url, '/shutdown')
    const [, name] = await local.line(/GameServer local was shut down; a fresh one, (local-\w+), takes its place/)
    // The previous call's connection belonged to the old GameServer, and is cut: hence the retries.
    const { object_meta, status } = await until(() => readGameServer(local.url))
    expect([object_meta.name, status.state]).toEqual([name, 'Scheduled'])
  })

  test('stays with --no-replace', async () => {
    const local = await startLocal('--no-replace')
    await control(local.url, { type: 'setClock', speed: 10 })
    await call(local.url, '/shutdown')
    await local.line(/is being deleted/)
    const state = (await (await fetch(`${local.url}/_/api/state`)).json()) as { readonly replacesAt?: number }
    expect(state.replacesAt).toBeUndefined()
  })
})

describe('a running sidecar', () => {
  test('prints its address, its GameServer and a first step, and at the end its totals', async () => {
    const { url, stop, line, finished } = await startLocal()
    expect((await line(/(\w+_SDK_HTTP_PORT=\d+)/))[1]).toBe(`AGONES_SDK_HTTP_PORT=${new URL(url).port}`)
    await line(new RegExp(`Dashboard: +${url}/_/$`))
    await line(/GameServer: +local {2}Scheduled {3}health 5 s x3$/)
    await line(new RegExp(`Waiting for a game's first call.*curl -d "{}" ${url}/ready$`))
    await call(url, '/ready')
    await call(url, '/nope', undefined, 'GET')
    await line(/RequestReady → Ready$/)
    stop('SIGINT')
    const { out, code } = await finished
    // On a busy machine, both changes of the state are one event.
    expect(out.split('\n').at(-1)).toMatch(/^2 calls, (1 event|2 events), 1 error$/)
    // No terminal, so no keys.
    expect(out).not.toContain('press')
    expect(code).toBe(0)
  })

  test('warns of each missed beat, and says why an allocation was refused', async () => {
    const path = await temporaryFile('gs.yaml', 'spec: { health: { periodSeconds: 1, initialDelaySeconds: 0 } }\n')
    const { url, line } = await startLocal('--file', path)
    await fetch(`${url}/_/api/allocations`, { method: 'POST', headers: { 'x-sidecar-control': '1' }, body: '{}' })
    await line(/control allocate by manifest +not allocated: state is Scheduled, must be Ready$/)
    await call(url, '/ready')
    await control(url, { type: 'setClock', speed: 50 })
    for (const failure of [1, 2, 3]) await line(new RegExp(`warning: .* failure ${failure} of 3`))
  })

  test('with --log-format json prints only JSON objects, one a line', async () => {
    const path = await temporaryFile('gs.yaml', 'metadata: { labels: { map: one } }\n')
    const { stop, line, finished } = run('local', '--port=0', '--log-format=json', '--file', path, '--mode=local')
    const [, url] = await line(/"event":"listening","url":"([^"]+)"/)
    await call(url!, '/metadata/label', { key: 'a', value: 'x\u2028\u001b[2J' }, 'PUT')
    for (let i = 0; i < 3; i += 1) await call(url!, '/health')
    await writeFile(path, 'metadata: [')
    await line(/"event":"warning"/)
    stop('SIGINT')
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
    expect({ err, code }).toEqual({ err: '', code: 0 })
  })

  test('prints each event as a line with time, call and result', async () => {
    const { url, line } = await startLocal('--mode', 'local')
    await call(url, '/ready')
    expect((await line(/\d {2}ready/)).input).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}ready {2,}ok/)
    await call(url, '/metadata/label', { key: 'map', value: 'arena\u001b[31m' }, 'PUT')
    await line(/setLabel map = arena\\u001b\[31m +ok, label agones.dev\/sdk-map=arena\\u001b/)
    await call(url, '/v1beta1/counters/nope', undefined, 'GET')
    await line(/getCounter nope +500 not found\. nope Counter not found$/)
    await call(url, '/nope', undefined, 'GET')
    await line(/GET \/nope +404 Not Found$/)
  })

  test.each([
    [[], 1],
    [['--verbose'], 3],
  ])('with %j shows %i of three beats', async (args, shown) => {
    const { url, stop, finished } = await startLocal(...args)
    for (let i = 0; i < 3; i += 1) await call(url, '/health')
    stop('SIGTERM')
    expect((await finished).out.match(/^\d.* health /gm)).toHaveLength(shown)
  })

  test('uses the template of a Fleet among other documents, and reloads the file when it is saved', async () => {
    const fleet =
      'kind: Fleet\nmetadata: { name: my-fleet }\nspec: { template: { metadata: { labels: { map: one } } } }\n'
    const path = await temporaryFile('fleet.yaml', `kind: Service\n---\n${fleet}`)
    const { url, line, errorLine } = await startLocal('--file', path)
    const label = async (): Promise<string | undefined> => (await readGameServer(url)).object_meta.labels?.['map']
    expect(await label()).toBe('one')
    await writeFile(path, 'metadata: [')
    await errorLine(/^warning: .*neither YAML nor JSON.*; the last good content stays$/)
    expect(await label()).toBe('one')
    await writeFile(path, 'metadata: { labels: { map: two } }\n')
    await line(/reload/)
    expect(await label()).toBe('two')
  })

  test('obeys --platform, --mode, --feature-gates and --no-dashboard', async () => {
    const gates = ['--feature-gates', 'CountsAndLists=false', '--no-dashboard']
    const { url, line, stop, finished } = await startLocal('--platform', 'game-ops', '--mode', 'local', ...gates)
    await line(/GAME_OPS_SDK_HTTP_PORT=\d+/)
    await call(url, '/metadata/label', { key: 'a', value: 'b' }, 'PUT')
    const gameServer = await readGameServer(url)
    expect(gameServer.status.state).toBe('Ready')
    expect(gameServer.object_meta.labels?.['game-ops.dev/sdk-a']).toBe('b')
    expect((await fetch(`${url}/_/`)).status).toBe(404)
    expect((await fetch(`${url}/v1beta1/counters/rooms`)).status).toBe(500)
    stop('SIGTERM')
    expect((await finished).out).not.toMatch(/dashboard/i)
  })

  test('logs a refused page, with the fix', async () => {
    const { url, errorLine } = await startLocal()
    for (const origin of ['http://localhost:5173', 'null']) {
      expect((await fetch(`${url}/gameserver?x=1`, { headers: { origin } })).status).toBe(403)
    }
    await errorLine(
      /^403 GET \/gameserver: Pages of http:\/\/localhost:5173 are not served; .* --allow-origin http:\/\/localhost:5173 /,
    )
    await errorLine(
      /^403 GET \/gameserver: Pages without an origin .* open them from a server, such as npx gameserver-sidecar serve$/,
    )
  })
})

describe('a conformance run', () => {
  test('ends with 0 if every operation was used', async () => {
    const { url, stop, finished } = await startLocal('--conformance', 'ready,gameserver,ready')
    await call(url, '/ready')
    await call(url, '/gameserver', undefined, 'GET')
    stop('SIGTERM')
    const { code, out } = await finished
    expect(out).toContain('Conformance passed: ready, gameserver.')
    expect(code).toBe(0)
  })

  test.each([
    ['at the timeout', ['--timeout', '0.3']],
    ['when it is stopped', []],
  ])('ends with 1 %s, and names the missing and the unexpected operations', async (_when, args) => {
    const { url, stop, finished } = await startLocal('--conformance', 'ready,allocate', ...args)
    await call(url, '/shutdown')
    if (args.length === 0) stop('SIGTERM')
    const { code, out } = await finished
    expect(out).toContain('Conformance failed: never used: ready, allocate; used and not expected: shutdown.')
    expect(code).toBe(1)
  })
})
