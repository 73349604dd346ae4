import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createConsoleLines, followConsole, type ConsoleSession } from '../../../src/host/page/console-lines.js'
import { createSourceMaps } from '../../../src/host/page/source-maps.js'
import { fakeSession, type FakeSession } from '../support/fake-session.js'

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
)
afterEach(() => void vi.useRealTimers())

const origin = 'http://127.0.0.1:8080'

interface Followed {
  /** Sessions in the order in which they were attached. */
  readonly sessions: FakeSession[]
  readonly detached: () => number
  readonly texts: () => string[]
  log(text: string): void
  end(): void
}

async function follow(): Promise<Followed> {
  const sessions: FakeSession[] = []
  const written: string[] = []
  let detached = 0
  const sourceMaps = createSourceMaps(origin)
  const lines = createConsoleLines({ onLine: ({ text }) => written.push(text), sourceMaps, origin })
  const attach = async (): Promise<ConsoleSession> => {
    const session = fakeSession()
    sessions.push(session)
    return { session, detach: async () => (detached += 1) }
  }
  const end = await followConsole(attach, lines)
  return {
    sessions,
    detached: () => detached,
    texts: () => written,
    log: (text) =>
      sessions.at(-1)!.emit('Runtime.consoleAPICalled', { type: 'log', args: [{ type: 'string', value: text }] }),
    end,
  }
}

describe('the console of a page', () => {
  test('is read over a separate session, from the start', async () => {
    const { sessions, log, texts, end } = await follow()
    expect(sessions[0]!.sent).toEqual(['Runtime.enable', 'Log.enable'])
    log('hello')
    expect(texts()).toEqual(['hello'])
    end()
  })

  test('releases logged objects, which the page would retain, once there are any', async () => {
    const { sessions, log, end } = await follow()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(sessions[0]!.sent).toEqual(['Runtime.enable', 'Log.enable'])
    log('an object')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(sessions[0]!.sent.slice(2)).toEqual(['Runtime.releaseObjectGroup', 'Runtime.discardConsoleEntries'])
    end()
  })

  test('is detached while the page floods it, for longer each time, and attached again', async () => {
    const { sessions, detached, log, texts, end } = await follow()
    const pauses = [1_000, 2_000, 4_000, 8_000, 16_000, 16_000]
    for (const [index, pause] of pauses.entries()) {
      for (let line = 0; line < 600; line += 1) log(`line ${line}`)
      expect(detached()).toBe(index + 1)
      expect(sessions[index]!.listeners).toBe(0)
      await vi.advanceTimersByTimeAsync(pause - 1)
      expect(sessions).toHaveLength(index + 1)
      await vi.advanceTimersByTimeAsync(1)
      expect(sessions).toHaveLength(index + 2)
    }
    expect(sessions[1]!.sent[0]).toBe('Runtime.discardConsoleEntries')
    log('after')
    expect(texts()).toContain('after')
    expect(texts().filter((text) => text.includes('floods its console'))).toHaveLength(pauses.length)
    end()
  })

  test.each<[what: string, event: string, params: object]>([
    ['calls', 'Runtime.consoleAPICalled', { type: 'log', args: [] }],
    ['errors', 'Runtime.exceptionThrown', { exceptionDetails: { text: 'Uncaught' } }],
    ['messages of the browser', 'Log.entryAdded', { entry: { source: 'network', level: 'error', text: '' } }],
  ])('is detached for a few huge %s', async (_what, event, params) => {
    const { sessions, detached, end } = await follow()
    for (let line = 0; line < 3; line += 1) sessions[0]!.emit(event, params, 1_000_000)
    expect(detached()).toBe(0)
    sessions[0]!.emit(event, params, 1_000_000)
    expect(detached()).toBe(1)
    end()
  })

  test('stays attached for as many lines over a longer time', async () => {
    const { detached, log, end } = await follow()
    for (let second = 0; second < 20; second += 1) {
      for (let line = 0; line < 500; line += 1) log(`${second} ${line}`)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(detached()).toBe(0)
    end()
  })

  test('is detached at the end for good, even while it is not read', async () => {
    const { sessions, detached, log, end } = await follow()
    for (let line = 0; line < 600; line += 1) log(`line ${line}`)
    end()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sessions).toHaveLength(1)
    expect(detached()).toBe(1)
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
  })
})
