import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/main.js'
import { createLocalSidecar } from '../../src/node/index.js'
import type { LocalSidecar, LocalSidecarOptions } from '../../src/node/index.js'

interface Run {
  readonly code: Promise<number>
  readonly printed: string[]
  readonly warned: string[]
  /** Resolves with the match in what was printed. */
  printedOf(pattern: RegExp): Promise<RegExpExecArray>
  stop(): void
}

/** Runs the command line in this process. */
function run(...args: string[]): Run {
  const printed: string[] = []
  const warned: string[] = []
  const same = (text: string): string => text
  let stop = (): void => undefined
  const stopped = new Promise<string>((resolve) => (stop = () => resolve('SIGTERM')))
  const code = runCli(args, {
    colors: { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same },
    print: (line) => void printed.push(line),
    warn: (line) => void warned.push(line),
    version: () => '0',
    untilStopped: () => stopped,
  })
  const printedOf = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = printed.map((line) => pattern.exec(line)).find((found) => found !== null)
      if (match) return match
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  onTestFinished(async () => {
    stop()
    await code
  })
  return { code, printed, warned, printedOf, stop: () => stop() }
}

async function start(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const local = await createLocalSidecar(options)
  onTestFinished(() => local.close())
  return local
}

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'replay-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'match.ndjson')
  await writeFile(path, text)
  return path
}

const post = (url: string, path: string, body = '{}', method = 'POST'): Promise<Response> =>
  fetch(url + path, { method, body })

/** A session with a Ready, an allocation and a counter's error, as its export. */
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
  test('shows whoever watches the very GameServers of the recording, in order', async () => {
    const text = await exportOf(await start())
    const { printedOf } = run('replay', await fileOf(text), '--http-port', '0', '--speed', '100')
    const [, url] = await printedOf(/at (http:\S+)/)
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

  test('answers calls, and they change nothing', async () => {
    const path = await fileOf(watchLines({ type: 'gameserver', at: 1, gameServer: gameServer('Allocated') }))
    const { printedOf } = run('replay', path, '--http-port', '0')
    const [, url = ''] = await printedOf(/at (http:\S+)/)
    expect((await post(url, '/shutdown')).status).toBe(200)
    expect((await post(url, '/health')).status).toBe(200)
    expect(await (await fetch(`${url}/gameserver`)).json()).toEqual(gameServer('Allocated'))
  })

  test('of watch --json breaks watches where they broke, begins with the first call, and ends when it is told to', async () => {
    const path = await fileOf(
      watchLines(
        { type: 'connection', at: 0, state: 'connected' },
        { type: 'gameserver', at: 0, gameServer: gameServer('Ready') },
        { type: 'connection', at: 5, state: 'reconnecting' },
        { type: 'gameserver', at: 10, gameServer: gameServer('Allocated') },
      ),
    )
    const { printedOf, code, printed } = run('replay', path, '--http-port', '0', '--exit')
    const [, url = ''] = await printedOf(/at (http:\S+)/)
    await printedOf(/begins with the first call/)
    expect(printed.join('\n')).not.toContain('Allocated')
    // On a busy machine it is broken before its head was read.
    await expect(fetch(`${url}/watch/gameserver`).then((watch) => watch.text())).rejects.toThrow()
    expect(await code).toBe(0)
    expect(printed.join('\n')).toMatch(/Ready → Allocated[^]*over after 3 events/)
  })
})

describe('a replay as a client', () => {
  test('makes the calls again; a sidecar that answers the same is told so', async () => {
    const path = await fileOf(await exportOf(await start()))
    const other = await start()
    other.control({ type: 'setState', state: 'Ready' })
    const { code, warned, printed } = run('replay', path, '--as', 'client', '--url', other.url, '--speed', '1000000')
    expect([await code, printed]).toEqual([0, []])
    expect(warned).toEqual(['3 calls made again, all answered as before.'])
    expect(other.sidecar.log.entries().filter(({ event }) => event.type === 'call')).toHaveLength(3)
  })

  test('names each answer that is another, with its line, and exits with 1', async () => {
    const path = await fileOf(await exportOf(await start()))
    const other = await start({ gameServer: { spec: { counters: { rooms: { count: 1, capacity: 100 } } } } })
    const { code, printed } = run('replay', path, '--as', 'client', '--url', other.url, '--speed', '1000000')
    expect(await code).toBe(1)
    expect(printed.join('\n')).toMatch(/^line \d+ {2}GET \/gameserver: .*status\.state was "Ready", is "/m)
    expect(printed.join('\n')).toMatch(/^line \d+ {2}PATCH \/v1beta1\/counters\/rooms: the status was 500, is 200$/m)
  })

  test('without a sidecar there exits with 69', async () => {
    const path = await fileOf(await exportOf(await start()))
    const gone = await start()
    await gone.close()
    const { code, warned } = run('replay', path, '--as', 'client', '--url', gone.url, '--speed', '1000000')
    expect(await code).toBe(69)
    expect(warned).toEqual([expect.stringContaining(`got no answer from ${gone.url}`)])
  })

  test.for([
    ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{', 69, /GET \/x got no answer from http:/],
    ['HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 1, /answered otherwise/],
  ] as const)('ends with a sentence when a call is answered by %j', async ([answer, exit, sentence]) => {
    const server = createServer((socket) => void socket.once('data', () => socket.end(answer)).on('error', () => {}))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const event = { type: 'refused', method: 'GET', path: '/x', status: 404, message: '' }
    const request = { method: 'GET', target: '/x', headers: {}, body: '' }
    const lines = [
      { type: 'entry', entry: { seq: 1, at: 1, event } },
      { type: 'exchange', seq: 1, request },
    ]
    const path = await fileOf(watchLines(...lines))
    const { code, warned } = run('replay', path, '--as', 'client', '--url', url)
    expect(await code).toBe(exit)
    expect(warned).toEqual([expect.stringMatching(sentence)])
  })

  test('of a recording without calls exits with 1', async () => {
    const path = await fileOf(watchLines({ type: 'gameserver', at: 1, gameServer: gameServer('Ready') }))
    expect(await run('replay', path, '--as', 'client', '--url', 'http://127.0.0.1:1').code).toBe(1)
  })
})

describe('a broken recording', () => {
  const good = watchLines({ type: 'gameserver', at: 1, gameServer: gameServer('Ready') })
  const entry = (event: string): string => `{"type":"entry","entry":{"seq":1,"at":1,"event":${event}}}\n`
  test.for([
    ['', ' is empty: expected the lines of a recording.'],
    ['hello', ':1: the line must be a JSON object; got "hello".'],
    [`${good}hello\n${good}`, ':2: the line must be a JSON object; got "hello".'],
    [`${good}{"type":"gameserve"}\n`, ':2: the line has no type "gameserve"; did you mean "gameserver"?'],
    [`${good}[]\n`, ':2: the line must be an object with a "type"; got a list.'],
    [
      '{"type":"gameserver","at":1,"gameServer":{"object_meta":{}}}',
      ':1: gameServer.object_meta needs the field "name".',
    ],
    ['{"type":"entry","entry":{"seq":"1"}}', ':1: entry.seq must be a number; got "1".'],
    ['{"type":"entry","entry":{"seq":1,"at":1e999}}', ':1: entry.at must be a number; got Infinity.'],
    [
      '{"type":"__proto__"}',
      ':1: the line has no type "__proto__"; there are recording, gameserver, entry, exchange, connection, gap.',
    ],
    [entry('{"type":"control"}'), ':1: entry.event needs the field "command".'],
    [entry('{"type":"call"}'), ':1: entry.event needs the field "call".'],
    [
      '{"type":"exchange","seq":1,"request":{"method":"GET /","target":"/","body":""}}',
      ':1: request.method must be the method of a request; got "GET /".',
    ],
    [
      '{"type":"exchange","seq":1,"request":{"method":"GET","target":"/","body":"","headers":{"content-type":"a\\nb"}}}',
      ':1: request.headers.content-type must be a header without line ends and control characters; got "a\\nb".',
    ],
    [
      good.replace('"counters":null', '"counters":{"rooms":{"count":"x"}}'),
      ':1: gameServer.status.counters.rooms.count must be an integer; got "x".',
    ],
    [
      good.replace('"lists":{}', '"lists":{"players":{"capacity":null}}'),
      ':1: gameServer.status.lists.players.capacity must be an integer; got null.',
    ],
    [
      '{"type":"recording","version":2}',
      ':1: version must be 1 or older; got 2; it is of a newer gameserver-sidecar, so update this one.',
    ],
    [
      '{"type":"gap","at":1}\n',
      'The recording holds no GameServer, so there is nothing to show; --as client makes its calls again.',
    ],
  ] as const)('text %# is refused with file, line and what was expected', async ([text, message]) => {
    const path = await fileOf(text)
    const { code, warned } = run('replay', path, '--http-port', '0', '--now', '--exit')
    expect(await code).toBe(1)
    expect(warned).toEqual([message.startsWith('The') ? message : path + message])
  })

  test('the part of a line at the end, and before what was added later, is skipped', async () => {
    const header = watchLines({ type: 'recording', version: 1 })
    const path = await fileOf(`${header}${good}{"type":"ga\n${header}${good}{"type":`)
    const { code, printed } = run('replay', path, '--http-port', '0', '--now', '--exit')
    expect(await code).toBe(0)
    expect(printed.at(-1)).toContain('over after 2 events')
  })

  test('a line that never ends is refused before it fills the memory', async () => {
    const path = await fileOf(good)
    await truncate(path, 2 ** 40)
    const { code, warned } = run('replay', path, '--http-port', '0', '--now', '--exit')
    expect(await code).toBe(1)
    expect(warned).toEqual([`${path}:2: the line must have at most 128 MiB.`])
  })

  test('a file that is not there exits with 66', async () => {
    const { code, warned } = run('replay', '/nowhere/match.ndjson')
    expect(await code).toBe(66)
    expect(warned).toEqual(["The recording /nowhere/match.ndjson can't be read: there is no such file."])
  })

  test('a pipe is refused before it is opened, which would wait for its other end', async () => {
    const path = `${await fileOf('')}.pipe`
    execFileSync('mkfifo', [path])
    for (const as of ['sidecar', 'client']) {
      const { code, warned } = run('replay', path, '--as', as)
      expect([await code, warned]).toEqual([66, [`The recording ${path} can't be read: it is a pipe, not a file.`]])
    }
  })

  test.for([
    [['--url', 'http://127.0.0.1:1'], '--url says which sidecar is called; add --as client.'],
    [['--as', 'client', '--step'], '--step is for a replay as a sidecar, not as a client.'],
    [['--speed', '0'], "Option '--speed <times>' argument '0' is invalid: it must be a number from 0.001 to 1000000."],
  ] as const)('%j is a usage mistake', async ([flags, message]) => {
    const { code, warned } = run('replay', 'x', ...flags)
    expect([await code, warned]).toEqual([64, [message]])
  })
})
