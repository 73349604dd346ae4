import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { LocalClock } from '../../src/local/sidecar/local-clock.js'
import { startSidecar } from '../support/with-sidecar.js'

const health = { periodSeconds: 1, failureThreshold: 20, initialDelaySeconds: 1 }

const start = (): Promise<LocalSidecar> => startSidecar({ gameServer: { spec: { health } } })
const post = (local: LocalSidecar, path: string): Promise<Response> =>
  fetch(`${local.url}${path}`, { method: 'POST', body: '{}' })

describe('a clock', () => {
  test('that is put forward fires due timers in order, each at its own time, also those that a timer sets', () => {
    const clock = new LocalClock()
    clock.setSpeed(0)
    const begun = clock.now()
    const seen: [string, number][] = []
    const note = (name: string) => (): void => void seen.push([name, clock.now() - begun])
    clock.setTimer(300, note('c'))
    clock.setTimer(100, () => {
      note('a')()
      clock.setTimer(50, note('b'))
    })
    clock.setTimer(200, note('never'))()
    clock.setTimer(5_000, note('later'))
    clock.advance(1_000)
    expect(seen).toEqual([
      ['a', 100],
      ['b', 150],
      ['c', 300],
    ])
    expect(clock.now() - begun).toBe(1_000)
  })

  test('goes on when the clock of the machine is set back', async () => {
    const clock = new LocalClock()
    const begun = clock.now()
    const fired = new Promise<number>((resolve) => clock.setTimer(50, () => resolve(clock.now() - begun)))
    vi.spyOn(Date, 'now').mockReturnValue(begun - 3_600_000)
    onTestFinished(() => void vi.restoreAllMocks())
    expect(await fired).toBeGreaterThanOrEqual(50)
  })

  test('that stands still fires nothing until it runs again', async () => {
    const clock = new LocalClock()
    clock.setSpeed(0)
    const at = clock.now()
    let fired = false
    const done = new Promise<void>((resolve) =>
      clock.setTimer(60_000, () => {
        fired = true
        resolve()
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([fired, clock.now()]).toEqual([false, at])
    clock.setSpeed(1_000)
    await done
    expect(clock.now() - at).toBeGreaterThanOrEqual(60_000)
    clock.setSpeed(0)
  })

  test('that runs fast skips no due timer, however busy the machine is', async () => {
    const clock = new LocalClock()
    clock.setSpeed(1_000)
    const times: number[] = []
    const begun = clock.now()
    await new Promise<void>((resolve) => {
      const next = (): void => {
        times.push(clock.now() - begun)
        // Three periods go by while nothing else can run.
        const until = Date.now() + 3
        while (Date.now() < until);
        if (times.length < 10) clock.setTimer(1_000, next)
        else resolve()
      }
      clock.setTimer(1_000, next)
    })
    clock.setSpeed(0)
    const gaps = times.slice(1).map((time, i) => time - times[i]!)
    expect(gaps).toEqual(gaps.map(() => 1_000))
  })
})

describe('the clock of a local sidecar', () => {
  test.for([
    ['that beats', ['/health'], false, 0],
    ['whose beats are ignored', ['/health'], true, 29],
    ['that never beat', ['/ready'], false, 29],
  ] as const)('that skips 30 s counts no silence but that of a game %s', async ([, calls, isIgnored, failures]) => {
    const local = await start()
    for (const path of calls) await post(local, path)
    local.control({ type: 'setClock', speed: 0 })
    if (isIgnored) local.control({ type: 'ignoreBeats', on: true })
    for (let i = 0; i < 3; i++) local.control({ type: 'advanceClock', ms: 10_000 })
    const { health, gameServer } = local.sidecar.snapshot()
    expect(health.failures).toBeGreaterThanOrEqual(failures)
    expect(health.failures > 0).toBe(failures > 0)
    // A change of state is written half a second later.
    expect(gameServer.status.state === 'Unhealthy').toBe(failures > 0)
    const misses = local.sidecar.log.entries().flatMap(({ warnings }) => warnings.map(({ times }) => times))
    expect(misses).toEqual(misses.map((_, i) => i + 1))
  })
})
