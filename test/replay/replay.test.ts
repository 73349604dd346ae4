import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'
import { run } from '../tools/support.js'
import type { CommandRun } from '../tools/support.js'

async function fileOf(text: string): Promise<string> {
  const path = join(await temporaryFolder('replay'), 'match.ndjson')
  await writeFile(path, text)
  return path
}

const post = (url: string, path: string, body = '{}', method = 'POST'): Promise<Response> =>
  fetch(url + path, { method, body })

/** A replay as a client, at full speed. */
const asClient = (path: string, url: string): CommandRun =>
  run('replay', path, '--as', 'client', '--url', url, '--speed', '1000000')

/** The export of a session with ready(), an allocation and an error of a counter. */
async function exportOf(local: LocalSidecar): Promise<string> {
  local.control({ type: 'setClock', speed: 0 })
  await post(local.url, '/ready')
  local.control({ type: 'advanceClock', ms: 1_000 })
  await fetch(`${local.url}/gameserver`)
  await post(local.url, '/v1beta1/counters/rooms', '{"count":"99"}', 'PATCH')
  local.control({ type: 'allocate', labels: { mode: 'dm' } })
  return (await fetch(`${local.url}/_/api/export`)).text()
}

const gameServer = (state: string): object => ({
  object_meta: { name: 'pod-1', uid: 'u', resource_version: '7', labels: {}, annotations: null },
  status: { state, counters: null, lists: {} },
})
const watchLines = (...lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

describe('a replay as a sidecar', () => {
  test('sends watchers the recorded GameServers in order', async () => {
    const text = await exportOf(await startSidecar())
    const { line } = run('replay', await fileOf(text), '--http-port', '0', '--speed', '100')
    const [, url] = await line(/at (http:\S+)/)
    const response = await fetch(`${url}/watch/gameserver`)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const recorded = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; gameServer: unknown })
      .filter(({ type }) => type === 'gameserver')
      .map((line) => line.gameServer)
    let watched = ''
    while (watched.split('\n').length <= recorded.length) watched += (await reader.read()).value ?? ''
    expect(watched.trimEnd().split('\n')).toEqual(recorded.map((result) => JSON.stringify({ result })))
    await reader.cancel()
  })

  test('answers calls, which have no effect', async () => {
    const path = await fileOf(watchLines({ type: 'gameserver', at: 1, gameServer: gameServer('Allocated') }))
    const { line } = run('replay', path, '--http-port', '0')
    const [, url = ''] = await line(/at (http:\S+)/)
    expect((await post(url, '/shutdown')).status).toBe(200)
    expect((await post(url, '/health')).status).toBe(200)
    expect(await (await fetch(`${url}/gameserver`)).json()).toEqual(gameServer('Allocated'))
  })

  test('of a watch --json file breaks watches where they broke, starts with the first call, and ends on a signal', async () => {
    const path = await fileOf(
      watchLines(
        { type: 'connection', at: 0, state: 'connected' },
        { type: 'gameserver', at: 0, gameServer: gameServer('Ready') },
        { type: 'connection', at: 5, state: 'reconnecting' },
        { type: 'gameserver', at: 10, gameServer: gameServer('Allocated') },
      ),
    )
    const { line, finished } = run('replay', path, '--http-port', '0', '--exit')
    const [, url = ''] = await line(/at (http:\S+)/)
    await line(/begins with the first call/)
    // On a busy machine the watch breaks before the test has read its head.
    await expect(fetch(`${url}/watch/gameserver`).then((watch) => watch.text())).rejects.toThrow()
    const { code, out } = await finished
    expect(code).toBe(0)
    expect(out).toMatch(/begins with the first call[^]*watch #1 opened[^]*Ready → Allocated[^]*over after 3 events/)
  })
})

describe('a replay as a client', () => {
  test('repeats the calls, and exits with 0 if all answers are the same', async () => {
    const path = await fileOf(await exportOf(await startSidecar()))
    const other = await startSidecar()
    other.control({ type: 'setState', state: 'Ready' })
    const err = '3 calls repeated, all answered as before.'
    expect(await asClient(path, other.url).finished).toEqual({ code: 0, out: '', err })
    expect(other.sidecar.log.entries().filter(({ event }) => event.type === 'call')).toHaveLength(3)
  })

  test('prints each different answer with its line, and exits with 1', async () => {
    const path = await fileOf(await exportOf(await startSidecar()))
    const other = await startSidecar({ gameServer: { spec: { counters: { rooms: { count: 1, capacity: 100 } } } } })
    const { code, out } = await asClient(path, other.url).finished
    expect(code).toBe(1)
    expect(out).toMatch(/^line \d+ {2}GET \/gameserver: .*status\.state was "Ready", is "/m)
    expect(out).toMatch(/^line \d+ {2}PATCH \/v1beta1\/counters\/rooms: the status was 500, is 200$/m)
  })

  test('exits with 69 without a sidecar', async () => {
    const path = await fileOf(await exportOf(await startSidecar()))
    const gone = await startSidecar()
    await gone.close()
    const { code, err } = await asClient(path, gone.url).finished
    expect(code).toBe(69)
    expect(err).toContain(`got no answer from ${gone.url}`)
  })

  test('of a recording without calls exits with 1', async () => {
    const path = await fileOf(watchLines({ type: 'gameserver', at: 1, gameServer: gameServer('Ready') }))
    expect((await asClient(path, 'http://127.0.0.1:1').finished).code).toBe(1)
  })
})

describe('a broken recording', () => {
  const shownAtOnce = (path: string): CommandRun => run('replay', path, '--http-port', '0', '--now', '--exit')
  const good = watchLines({ type: 'gameserver', at: 1, gameServer: gameServer('Ready') })
  const entry = (event: string): string => `{"type":"entry","entry":{"seq":1,"at":1,"event":${event}}}\n`
  test.for([
    ['', ' is empty: expected the lines of a recording.'],
    [`${good}hello\n${good}`, ':2: the line must be a JSON object; got "hello".'],
    [`${good}{"type":"gameserve"}\n`, ':2: the line has no type "gameserve"; did you mean "gameserver"?'],
    [
      '{"type":"__proto__"}',
      ':1: the line has no type "__proto__"; there are recording, gameserver, entry, exchange, connection.',
    ],
    [entry('{"type":"control"}'), ':1: entry.event needs the field "command".'],
    [
      '{"type":"exchange","seq":1,"request":{"method":"GET","target":"/","body":"","headers":{"content-type":"a\\nb"}}}',
      ':1: request.headers.content-type must be a header without line ends and control characters; got "a\\nb".',
    ],
    [
      good.replace('"counters":null', '"counters":{"rooms":{"count":"x"}}'),
      ':1: gameServer.status.counters.rooms.count must be an integer; got "x".',
    ],
    [
      '{"type":"recording","version":2}',
      ':1: version must be 1 or older; got 2; it is of a newer gameserver-sidecar, so update this one.',
    ],
    [
      '{"type":"connection","at":1,"state":"connected"}\n',
      'The recording holds no GameServer to show; add --as client to repeat its calls.',
    ],
  ] as const)('%# is refused with its file, line and the expected content', async ([text, message]) => {
    const path = await fileOf(text)
    const { code, err } = await shownAtOnce(path).finished
    expect([code, err]).toEqual([1, message.startsWith('The') ? message : path + message])
  })

  test('with torn lines, at its end and before an appended session, is played without these lines', async () => {
    const header = watchLines({ type: 'recording', version: 1 })
    const path = await fileOf(`${header}${good}{"type":"ga\n${header}${good}{"type":`)
    const { code, out } = await shownAtOnce(path).finished
    expect(code).toBe(0)
    expect(out).toMatch(/over after 2 events.*$/)
  })

  test('with an endless line is refused before it fills the memory', async () => {
    const path = await fileOf(good)
    await truncate(path, 2 ** 40)
    const { code, err } = await shownAtOnce(path).finished
    expect([code, err]).toEqual([1, `${path}:2: the line must have at most 128 MiB.`])
  })
})
