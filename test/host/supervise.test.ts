import { describe, expect, test } from 'vitest'
import type { HostEvent } from '../../src/node/host/host-events.js'
import { resolveHostOptions } from '../../src/node/host/host-options.js'
import type { PageEnd, RunningPage } from '../../src/node/host/run-page.js'
import { endInOrder, supervise } from '../../src/node/host/supervise.js'
import type { Supervision } from '../../src/node/host/supervise.js'

type Gateway = Parameters<typeof endInOrder>[0]['gateway']
type Players = Parameters<typeof supervise>[0]['players']

const FAILURE: PageEnd = { reason: 'The page has crashed', code: 70, mayStartAgain: true }
const never = <Value>(): Promise<Value> => new Promise(() => undefined)

const pageThat = (does: Partial<RunningPage>): RunningPage => ({
  ended: never(),
  gone: never(),
  shutdown: () => Promise.resolve(true),
  close: () => Promise.resolve(),
  ...does,
})

/** The parts around a page, which note what is done to them. */
function around(): { readonly done: string[]; readonly gateway: Gateway; readonly players: Players } {
  const done: string[] = []
  const players = {
    refuse: () => void done.push('refuse players'),
    closeAll: (code: number) => void done.push(`close players ${code}`),
    startAgain: () => void done.push('start again'),
    close: () => Promise.resolve(),
  }
  const gateway = {
    wasShutDown: true,
    tellSignal: (signal: string) => done.push(`tell watches ${signal}`) * 0,
    close: () => Promise.resolve(),
  }
  return { done, gateway: gateway as unknown as Gateway, players }
}

describe('the end in order', () => {
  const end = async (page: Partial<RunningPage>, grace = 10_000): Promise<{ done: string[]; warnings: string[] }> => {
    const { done, ...parts } = around()
    const warnings: string[] = []
    const warn = (text: string): void => void warnings.push(text)
    await endInOrder({ page: pageThat(page), ...parts, signal: 'SIGTERM', grace, warn })
    return { done, warnings }
  }

  test('leaves the watches of a page alone that has its shutdown event: its client would only dial again', async () => {
    expect((await end({ shutdown: () => Promise.resolve(true) })).done).toEqual([
      'refuse players',
      'close players 1001',
    ])
  })

  test('tells the watches of a page that does not listen for it', async () => {
    expect((await end({ shutdown: () => Promise.resolve(false) })).done).toEqual([
      'refuse players',
      'tell watches SIGTERM',
      'close players 1001',
    ])
  })

  test('says nothing of a share of the time to a page that is gone', async () => {
    expect((await end({ shutdown: () => Promise.reject(new Error('the browser has ended')) })).warnings).toEqual([])
  })

  test.each([
    [10_000, 8_000],
    [3_000, 1_000],
    [1_000, 250],
    [0, 0],
  ])('of %i ms gives the page %i', async (grace, expected) => {
    let share: number | undefined
    await end({ shutdown: (_signal, patience) => Promise.resolve((share = patience) >= 0) }, grace)
    expect(share).toBe(expected)
  })
})

describe('a close while a page that has failed is started again', () => {
  const superviseFailed = (
    first: Partial<RunningPage>,
    start: (signal: AbortSignal) => Promise<RunningPage>,
  ): Supervision & { readonly events: HostEvent[] } => {
    const events: HostEvent[] = []
    const supervision = supervise({
      settings: resolveHostOptions({ dir: '.' }),
      ...around(),
      first: pageThat({ ended: Promise.resolve(FAILURE), ...first }),
      start,
      replaces: false,
      onReplaced: () => undefined,
      wasReady: () => false,
      tell: (event) => void events.push(event),
    })
    return { ...supervision, events }
  }

  test('starts no browser that would outlive the host', async () => {
    let starts = 0
    let close!: () => void
    const closed = new Promise<void>((resolve) => (close = resolve))
    const { close: end } = superviseFailed({ close: () => closed }, () => {
      starts += 1
      return never()
    })
    await new Promise((resolve) => setImmediate(resolve))
    const ending = end()
    close()
    expect(await ending).toMatchObject({ code: 0 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(starts).toBe(0)
  })

  test('gives up the start, rather than wait for a browser that may never answer', async () => {
    let hasBegun!: () => void
    const begun = new Promise<void>((resolve) => (hasBegun = resolve))
    const { close } = superviseFailed({}, (signal) => {
      hasBegun()
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')), { once: true })
      })
    })
    await begun
    expect(await close('SIGINT')).toEqual({ code: 0, reason: 'It was told to stop by SIGINT' })
  })
})

test('an end that hangs is over when the grace period is', async () => {
  const { exited, close } = supervise({
    settings: resolveHostOptions({ dir: '.', grace: 200 }),
    ...around(),
    first: pageThat({ close: never }),
    start: never,
    replaces: false,
    onReplaced: () => undefined,
    wasReady: () => true,
    tell: () => undefined,
  })
  void close()
  expect(await exited).toMatchObject({ code: 0 })
})
