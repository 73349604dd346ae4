import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { watchMemory } from '../../../src/host/supervision/memory.js'
import { fakeSession } from '../support/fake-session.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const MB = 1024 * 1024

/** A page with a limit of 100 MB that takes the memory given by `page`, some of it garbage. */
function watched(page: { heap?: number; buffers?: number; garbage?: number; held?: number; isBusy?: boolean }) {
  const told: string[] = []
  const session = fakeSession((method) => {
    if (page.isBusy) throw new Error('no answer')
    if (method === 'HeapProfiler.collectGarbage') return void (page.garbage = 0)
    return {
      usedSize: ((page.heap ?? 0) + (page.garbage ?? 0)) * MB,
      embedderHeapUsedSize: 0,
      backingStorageSize: (page.buffers ?? 0) * MB,
    }
  })
  const end = watchMemory({
    session,
    browserPid: 1,
    limit: 100 * MB,
    onWarning: (text) => told.push(`warning: ${text}`),
    onExceeded: (text) => told.push(`exceeded: ${text}`),
    browserMemory: () => (page.held === undefined ? undefined : page.held * MB),
  })
  const collections = (): number => session.sent.filter((method) => method === 'HeapProfiler.collectGarbage').length
  return { told, end, session, collections, pass: (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000) }
}

describe('the memory of a page', () => {
  test('causes no warning while it is low', async () => {
    const { told, end, pass, collections } = watched({ heap: 40, buffers: 39, held: 150 })
    await pass(60)
    expect(told).toEqual([])
    expect(collections()).toBe(0)
    end()
  })

  test('causes one warning near the limit, without a garbage collection each second', async () => {
    const { told, end, pass, collections } = watched({ heap: 50, buffers: 40 })
    await pass(60)
    expect(told).toEqual([
      'warning: The page takes 90 MB of memory, and is ended at 100 MB; --max-memory sets the limit',
    ])
    expect(collections()).toBe(1)
    end()
  })

  test('includes its buffers, which no heap limit covers, and is reported once above the limit', async () => {
    const { told, pass } = watched({ heap: 10, buffers: 91 })
    await pass(60)
    expect(told).toEqual([
      'exceeded: The page takes 101 MB of memory, and may take 100 MB; --max-memory sets the limit',
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is within the limit if most of it is garbage', async () => {
    const page = { heap: 30, garbage: 0 }
    const { told, end, pass } = watched(page)
    for (let second = 0; second < 20; second += 1) {
      page.garbage = 200
      await pass(1)
    }
    expect(told).toEqual([])
    end()
  })

  test("is the growth of the browser's processes, even while the page is busy and doesn't answer", async () => {
    const page = { isBusy: true, held: 50 }
    const { told, pass } = watched(page)
    page.held = 50 + 128 + 99
    await pass(10)
    expect(told).toEqual([])
    page.held = 50 + 128 + 101
    await pass(1)
    expect(told).toEqual([
      'exceeded: The page takes 101 MB of memory, and may take 100 MB; --max-memory sets the limit',
    ])
  })

  test('causes a warning and a garbage collection if most of it is outside of the page', async () => {
    const page = { heap: 10, held: 50 }
    const { told, end, pass, collections } = watched(page)
    page.held = 50 + 128 + 90
    await pass(10)
    expect(told).toEqual([
      'warning: The page takes 90 MB of memory, and is ended at 100 MB; --max-memory sets the limit',
    ])
    expect(collections()).toBe(1)
    end()
  })

  test('is not reported if the system has no figures and the page is gone', async () => {
    const { told, end, pass } = watched({ isBusy: true })
    await pass(60)
    expect(told).toEqual([])
    end()
    expect(vi.getTimerCount()).toBe(0)
  })
})
