import { describe, expect, test } from 'vitest'
import { createPacing } from '../../src/client/connection/pacing.js'
import { Scope } from '../../src/client/runtime/scope.js'
import { createTimers } from '../../src/client/runtime/timers.js'
import { VirtualClock } from '../support/virtual-clock.js'

const policy = { initialDelay: 250, factor: 2, maxDelay: 5000, timeout: 60_000 }
const onClock = (clock: VirtualClock, random = () => 1, retry = policy) =>
  createPacing(createTimers({ now: clock.now, scheduler: clock }), retry, random)

describe('delays between attempts', () => {
  const delays = (random: () => number, retry = policy) => onClock(new VirtualClock(), random, retry).backoff

  test('grow by the factor, up to the longest', () => {
    const delay = delays(() => 1)
    expect([0, 1, 2, 7].map(delay)).toEqual([250, 500, 1000, 5000])
    expect(delay(1000)).toBe(5000)
  })

  test('are drawn from nothing to the whole, but are never shorter than 150 ms', () => {
    expect(delays(() => 0.5)(2)).toBe(500)
    expect(delays(() => 0)(9)).toBe(150)
    expect(delays(() => 1, { ...policy, maxDelay: 100 })(9)).toBe(150)
  })
})

describe('turns to dial', () => {
  /** Time that has begun long ago, as a host's clock does. */
  function pacing(): { ask(times: number): Promise<void>; pass(ms: number): Promise<void>; dials: number[] } {
    const clock = new VirtualClock()
    const start = 100_000
    clock.advance(start)
    const pacer = onClock(clock)
    const dials: number[] = []
    const settle = (): Promise<void> => new Promise(setImmediate)
    return {
      dials,
      async ask(times) {
        for (let n = 0; n < times; n++) void pacer.turn(new Scope()).then(() => dials.push(clock.now() - start))
        await settle()
      },
      async pass(ms) {
        for (let passed = 0; passed < ms; passed += 25) {
          clock.advance(25)
          await settle()
        }
      },
    }
  }

  test('come at once to two, and then every 125 ms', async () => {
    const { ask, pass, dials } = pacing()
    await ask(6)
    expect(dials).toEqual([0, 0])
    await pass(1000)
    expect(dials).toEqual([0, 0, 125, 250, 375, 500])
  })

  test('are not saved up while nobody asks', async () => {
    const { ask, pass, dials } = pacing()
    await ask(1)
    await pass(10_000)
    await ask(4)
    await pass(1000)
    expect(dials).toEqual([0, 10_000, 10_000, 10_125, 10_250])
  })

  test('are never more than ten in a second, however many ask', async () => {
    const { ask, pass, dials } = pacing()
    await ask(30)
    await pass(5000)
    expect(dials).toHaveLength(30)
    for (const at of dials) expect(dials.filter((other) => other >= at && other < at + 1000).length).toBeLessThan(11)
  })

  test('never come to one who has given up', async () => {
    const clock = new VirtualClock()
    const pacer = onClock(clock)
    const ended = new Scope()
    const waiting = new Scope()
    ended.end(new Error('given up'))
    await expect(pacer.turn(ended)).rejects.toThrow('given up')
    await Promise.all([pacer.turn(new Scope()), pacer.turn(new Scope())])
    const turn = pacer.turn(waiting)
    waiting.end(new Error('given up while it waited'))
    await expect(turn).rejects.toThrow('given up while it waited')
    expect(clock.pending).toBe(0)
  })
})
