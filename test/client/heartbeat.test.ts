import { expect, test, vi } from 'vitest'
import type { AutoHealthOptions, ClientOptions, HealthEvent, SidecarClient } from '../../src/index.js'
import type { LocalSidecar } from '../../src/node.js'
import { EmulatedPage } from '../support/emulated-page.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { calls, connectClient, connectPage, startSidecar, untilLogged } from '../support/with-sidecar.js'

const answered = (sidecar: LocalSidecar, name: string): number =>
  calls(sidecar).filter((called) => called === name).length
/** How many beats reached a sidecar. */
const beats = (sidecar: LocalSidecar): number => answered(sidecar, 'health')
/** Why beats failed, or weren't sent. */
const reasons = (events: HealthEvent[]): unknown[] => events.filter(({ ok }) => !ok).map(({ reason }) => reason)

type Given = ClientOptions & { page?: EmulatedPage; health?: object }
type Shown = Awaited<ReturnType<typeof show>>

/** An emulated page with a client that beats once a second, two seconds after it was made. */
async function show(autoHealth: AutoHealthOptions = {}, { page = new EmulatedPage(), health, ...options }: Given = {}) {
  const sidecar = await startSidecar(health ? { gameServer: { spec: { health } } } : {})
  const client = connectPage(sidecar, { ...page.options, autoHealth: { interval: 1000, ...autoHealth }, ...options })
  const events: HealthEvent[] = []
  client.on('health', (event) => void events.push(event))
  await client.connect()
  await page.pass(2000)
  return { page, sidecar, client, events }
}

test("a page beats by its worker's clock once that has begun", async () => {
  const page = new EmulatedPage()
  const sidecar = await startSidecar()
  const client = connectPage(sidecar, { ...page.options, autoHealth: { interval: 1000 } })
  expect(client.status.heartbeat).toBe('page')
  await untilLogged(sidecar, () => beats(sidecar) === 1)
  await page.pass(300)
  expect(client.status.heartbeat).toBe('worker')
  await page.pass(10_000)
  expect(Math.max(...page.gaps())).toBeLessThanOrEqual(1100)
  expect(beats(sidecar)).toBe(11)
  expect(client.status).toMatchObject({ healthy: true, lastBeat: expect.any(Number) })
})

test('beats go on in a hidden page whose timers stand still, and what is due in the page runs', async () => {
  const { page, client, events } = await show()
  page.hidden = true
  const gone = expect(client.once('connection', { timeout: 3000 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  const since = page.now
  await page.pass(20_000)
  await gone
  expect(page.gaps(since).length).toBeGreaterThanOrEqual(15)
  expect(Math.max(...page.gaps(since))).toBeLessThanOrEqual(1300)
  expect(reasons(events)).toEqual([])
})

test('beats stop after stallTimeout without alive(), and go on with the next', async () => {
  const { page, client, events } = await show()
  const frames = async (count: number, alive: boolean): Promise<void> => {
    for (let i = 0; i < count; i++) {
      if (alive) client.alive()
      await page.pass(100)
    }
  }
  await frames(40, true)
  expect(reasons(events)).toEqual([])
  const died = page.now
  await frames(70, false)
  expect(page.beats.at(-1)! - died).toBeLessThanOrEqual(3000)
  expect(new Set(reasons(events))).toEqual(new Set(['stalled']))
  expect(events.find(({ ok }) => !ok)!.age).toBeLessThanOrEqual(1600)
  expect(client.status.healthy).toBe(false)
  const back = page.now
  await frames(10, true)
  expect(page.beats.find((at) => at >= back)!).toBeLessThanOrEqual(back + 100)
  expect(client.status.healthy).toBe(true)
})

test('a page sends no beat with spec.health.disabled, which is told once', async () => {
  const { page, client, events } = await show({}, { health: { disabled: true } })
  await page.pass(3000)
  expect(page.beats, 'the one before the GameServer was known').toEqual([0])
  const [{ at }] = events as [HealthEvent]
  expect(events).toMatchObject([{ reason: undefined }, { reason: 'spec.health.disabled', age: 1000, limit: undefined }])
  expect(client.status).toMatchObject({ healthy: true, lastBeat: at })
})

test('a page has two beats in flight at most, and goes on through lost ones', async () => {
  const { page, sidecar, events } = await show()
  sidecar.control({ type: 'delayCalls', ms: 60_000, operations: ['health'] })
  const before = page.beats.length
  await page.pass(6000, { hanging: true })
  expect(page.mostInFlight).toBe(2)
  expect(page.beats.length).toBeGreaterThanOrEqual(before + 5)
  expect(reasons(events).length).toBeGreaterThanOrEqual(3)
})

test('close() ends the worker, and removes the listeners of the page', async () => {
  const { page, client } = await show()
  expect([page.workers, page.listeners > 0]).toEqual([1, true])
  const sent = page.beats.length
  client.close()
  expect([page.workers, page.listeners]).toEqual([0, 0])
  await page.pass(3000)
  expect(page.beats).toHaveLength(sent)
})

async function beaten({ page, sidecar, client }: Shown): Promise<void> {
  const before = beats(sidecar)
  await page.pass(5000)
  expect(client.status).toMatchObject({ heartbeat: 'page', healthy: true })
  expect(beats(sidecar)).toBe(before + 5)
}

const failing = class {
  constructor() {
    throw new Error('SecurityError')
  }
}
const silent = class {
  postMessage() {}
  terminate() {}
}

test.each<[string, (page: EmulatedPage) => void, AutoHealthOptions?]>([
  ['where a worker cannot be made', () => vi.stubGlobal('Worker', failing)],
  ['where a worker never says anything', () => vi.stubGlobal('Worker', silent)],
  ['where a policy forbids workers', (page) => (page.forbidden = true)],
  ['with worker: false', () => {}, { worker: false }],
])('the page beats by its own timers %s', async (_where, prepare, autoHealth) => {
  const page = new EmulatedPage()
  prepare(page)
  await beaten(await show(autoHealth, { page }))
  expect(page.workers).toBe(0)
})

test.each([
  [false, false, 0],
  [true, false, 1],
  [true, true, 0],
])(
  'with shutdownOnPageHide: %s a page left for the cache (%s) sends a last beat and %i shutdowns',
  async (shutdownOnPageHide, persisted, shutdowns) => {
    const { page, sidecar } = await show({}, { shutdownOnPageHide })
    const before = beats(sidecar)
    page.dispatch('pagehide', { persisted })
    await page.pass(10)
    expect([beats(sidecar), answered(sidecar, 'shutdown')]).toEqual([before + 1, shutdowns])
  },
)

test('the last beat is a beacon where there are any, unless the page has a fetch of its own', async () => {
  const { page, sidecar } = await show()
  const beacons: string[] = []
  vi.stubGlobal('navigator', { sendBeacon: (url: string, body: string) => beacons.push(`${url} ${body}`) > 0 })
  const own = connectPage(sidecar, {
    ...page.options,
    fetch: (url, init) => fetch(url, init as RequestInit),
    autoHealth: { worker: false },
  })
  await own.once('health')
  const before = beats(sidecar)
  page.dispatch('pagehide', { persisted: false })
  await untilLogged(sidecar, () => beats(sidecar) === before + 1)
  expect(beacons).toEqual([`${sidecar.url}/health {}`])
})

test('a page that closes sends no last beat if its game is dead or autoHealth is off', async () => {
  const { page, sidecar, client } = await show({ stallTimeout: 1000 })
  connectPage(sidecar, { ...page.options, autoHealth: false })
  client.alive()
  await page.pass(3000)
  const before = beats(sidecar)
  page.dispatch('pagehide', { persisted: false })
  await page.pass(10)
  expect(beats(sidecar)).toBe(before)
})

/** A client by a clock that stands still, beside a sidecar with these rules for beats. */
async function beating(options: ClientOptions, health?: object) {
  const sidecar = await startSidecar(health ? { gameServer: { spec: { health } } } : {})
  const clock = new VirtualClock()
  const client = connectClient(sidecar, { ...clock.options, ...options })
  const events: HealthEvent[] = []
  client.on('health', (event) => void events.push(event))
  return { client, sidecar, clock, events }
}

/** Resolves with the next health event that passes. */
function nextHealth(client: SidecarClient, passes: (event: HealthEvent) => boolean = () => true): Promise<HealthEvent> {
  return new Promise((resolve) => {
    const off = client.on('health', (event) => {
      if (!passes(event)) return
      off()
      resolve(event)
    })
  })
}

test('beats begin at once, and then come at half the period that the GameServer names', async () => {
  const { client, sidecar, clock } = await beating({ autoHealth: true }, { periodSeconds: 8, failureThreshold: 3 })
  await untilLogged(sidecar, () => beats(sidecar) === 1)
  await client.connect()
  clock.advance(4000)
  await untilLogged(sidecar, () => beats(sidecar) === 2)
  clock.advance(3999)
  await client.getGameServer()
  expect(beats(sidecar)).toBe(2)
  clock.advance(1)
  await untilLogged(sidecar, () => beats(sidecar) === 3)
})

test('tick() drives the beats of a host without timers, one after an hour too', async () => {
  const sidecar = await startSidecar()
  let time = 0
  const client = connectClient(sidecar, { autoHealth: { interval: 1000 }, scheduler: false, now: () => time })
  await untilLogged(sidecar, () => beats(sidecar) === 1)
  time = 999
  client.tick()
  time = 1000
  client.tick()
  await untilLogged(sidecar, () => beats(sidecar) === 2)
  time += 3_600_000
  client.tick()
  await untilLogged(sidecar, () => beats(sidecar) >= 3)
  await client.getGameServer()
  expect(beats(sidecar)).toBe(3)
})

const fault = new Error('stuck')
test.each<[string, () => boolean | Promise<boolean>, RegExp]>([
  ['says false', () => false, /check/],
  [
    'throws',
    () => {
      throw fault
    },
    /stuck/,
  ],
  ['rejects', () => Promise.reject(fault), /stuck/],
  ['hangs', () => new Promise(() => {}), /30 ms/],
])('no beat is sent while check() %s', async (_what, check, reason) => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar, { autoHealth: { interval: 20, stallTimeout: 30, check } })
  expect(await nextHealth(client)).toMatchObject({ ok: false, reason: expect.stringMatching(reason) })
  expect(await nextHealth(client)).toMatchObject({ ok: false })
  expect(beats(sidecar)).toBe(0)
})

test('health events tell the limit, and the risk before it is reached', async () => {
  let good = true
  const rules = { periodSeconds: 2, failureThreshold: 3 }
  const { client, clock, events } = await beating({ autoHealth: { check: () => good } }, rules)
  await client.connect()
  clock.advance(1000)
  await nextHealth(client)
  good = false
  for (let i = 0; i < 6; i++) {
    const said = nextHealth(client)
    clock.advance(1000)
    await said
  }
  const warning = events.find(({ atRisk }) => atRisk)!
  expect(warning.limit).toBe(6000)
  expect(warning.age).toBeLessThan(6000)
  expect(events.find(({ ok }) => !ok)?.atRisk).toBe(false)
})

test('health() emits a health event and sets status.lastBeat without autoHealth', async () => {
  const { client, sidecar, events } = await beating({})
  await client.health()
  expect(events).toMatchObject([{ ok: true, reason: undefined, age: 0 }])
  expect(client.status).toMatchObject({ healthy: true, lastBeat: events[0]!.at, heartbeat: undefined })
  sidecar.control({ type: 'failCalls', status: 400, message: 'no', operations: ['health'] })
  await expect(client.health()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(events[1]).toMatchObject({ ok: false, reason: expect.stringContaining('no') })
  expect(client.status).toMatchObject({ healthy: false, lastBeat: events[0]!.at })
})
