import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { lastAllocations } from '../../src/dashboard/fleet/route.js'
import { timeline } from '../../src/dashboard/fleet/timeline.js'
import { rowsOf } from '../../src/dashboard/timeline/model.js'
import { entryView, fleetView, type EntryView, type FleetView } from '../../src/platform/fleet/view.js'
import { createTestFleet } from '../fleet/support/test-fleet.js'
import { startFleetPage, type FleetPage } from './support/fleet-page.js'

const noBeats = (): undefined => undefined

test('a view has the oldest GameServer first, counted lists, and the policy of the autoscaler in words', () => {
  const { model, names, advance, control } = createTestFleet({
    autoscaler: { type: 'Buffer', buffer: { bufferSize: 1, minReplicas: 2, maxReplicas: 4 } },
  })
  const [first, second] = names()
  advance(1)
  control(first!, { type: 'setList', name: 'players', capacity: '4', values: ['alice', 'bob'] })
  control(second!, { type: 'setCounter', name: 'rooms', count: '1', capacity: '8' })
  model.perform({ type: 'scale', replicas: 3 })
  const snapshot = model.snapshot()
  const view = fleetView({ ...snapshot, servers: [...snapshot.servers].reverse() }, 7, noBeats)
  const { createdAt } = snapshot.servers.at(-1)!
  expect(view.servers.at(-1)?.createdAt).toBe(createdAt)
  expect(view.servers.flatMap(({ lists, counters }) => [...lists, ...counters])).toEqual(
    expect.arrayContaining([
      ['players', 2, 4],
      ['rooms', 1, 8],
    ]),
  )
  expect(view.autoscaler?.policy).toBe('Buffer: bufferSize 1, minReplicas 2, maxReplicas 4')
})

test('the filter of the Fleet’s timeline knows kinds and GameServers, and a gap in the numbers is a row', () => {
  const entry = (seq: number, type: EntryView['type'], server: string): EntryView => ({
    ...entryView({ sequence: seq, at: 0, type, server, text: `${server} ${type}` }),
  })
  const entries = [entry(1, 'created', 'arena-a'), entry(2, 'state', 'arena-a'), entry(5, 'state', 'arena-b')]
  const rows = (filter: string): (string | number)[] =>
    rowsOf(entries, timeline.filter(filter), () => undefined).map(({ type, seq }) => `${type} ${seq}`)
  expect(rows('')).toEqual(['entry 1', 'entry 2', 'skipped 3', 'entry 5'])
  expect(rows('kind:state -server:b')).toEqual(['entry 2', 'skipped 3'])
  expect(rows('constructor:a')).toEqual(['skipped 3'])
})

test('the retries of a request that finds no GameServer share a row, until another request or event comes', () => {
  const { model } = createTestFleet()
  const ask = (mode: string): unknown => model.allocate({ spec: { selectors: [{ matchLabels: { mode } }] } })
  const rows = (kind: string): number[] =>
    rowsOf(model.entries().map(entryView), timeline.filter(kind), timeline.groupOf).map((row) =>
      row.type === 'skipped' ? 0 : row.entries.length,
    )
  for (let i = 0; i < 12; i++) ask('dm')
  ask('ctf')
  expect(rows('kind:allocation')).toEqual([12, 1])
  model.perform({ type: 'scale', replicas: 1 })
  ask('ctf')
  expect(rows('kind:allocation')).toEqual([12, 2])
  const entries = model.entries().map(entryView)
  expect(lastAllocations(entries), 'grouped again at a redraw without a new entry').toBe(lastAllocations(entries))
})

const post = (url: string, path: string, body: unknown, headers: object = {}): Promise<Response> =>
  fetch(`${url}/_/api${path}`, {
    method: 'POST',
    headers: { 'x-sidecar-control': '1', ...headers },
    body: JSON.stringify(body),
  })

test('the Fleet’s control interface refuses foreign pages and writes without its header', async () => {
  const { url } = await startFleetPage()
  const scale = { type: 'scale', replicas: 1 }
  expect((await post(url, '/commands', scale, { 'x-sidecar-control': '' })).status).toBe(403)
  expect((await post(url, '/commands', scale, { origin: 'http://evil.example' })).status).toBe(403)
  expect((await post(url, '/commands', scale)).status).toBe(200)
})

test.each([
  [{ type: 'scael' }, 400, /no type "scael"; did you mean "?scale/],
  [{ type: 'scale', replicas: -1 }, 400, /replicas must be an integer of at least 0; got -1/],
  [{ type: 'scale', replicas: 2, force: true }, 400, /no field "force"/],
  [{ type: 'kill', server: 'nobody' }, 404, /"nobody" not found/],
  [['scale'], 400, /object with a "type"/],
])('the command %j is answered by %i', async (command, status, message) => {
  const { url } = await startFleetPage()
  const answer = await post(url, '/commands', command)
  expect(answer.status).toBe(status)
  expect(((await answer.json()) as { message: string }).message).toMatch(message)
})

interface Frame {
  readonly type: string
  readonly state?: FleetView
  readonly entry?: EntryView
}

/** Follows the events; `until` resolves with the first frame that passes, and keeps the frames. */
function follow({ url }: FleetPage) {
  const frames: Frame[] = []
  const socket = new WebSocket(`${url.replace('http', 'ws')}/_/api/events?since=0`)
  onTestFinished(() => socket.terminate())
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Frame))
  return {
    frames,
    async until(passes: (frame: Frame) => boolean): Promise<void> {
      while (!frames.some(passes)) await once(socket, 'message')
    },
  }
}

test('events give the state first, each entry once and in order, and the state again after a change', async () => {
  const page = await startFleetPage()
  const { frames, until } = follow(page)
  await until(({ entry }) => entry?.seq === page.model.entries().at(-1)?.sequence)
  page.setState(page.names()[0]!, 'Allocated')
  await until(({ state }) => state?.servers.some((server) => server.state === 'Allocated') === true)
  expect(frames[0]?.type).toBe('state')
  const entries = frames.flatMap(({ entry }) => entry ?? [])
  expect(entries).toEqual(page.model.entries().map(entryView))
})

test('a missed beat, which makes no entry, reaches the readers of the events', async () => {
  let failures = 0
  const page = await startFleetPage({}, () => ({ disabled: false, failures, failureThreshold: 3 }))
  const { until } = follow(page)
  await until(({ state }) => state?.servers[0]?.beats?.failures === 0)
  failures = 2
  await until(({ state }) => state?.servers[0]?.beats?.failures === 2)
})
