import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLineLimit, type LineLimit } from '../../src/host/page/line-limit.js'
import type { ConsoleLine } from '../../src/local/game.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function limited(): { readonly limit: LineLimit; readonly written: ConsoleLine[]; readonly texts: () => string[] } {
  const written: ConsoleLine[] = []
  return { limit: createLineLimit((line) => written.push(line)), written, texts: () => written.map(({ text }) => text) }
}

const info = (text: string): ConsoleLine => ({ level: 'info', text })

describe('lines of a game', () => {
  test('are all written if they are few', () => {
    const { limit, texts } = limited()
    for (let second = 0; second < 20; second += 1) {
      for (let line = 0; line < 90; line += 1) limit.write(info(`${second}/${line}`))
      vi.advanceTimersByTime(1_000)
    }
    expect(texts()).toHaveLength(1_800)
  })

  test('of a flood are dropped after the first ones, and one line reports their number', () => {
    const { limit, texts } = limited()
    for (let line = 0; line < 100_000; line += 1) limit.write(info(`line ${line}`))
    expect(texts()).toHaveLength(500)
    vi.advanceTimersByTime(1_000)
    expect(texts()).toHaveLength(501)
    expect(texts().at(-1)).toMatch(/^99500 lines of .* were dropped: .* more than 100 a second$/)
    limit.write(info('after'))
    expect(texts().at(-1)).toBe('after')
  })

  test('of a lasting flood are written a hundred at a time', () => {
    const { limit, texts } = limited()
    let line = 0
    for (let step = 0; step < 1_000; step += 1) {
      for (let count = 0; count < 20; count += 1) limit.write(info(`line ${(line += 1)}`))
      vi.advanceTimersByTime(10)
    }
    const told = texts().filter((text) => text.includes('dropped'))
    expect(told.length).toBeGreaterThan(5)
    // One line for each second, besides the burst and a hundred lines a second.
    expect(texts().length).toBeLessThanOrEqual(500 + 10 * 100 + told.length)
    expect(told.length).toBeLessThanOrEqual(12)
  })

  test('of a flood don’t suppress errors', () => {
    const { limit, written } = limited()
    for (let line = 0; line < 10_000; line += 1) limit.write(info(`line ${line}`))
    limit.write({ level: 'error', text: 'boom' })
    expect(written.at(-1)).toEqual({ level: 'error', text: 'boom' })
  })

  test('that were dropped are reported at the end', () => {
    const { limit, texts } = limited()
    for (let line = 0; line < 600; line += 1) limit.write(info(`line ${line}`))
    limit.flush()
    expect(texts().at(-1)).toMatch(/^100 lines/)
  })
})
