import { describe, expect, onTestFinished, test } from 'vitest'
import { startLocalSidecar } from '../../src/local/sidecar/local-sidecar.js'
import type { LocalSidecar, LocalSidecarOptions, LogEntry, SidecarSnapshot } from '../../src/node.js'
import { startSidecar } from '../support/with-sidecar.js'
import { ask } from '../support/wire.js'
import { converse, serve, echoSidecar, websocketHeaders } from './support.js'

const start = (options: LocalSidecarOptions = {}): Promise<LocalSidecar> => startSidecar({ mode: 'local', ...options })

const CONTROL = { 'x-sidecar-control': '1' }

const command = (local: LocalSidecar, body: unknown, headers: Record<string, string> = CONTROL): Promise<Response> =>
  fetch(`${local.url}/_/api/commands`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const read = async <T>(local: LocalSidecar, path: string): Promise<T> =>
  (await fetch(`${local.url}/_/api${path}`)).json() as Promise<T>

describe('reading', () => {
  test('GET /state answers the whole snapshot, GET /conformance what the run still misses', async () => {
    const local = await start({ conformance: ['ready'] })
    const state = await read<SidecarSnapshot>(local, '/state')
    expect(state).toEqual(JSON.parse(JSON.stringify({ ...local.sidecar.snapshot(), now: state.now })))
    expect(await read(local, '/conformance')).toMatchObject({ ok: false, missing: ['ready'] })
    expect(local.sidecar.log.entries()).toEqual([])
  })

  test('GET /log answers the whole log, or the entries after one', async () => {
    const local = await start()
    for (const path of ['/ready', '/allocate']) await fetch(local.url + path, { method: 'POST', body: '{}' })
    const { entries } = await read<{ entries: LogEntry[] }>(local, '/log')
    expect(entries).toMatchObject([{ event: { call: { operation: 'ready' } } }, { event: { type: 'call' } }])
    const later = await read<{ entries: LogEntry[] }>(local, `/log?since=${entries[0]!.seq}`)
    expect(later.entries).toEqual(entries.slice(1))
    expect((await fetch(`${local.url}/_/api/log?since=x`)).status).toBe(400)
  })

  test('a long log comes in answers of 8 MiB at most, each from where the last one ended', async () => {
    const local = await start()
    // Each character of the value takes six in JSON.
    const value = '\u0001'.repeat(1024 * 1024)
    for (let i = 0; i < 2; i += 1) local.control({ type: 'setAnnotation', key: 'note', value: value + String(i) })
    const seqs = local.sidecar.log.entries().map(({ seq }) => seq)
    expect(await read(local, '/log')).toMatchObject({ entries: [{ seq: seqs[0] }], more: true })
    expect(await read(local, `/log?since=${seqs[0]}`)).toMatchObject({ entries: [{ seq: seqs[1] }] })
  })
})

describe('commands', () => {
  test('that are wrong are refused in a sentence and change nothing', async () => {
    const local = await start()
    const before = local.sidecar.snapshot().gameServer
    for (const body of [
      ...['allocate', '[]', '{"type":1}', '{"type":"explode"}', '{"type":"setState","state":5}'],
      '{"type":"reload","gameServer":5}',
    ]) {
      const response = await command(local, body)
      const answer: unknown = await response.json()
      const message: unknown = expect.stringMatching(/^.{5,1000}$/)
      expect([response.status, answer], body).toEqual([400, { code: 3, message, details: [] }])
    }
    expect((await command(local, ' '.repeat(4 * 1024 * 1024 + 1))).status).toBe(413)
    expect(local.sidecar.snapshot().gameServer).toEqual(before)
  })

  test('reload takes the text of a file, and says what is wrong in which line', async () => {
    const local = await start()
    const reload = (gameServer: string): Promise<Response> => command(local, { type: 'reload', gameServer })
    expect((await reload('metadata:\n  labels: { mode: dm }\n')).status).toBe(200)
    expect(local.sidecar.snapshot().gameServer.object_meta.labels).toMatchObject({ mode: 'dm' })
    const { message } = (await (await reload('metadata:\n  labels: [\n')).json()) as { message: string }
    expect(message).toMatch(/^The text is neither YAML nor JSON: .*line 3/)
    expect(await (await reload('metadta: {}')).json()).toMatchObject({ message: expect.stringMatching(/metadata/) })
  })

  test('a restart cuts the watches, and its own request is answered', async () => {
    const local = await start()
    const watch = converse(`${local.url}/watch/gameserver`)
    await watch.frame(0)
    const response = await command(local, { type: 'restart' })
    expect(await response.json()).toEqual({ ok: true })
    expect(await watch.ended).toBe(1006)
  })
})

describe('access', () => {
  test('nothing is changed without the header, whatever the method', async () => {
    const local = await start()
    for (const headers of [{}, { 'x-sidecar-control': '0' }, { 'content-type': 'text/plain' }]) {
      expect((await command(local, { type: 'allocate' }, headers)).status).toBe(403)
    }
    expect(local.sidecar.snapshot().gameServer.status.state).toBe('Ready')
  })

  test('a page that may call the sidecar may not control it', async () => {
    const { port } = await serve(echoSidecar(), { allowOrigins: ['http://localhost:5173'] })
    const headers = ['Host: localhost', 'Origin: http://localhost:5173', 'X-Sidecar-Control: 1']
    expect((await ask(port, 'GET /_/api/state', headers)).status).toBe(403)
    expect((await ask(port, 'POST /_/api/commands', headers, '{"type":"allocate"}')).status).toBe(403)
    expect((await ask(port, 'GET /_/api/events', [...headers, ...websocketHeaders])).status).toBe(403)
  })

  test('an unknown path under /_/api never reaches the sidecar, and a wrong method is 405', async () => {
    const sidecar = echoSidecar()
    const { port } = await serve(sidecar)
    const headers = ['Host: localhost', 'X-Sidecar-Control: 1']
    for (const line of ['POST /_/api/state', 'POST /_/api/conformance', 'POST /_/api/log/1', 'GET /_/api/commands']) {
      expect((await ask(port, line, headers)).status, line).toBe(405)
    }
    for (const path of ['/_/api/%73tate/..', '/_/api', '/_/api/', '/_/api/nope', '/_/api/state/']) {
      expect((await ask(port, `GET ${path}`, ['Host: localhost'])).status, path).toBe(404)
    }
    expect(sidecar.asked).toEqual([])
  })

  test('with a token, the WebSocket needs it as well, and commands also need the header', async () => {
    const { port, controlToken } = await start({ address: '0.0.0.0' })
    const statusOf = async (line: string, ...headers: readonly string[]): Promise<number> =>
      (await ask(port, line, ['Host: localhost', ...headers])).status
    expect(await statusOf('GET /_/api/state', `Authorization: Basic ${controlToken}`)).toBe(401)
    expect(await statusOf('GET /_/api/events?token=wrong', ...websocketHeaders)).toBe(401)
    expect(await statusOf('POST /_/api/commands', `Authorization: Bearer ${controlToken}`)).toBe(403)
  })
})

describe('the live log', () => {
  test('begins with the state, sends it again a moment after entries, and its reader is no watcher', async () => {
    const local = await start()
    const { frame } = converse(`${local.url}/_/api/events`)
    expect(JSON.parse(await frame(0))).toMatchObject({ type: 'state', state: { watchers: [] } })
    local.control({ type: 'allocate' })
    expect(JSON.parse(await frame(1))).toMatchObject({ type: 'entry', entry: { seq: 1 } })
    const { type, state } = JSON.parse(await frame(2)) as { type: string; state: SidecarSnapshot }
    expect(type).toBe('state')
    expect(state).toMatchObject({ gameServer: { status: { state: 'Allocated' } }, lastSeq: 1, watchers: [] })
  })

  test('with since, also sends the stored entries, without a gap', async () => {
    const local = await start()
    for (let i = 0; i < 3; i += 1) local.control({ type: 'clearFaults' })
    const { frame } = converse(`${local.url}/_/api/events?since=1`)
    await frame(0)
    for (const seq of [2, 3]) expect(JSON.parse(await frame(seq - 1))).toMatchObject({ entry: { seq } })
  })

  test('goes on for a page that knows a longer log, of an earlier sidecar at this address', async () => {
    const local = await start()
    const { frame } = converse(`${local.url}/_/api/events?since=5000`)
    await frame(0)
    local.control({ type: 'clearFaults' })
    expect(JSON.parse(await frame(1))).toMatchObject({ type: 'entry', entry: { seq: 1 } })
  })

  test('sends a gap with the last sent seq if the log dropped entries before a reader got them', async () => {
    const local = await startLocalSidecar({ mode: 'local' }, { logEntries: 10 })
    onTestFinished(() => local.close())
    const { frame } = converse(`${local.url}/_/api/events`)
    await frame(0)
    for (let i = 0; i < 30; i += 1) local.control({ type: 'setLabel', key: 'a', value: String(i) })
    expect(JSON.parse(await frame(1))).toEqual({ type: 'gap', since: 0 })
    expect(JSON.parse(await frame(2))).toMatchObject({ type: 'state', state: { lastSeq: 30 } })
    local.control({ type: 'setLabel', key: 'a', value: 'b' })
    expect(JSON.parse(await frame(3))).toMatchObject({ type: 'entry', entry: { seq: 31 } })
  })

  test('keeps what a slow reader has not read in the log, and goes on from there once it reads again', async () => {
    const local = await start()
    const { socket, frame, frames } = converse(`${local.url}/_/api/events`)
    await frame(0)
    socket.pause()
    const value = 'x'.repeat(100_000)
    for (let i = 0; i < 100; i += 1) local.control({ type: 'setAnnotation', key: 'big', value: value + String(i) })
    // Time for the socket's buffers to fill; the other frames wait.
    await new Promise((resolve) => setTimeout(resolve, 30))
    socket.resume()
    const seqs = (): number[] => frames.flatMap((text) => (JSON.parse(text) as { entry?: LogEntry }).entry?.seq ?? [])
    await expect.poll(() => seqs().length).toBe(100)
    expect(seqs()).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
  })

  test.each([
    ['/state', 404],
    ['/events?since=x', 400],
  ])('is the only WebSocket there, and since has to be a number: %s gets %i', async (path, status) => {
    const local = await start()
    expect(await converse(`${local.url}/_/api${path}`).ended).toBe(status)
  })
})

const allocation = async (local: LocalSidecar, body: string, headers = CONTROL): Promise<[number, unknown]> => {
  const response = await fetch(`${local.url}/_/api/allocations`, { method: 'POST', body, headers })
  return [response.status, await response.json()]
}

test('a mistake in an allocation over HTTP is 400 in the shape of the control interface', async () => {
  const local = await start()
  const refused = (message: string): unknown => [400, { code: 3, message, details: [] }]
  expect(await allocation(local, '{"spec":{"selector":[]}}')).toEqual(
    refused('spec has no field "selector"; did you mean "selectors"?'),
  )
  expect(await allocation(local, '{')).toEqual(refused('An allocation is a GameServerAllocation as JSON'))
  expect(await allocation(local, '[]')).toEqual(refused('the manifest must be an object; got a list'))
  expect((await allocation(local, ' '.repeat(2 * 1024 * 1024)))[0]).toBe(413)
  expect((await fetch(`${local.url}/_/api/allocations`)).status).toBe(405)
  expect(local.sidecar.log.entries()).toEqual([])
})

test('allocate() answers the same, and throws a TypeError for a mistake', async () => {
  const local = await start({ mode: 'production' })
  expect(local.allocate({})).toMatchObject({
    status: { state: 'UnAllocated' },
    reason: 'state is Scheduled, must be Ready',
  })
  local.control({ type: 'setState', state: 'Ready' })
  expect(local.allocate({}).status.gameServerName).toBe('local')
  expect(() => local.allocate({ spec: { scheduling: 'Packt' as 'Packed' } })).toThrow(TypeError)
})

describe('GET /_/api/log/SEQ', () => {
  test('gives an entry with its request, its answer and the reason', async () => {
    const local = await startSidecar()
    const [method, body] = ['PATCH', '{"count":"11"}']
    await fetch(`${local.url}/v1beta1/counters/rooms`, { method, body, headers: { 'user-agent': 'Mozilla/5.0 x' } })
    expect(await read(local, '/log/1')).toMatchObject({
      entry: { seq: 1, client: 'page#1', ms: expect.any(Number), reply: { status: 500 } },
      request: { method: 'PATCH', target: '/v1beta1/counters/rooms', body: '{"count":"11"}' },
      response: { status: 500, headers: { 'content-type': 'application/json' } },
      why: 'updateCounter is refused: out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10.',
    })
  })

  test('answers 404 for a number without an entry, and for a text that is no number', async () => {
    const local = await startSidecar()
    for (const number of ['9', 'x', '']) {
      const response = await fetch(`${local.url}/_/api/log/${number}`)
      expect(await response.json()).toEqual({ code: 5, message: expect.stringContaining('no entry'), details: [] })
      expect(response.status).toBe(404)
    }
  })
})

test('the log names each program, and gives each nameless WebSocket its own name', async () => {
  const local = await startSidecar()
  for (const agent of ['node', 'curl/8', 'node', 'Mozilla/5.0 a', 'Mozilla/5.0 b']) {
    await fetch(`${local.url}/ready`, { method: 'POST', body: '{}', headers: { 'user-agent': agent } })
  }
  for (let i = 0; i < 2; i += 1) await converse(`${local.url}/watch/gameserver`).frame(0)
  const names = local.sidecar.log.entries().flatMap(({ client }) => client ?? [])
  expect(names).toEqual(['node#1', 'curl#1', 'node#1', 'page#1', 'page#2', 'ws#1', 'ws#2'])
  expect(local.sidecar.snapshot().watchers.map(({ client }) => client)).toEqual(['ws#1', 'ws#2'])
})
