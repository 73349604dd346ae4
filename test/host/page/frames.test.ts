import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { awaitFirstFrame, frameByTimer } from '../../../src/host-page/index.js'
import type { PageWindow } from '../../../src/host-page/page.js'

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

test('a loop of frames runs 60 times a second, whatever else delays it a little', () => {
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

test('callbacks of one frame get the same time, one that throws stops no other, and one that is cancelled is left out', () => {
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

test('the first frame is told once, and afterwards the function is the one from before', () => {
  const { page } = pageWithFrames()
  const { requestAnimationFrame } = page
  let firsts = 0
  awaitFirstFrame(page, () => (firsts += 1))
  page.requestAnimationFrame(() => undefined)
  vi.advanceTimersByTime(17)
  expect(firsts).toBe(1)
  expect(page.requestAnimationFrame).toBe(requestAnimationFrame)
})
