import { describe, expect, it, vi } from 'vitest'
import type { HealthEvent } from '../../src/index.js'
import { EmulatedPage } from '../support/emulated-page.js'
import { compute, countBeats, emulateWorkers } from '../support/threads.js'
import { connectClient, startSidecar, untilLogged } from '../support/with-sidecar.js'
import { beats, reasons, show, type Shown } from './shown-page.js'

describe('the heartbeat in an emulated page', () => {
  it('is sent by the page first, and by a worker as soon as that has started', async () => {
    const page = new EmulatedPage()
    const sidecar = await startSidecar()
    const client = connectClient(sidecar, { ...page.options, autoHealth: { interval: 1000 } })
    expect(client.status.heartbeat).toBe('page')
    await untilLogged(sidecar, () => beats(sidecar) === 1)
    expect(page.beats).toEqual([])
    await page.pass(100)
    expect(client.status.heartbeat).toBe('worker')
    await page.pass(10_000)
    expect(page.beats.length).toBe(10)
    expect(Math.max(...page.gaps())).toBeLessThanOrEqual(1100)
    expect(beats(sidecar)).toBe(11)
    expect(client.status).toMatchObject({ healthy: true, lastBeat: expect.any(Number) })
  })

  it('goes on in a hidden page whose timers stand still, and what is due in the page runs', async () => {
    const { page, client, events } = await show()
    page.hidden = true
    const gone = expect(client.once('connection', { timeout: 3000 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const since = page.now
    await page.pass(20_000)
    await gone
    expect(page.gaps(since).length).toBeGreaterThan(17)
    expect(Math.max(...page.gaps(since))).toBeLessThanOrEqual(1100)
    expect(reasons(events)).toEqual([])
  })

  it('goes on while the page computes for less than stallTimeout, and is told with the time at which it was', async () => {
    const { page, events } = await show()
    const since = page.now
    const told = events.length
    for (let i = 0; i < 5; i++) {
      await page.compute(2000)
      await page.pass(300)
    }
    expect(Math.max(...page.gaps(since))).toBeLessThanOrEqual(1200)
    const times = events.slice(told).map(({ ok, at, age }) => (ok && age === 0 ? at : NaN))
    expect(times.slice(1).every((at, index) => at - times[index]! >= 900)).toBe(true)
  })

  it('stops when the page computes for longer than stallTimeout, and goes on with its next sign', async () => {
    const { page, events } = await show()
    const since = page.now
    await page.compute(10_000)
    const back = page.now
    const before = page.beats.filter(({ at }) => at > since && at < back - 100)
    expect(before.length).toBeGreaterThanOrEqual(2)
    expect(before.at(-1)!.at - since).toBeLessThanOrEqual(3000)
    await page.pass(100)
    expect(page.beats.filter(({ at }) => at > before.at(-1)!.at)).toHaveLength(1)
    await page.pass(3000)
    expect(Math.max(...page.gaps(back - 100))).toBeLessThanOrEqual(1100)
    const [stalled, ...others] = events.filter(({ ok }) => !ok)
    expect(others).toEqual([])
    expect(stalled).toMatchObject({ reason: 'stalled' })
    expect(stalled!.at - events[0]!.at).toBeLessThan(since + 4000)
  })

  it('stops at once where a page goes on without the game, which gives its own signs', async () => {
    const { page, client, events } = await show()
    const frame = (alive: boolean): Promise<void> => {
      if (alive) client.alive()
      return page.pass(100)
    }
    for (let i = 0; i < 40; i++) await frame(true)
    expect(reasons(events)).toEqual([])
    const died = page.now
    for (let i = 0; i < 70; i++) await frame(false)
    expect(page.beats.at(-1)!.at - died).toBeLessThanOrEqual(3000)
    expect(new Set(reasons(events))).toEqual(new Set(['stalled']))
    expect(events.find(({ ok }) => !ok)!.age).toBeLessThanOrEqual(1600)
    expect(client.status.healthy).toBe(false)
    const back = page.now
    for (let i = 0; i < 10; i++) await frame(true)
    expect(page.beats.at(-1)!.at).toBeGreaterThanOrEqual(back)
    expect(client.status.healthy).toBe(true)
  })

  it.each([
    ['for an hour', 3_600_000],
    ['for longer than stallTimeout', 4000],
  ])('comes once, and at once, when page and worker stood still %s', async (_name, ms) => {
    const { page, events } = await show()
    await page.compute(2000) // the page's silence is long already
    const before = page.beats.length
    await page.freeze(ms)
    await page.pass(300)
    expect(page.beats.length).toBe(before + 1)
    await page.pass(700)
    expect(page.beats.length).toBe(before + 2)
    expect(reasons(events)).toEqual([])
  })

  it('takes the rhythm that the sidecar names as soon as it is known', async () => {
    const { page } = await show({ interval: undefined! }, { health: { periodSeconds: 12 } })
    const since = page.now
    await page.pass(30_000)
    expect(new Set(page.gaps(since).map((gap) => Math.round(gap / 1000)))).toEqual(new Set([6]))
  })

  it('comes once where its interval has no end, without a busy worker', async () => {
    const { page, sidecar } = await show({ interval: Infinity })
    await page.pass(5000)
    expect(beats(sidecar)).toBe(1)
    expect(page.beats).toEqual([])
  })

  it('is not sent where spec.health.disabled, which is said once', async () => {
    const { page, events } = await show({}, { health: { disabled: true } })
    const sent = page.beats.length
    await page.pass(5000)
    expect(page.beats.length).toBe(sent)
    expect(events.filter(({ reason }) => reason === 'spec.health.disabled')).toHaveLength(1)
  })

  it.each([
    ['no', () => false, /said no/],
    [
      'with an exception',
      () => {
        throw new Error('stuck')
      },
      /stuck/,
    ],
    ['with a rejection', () => Promise.reject(new Error('stuck')), /stuck/],
    ['never', () => new Promise<boolean>(() => {}), /over 3000 ms/],
  ])('is held back while check() answers %s, and goes on at once afterwards', async (_name, bad, reason) => {
    let check: () => boolean | Promise<boolean> = () => true
    const { page, events } = await show({ check: () => check() })
    const told = events.length
    check = bad
    await page.pass(3600)
    const sent = page.beats.length
    await page.pass(4000)
    expect(page.beats.length).toBe(sent)
    expect(reasons(events).length).toBeGreaterThanOrEqual(4)
    expect(reasons(events.slice(told))).toEqual(reasons(events).map(() => expect.stringMatching(reason)))
    check = () => true
    await page.pass(3600)
    expect(page.beats.length).toBeGreaterThan(sent)
    expect(events.at(-1)!.ok).toBe(true)
  })

  it('has two in flight at most, and goes on through lost ones', async () => {
    const { page, sidecar, events } = await show()
    sidecar.control({ type: 'delayCalls', ms: 60_000, operations: ['health'] })
    const before = page.beats.length
    await page.pass(6000, { hanging: true })
    expect(page.mostInFlight).toBe(2)
    expect(page.beats.length).toBeGreaterThanOrEqual(before + 5)
    expect(reasons(events).length).toBeGreaterThanOrEqual(3)
  })

  it('comes at once when a sidecar is back, with one search for it', async () => {
    const { page, sidecar, events, client } = await show({ interval: 20_000 })
    await sidecar.close()
    await page.pass(20_000, { hanging: true })
    expect(reasons(events)).toHaveLength(1)
    expect(client.status.connection).toBe('reconnecting')
    await startSidecar({ port: sidecar.port })
    const since = page.now
    await page.pass(8000)
    expect(page.beats.filter(({ at }) => at > since)).toHaveLength(1)
    expect(client.status).toMatchObject({ healthy: true, connection: 'connected' })
  })

  it('asks no leave of another origin in direct mode', async () => {
    const { page, sidecar, events } = await show({}, { crossOrigin: 'direct' })
    expect(page.beats.at(-1)!.init).toMatchObject({
      mode: 'no-cors',
      headers: { 'Content-Type': 'text/plain' },
      body: '{}',
    })
    expect(reasons(events)).toEqual([])
    expect(beats(sidecar)).toBe(page.beats.length + 1)
  })

  it('ends with close(), its worker too, and takes its listeners along', async () => {
    const { page, client } = await show()
    expect([page.workers, page.listeners > 0]).toEqual([1, true])
    const sent = page.beats.length
    client.close()
    expect([page.workers, page.listeners]).toEqual([0, 0])
    await page.pass(3000)
    expect(page.beats.length).toBe(sent)
  })
})

describe('where no worker can beat, the emulated page does by its own timers', () => {
  const beaten = async ({ page, sidecar, client }: Shown): Promise<void> => {
    const before = beats(sidecar)
    await page.pass(5000)
    expect(client.status).toMatchObject({ heartbeat: 'page', healthy: true })
    expect(page.beats).toEqual([])
    expect(beats(sidecar)).toBe(before + 5)
  }

  it('because its making fails', async () => {
    const page = new EmulatedPage()
    vi.stubGlobal(
      'Worker',
      class {
        constructor() {
          throw new Error('SecurityError')
        }
      },
    )
    await beaten(await show({}, { page }))
  })

  it('because it fails later, as a policy has it', async () => {
    const page = new EmulatedPage()
    page.forbidden = true
    await beaten(await show({}, { page }))
    expect(page.workers).toBe(0)
  })

  it('because it never says anything', async () => {
    const page = new EmulatedPage()
    vi.stubGlobal(
      'Worker',
      class {
        postMessage() {}
        terminate() {}
      },
    )
    await beaten(await show({}, { page }))
  })

  it('because a worker is not wanted', async () => {
    const shown = await show({ worker: false })
    await beaten(shown)
    expect(shown.page.workers).toBe(0)
  })

  it('because a fetch of its own is given; a worker keeps time for it, also while the page is hidden', async () => {
    const page = new EmulatedPage()
    const sent: string[] = []
    const shown = await show(
      {},
      {
        page,
        fetch: (url, init) => {
          sent.push(url)
          return fetch(url, init as RequestInit)
        },
      },
    )
    page.hidden = true
    await beaten(shown)
    expect(sent.filter((url) => url.endsWith('/health')).length).toBe(beats(shown.sidecar))
  })

  it('because the worker ended unnoticed', async () => {
    const shown = await show()
    const { page, client, sidecar } = shown
    expect(client.status.heartbeat).toBe('worker')
    page.killWorkers()
    page.beats.length = 0
    const before = beats(sidecar)
    await page.pass(5000)
    expect(beats(sidecar)).toBeGreaterThan(before)
    await beaten(shown)
  })
})

describe('in threads of Node, which stand in for a page and its worker', () => {
  it('beats come while the page computes, until it has been silent for stallTimeout, and again when it is done', async () => {
    emulateWorkers()
    const counter = await countBeats()
    const client = connectClient(counter, {
      autoHealth: { interval: 250, stallTimeout: 1000, worker: true },
      retry: false,
    })
    const events: HealthEvent[] = []
    const until = (passes: (event: HealthEvent) => boolean): Promise<void> =>
      new Promise((resolve) => void client.on('health', (event) => passes(event) && resolve()))
    client.on('health', (event) => void events.push(event))
    await until(() => client.status.heartbeat === 'worker')
    const began = Date.now()
    compute(3500)
    const ended = Date.now()
    await until(({ ok, at }) => !!ok && at > ended)
    // A busy machine may hold up the page once more.
    expect(new Set(reasons(events))).toEqual(new Set(['stalled']))
    const times = await counter.beats()
    const within = (from: number, to: number): number => times.filter((at) => at > from && at <= to).length
    expect(within(began, began + 1000)).toBeGreaterThanOrEqual(1)
    expect(within(began + 2500, ended)).toBe(0)
    expect(within(ended, Infinity)).toBeGreaterThanOrEqual(1)
  })
})
