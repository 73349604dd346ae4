import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { awaitFirstFrame, frameByTimer } from '../../../src/host/page-script/index.js'
import type { PageWindow } from '../../../src/host/page-script/page.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function pageWithFrames(): { readonly page: PageWindow; readonly reported: unknown[] } {
  const reported: unknown[] = []
  const page = {
    performance,
    setTimeout,
    reportError: (error: unknown) => reported.push(error),
  } as unknown as PageWindow
  frameByTimer(page)
  return { page, reported }
}

test('a loop of frames runs 60 times a second despite small delays', () => {
  const { page } = pageWithFrames()
  let frames = 0
  const step = (): void => {
    frames += 1
    vi.advanceTimersByTime(1)
    page.requestAnimationFrame(step)
  }
  page.requestAnimationFrame(step)
  vi.advanceTimersByTime(9_400)
  expect(frames).toBeGreaterThan(590)
  expect(frames).toBeLessThan(610)
})

test('callbacks of one frame get the same time, a throwing one stops no other, and a cancelled one is not called', () => {
  const { page, reported } = pageWithFrames()
  const told: (string | number)[] = []
  page.requestAnimationFrame((time) => {
    told.push(time)
    page.cancelAnimationFrame(cancelled)
    page.requestAnimationFrame(() => told.push('next frame'))
    throw new Error('of the game')
  })
  page.requestAnimationFrame((time) => told.push(time))
  const cancelled = page.requestAnimationFrame(() => told.push('cancelled'))
  vi.advanceTimersByTime(17)
  expect(told).toEqual([told[0], told[0]])
  expect(reported).toEqual([new Error('of the game')])
  vi.advanceTimersByTime(17)
  expect(told.slice(2)).toEqual(['next frame'])
})

test('the first frame is reported once, and requestAnimationFrame is restored afterwards', () => {
  const { page } = pageWithFrames()
  const { requestAnimationFrame } = page
  let firsts = 0
  awaitFirstFrame(page, () => (firsts += 1))
  page.requestAnimationFrame(() => undefined)
  vi.advanceTimersByTime(17)
  expect(firsts).toBe(1)
  expect(page.requestAnimationFrame).toBe(requestAnimationFrame)
})
