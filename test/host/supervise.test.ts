import { describe, expect, onTestFinished, test } from 'vitest'
import { endInOrder, type EndOptions } from '../../src/host/end-page.js'
import type { EndWait } from '../../src/host/page-script/page.js'
import { createLocalSidecar, type LocalSidecar } from '../../src/local/sidecar/local-sidecar.js'
import {
  describeUnhealthy,
  Supervisor,
  type GameEnd,
  type GameRun,
  type SuperviseOptions,
} from '../../src/host/supervise.js'

type Gateway = Parameters<typeof endInOrder>[0]['gateway']
type Players = Parameters<typeof endInOrder>[0]['players']

const FAILURE: GameEnd = { reason: 'The page has crashed', code: 70, mayStartAgain: true }
const never = <Value>(): Promise<Value> => new Promise(() => undefined)

const pageThat = (does: Partial<EndOptions['page']>): EndOptions['page'] => ({
  gone: never(),
  shutdown: () => Promise.resolve('nothing'),
  ...does,
})

/** The parts around a page, which record the calls of their methods. */
function around(): { readonly done: string[]; readonly gateway: Gateway; readonly players: Players } {
  const done: string[] = []
  const players = {
    refuse: () => void done.push('refuse players'),
    closeAll: (code: number) => void done.push(`close players ${code}`),
  }
  const gateway = {
    wasShutDown: true,
    tellSignal: (signal: string, _most: number, isSettled: boolean) => {
      done.push(`tell watches ${signal}${isSettled ? ', until they are quiet' : ''}`)
      return Promise.resolve()
    },
  }
  return { done, gateway: gateway as unknown as Gateway, players }
}

describe('the graceful end of a page', () => {
  const end = async (
    page: Partial<EndOptions['page']>,
    grace = 10_000,
  ): Promise<{ done: string[]; warnings: string[] }> => {
    const { done, ...parts } = around()
    const warnings: string[] = []
    const warn = (text: string): void => void warnings.push(text)
    await endInOrder({ page: pageThat(page), ...parts, signal: 'SIGTERM', grace, warn })
    return { done, warnings }
  }

  test.each<[string, EndWait, string[]]>([
    ['leaves the watches open when the page is done, since its client would only dial again', 'nothing', []],
    [
      'tells the watches and waits for shutdown() if clients still have listeners',
      'shutdown',
      ['tell watches SIGTERM'],
    ],
    [
      'waits only for the last calls if all listeners have settled',
      'calls',
      ['tell watches SIGTERM, until they are quiet'],
    ],
  ])('%s', async (_what, wait, told) => {
    const { done } = await end({ shutdown: () => Promise.resolve(wait) })
    expect(done).toEqual(['refuse players', ...told, 'close players 1001'])
  })

  test('gives no warning about the time for the page if the page is gone', async () => {
    expect((await end({ shutdown: () => Promise.reject(new Error('the browser has ended')) })).warnings).toEqual([])
  })

  test.each([
    [10_000, 8_000],
    [3_000, 1_000],
    [1_000, 250],
    [0, 0],
  ])('with a grace period of %i ms gives the page %i ms', async (grace, expected) => {
    let share: number | undefined
    const shutdown = (_signal: string, patience: number): Promise<EndWait> => {
      share = patience
      return Promise.resolve('nothing')
    }
    await end({ shutdown }, grace)
    expect(share).toBe(expected)
  })
})

const afterTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('closing a game', () => {
  const superviseRun = (
    first: Partial<GameRun>,
    options: Partial<SuperviseOptions<GameRun>> = {},
  ): Supervisor<GameRun> =>
    new Supervisor({
      settings: { grace: 10_000, restarts: 2 },
      local: undefined,
      replaces: false,
      first: { ended: Promise.resolve(FAILURE), close: () => Promise.resolve(), ...first },
      start: never,
      isFresh: () => true,
      endInOrder: () => Promise.resolve(),
      onReplaced: () => undefined,
      release: (run, hasFailed) => run.close(hasFailed),
      tell: () => undefined,
      ...options,
    })

  test('that has failed and waits for its restart starts no browser that would outlive the host', async () => {
    let starts = 0
    let close!: () => void
    const closed = new Promise<void>((resolve) => (close = resolve))
    const start = (): Promise<GameRun> => {
      starts += 1
      return never()
    }
    const supervision = superviseRun({ close: () => closed }, { start })
    await afterTheLoop()
    const ending = supervision.close()
    close()
    expect(await ending).toMatchObject({ code: 0 })
    await afterTheLoop()
    expect(starts).toBe(0)
  })

  test('that is being restarted aborts the start, since its browser may never answer', async () => {
    let hasBegun!: () => void
    const begun = new Promise<void>((resolve) => (hasBegun = resolve))
    const start = (signal: AbortSignal): Promise<GameRun> => {
      hasBegun()
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')), { once: true })
      })
    }
    const supervision = superviseRun({}, { start })
    await begun
    expect(await supervision.close('SIGINT')).toEqual({ code: 0, reason: 'It was told to stop by SIGINT' })
  })

  test('that hangs ends with the grace period', async () => {
    const supervision = superviseRun({ ended: never(), close: never }, { settings: { grace: 200, restarts: 2 } })
    void supervision.close()
    expect(await supervision.exited).toMatchObject({ code: 0 })
  })

  test('that has failed for good makes its GameServer Unhealthy, as its pod does', async () => {
    await using local = await createLocalSidecar({ port: 0 })
    const { exited } = superviseRun({}, { local, isFresh: () => false })
    expect(await exited).toMatchObject({ code: 70 })
    expect(local.sidecar.snapshot().gameServer.status.state).toBe('Unhealthy')
  })
})

const silent = ({ control }: LocalSidecar): void => {
  control({ type: 'ignoreBeats', on: true })
  for (let period = 0; period < 10; period += 1) control({ type: 'advanceClock', ms: 5_000 })
}

test.each<[why: string, calls: readonly string[], become: (local: LocalSidecar) => unknown, sentence: RegExp]>([
  [
    'has never had a beat',
    ['/ready'],
    silent,
    /: no beat has ever come\. createClient\(\{ autoHealth: true \}\) sends/,
  ],
  ['gets no more beats', ['/ready', '/health'], silent, /: no beat has come for \d+ s$/],
  ['was made Unhealthy by hand', ['/ready'], ({ control }) => control({ type: 'makeUnhealthy' }), /would end it now$/],
])('the reason of an Unhealthy GameServer is that it %s', async (_why, calls, become, sentence) => {
  const local = await createLocalSidecar({ port: 0 })
  onTestFinished(() => local.close())
  const headers = { 'content-type': 'application/json' }
  for (const path of calls) await fetch(local.url + path, { method: 'POST', body: '{}', headers })
  become(local)
  expect(describeUnhealthy(local)).toMatch(sentence)
})
