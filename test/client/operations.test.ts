import { getEventListeners } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isSidecarError, type SidecarError } from '../../src/index.js'
import { type Rule, type ScriptedSidecar, startScripted } from '../support/fault-server.js'
import { answering, blackHole } from '../support/fault-server-steps.js'
import { collectUncaught } from '../support/uncaught.js'
import { turns } from '../support/until.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { connectClient } from '../support/with-sidecar.js'
import {
  answeringWell,
  calls,
  callsAndWaits,
  expectBrief,
  page,
  reads,
  refusal,
  waits,
  writes,
  type Call,
} from './operations.js'

/** Options of a call, and what the message names. */
const wrongOptions: readonly (readonly [options: unknown, said: RegExp])[] = [
  ...[NaN, -1, 0].map((timeout) => [{ timeout }, new RegExp(`timeout.*${timeout}`)] as const),
  ['text', /text/],
  [7, /7/],
  [{ timeOut: 5 }, /timeOut/],
  [{ singal: 5 }, /singal/],
]

/** Each operation's outcome, beside what is expected of it: a failure names all that are wrong. */
const expectEach = async (
  operations: Iterable<readonly [string, Call]>,
  play: (operation: string, call: Call) => Promise<void>,
): Promise<void> => void (await Promise.all(Array.from(operations, ([operation, call]) => play(operation, call))))

async function rejects(called: Promise<unknown>, code: string, operation: string, more: object = {}): Promise<void> {
  const error: unknown = await called.then(
    () => expect.fail(`${operation} was taken`),
    (reason: unknown) => reason,
  )
  expect(error, operation).toMatchObject({ code, operation, ...more })
  expectBrief(error as SidecarError)
}

const silent: Rule[] = [{ on: '*', step: blackHole }]
const asked = (sidecar: ScriptedSidecar, count = 1): Promise<void> =>
  sidecar.until(() => sidecar.requests.length >= count, `${count} requests`)

describe('every operation', () => {
  test('with an aborted signal rejects with ABORTED and sends nothing', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    const signal = AbortSignal.abort('enough')
    await expectEach(callsAndWaits, (operation, call) =>
      rejects(call(client, { signal }), 'ABORTED', operation, { cause: 'enough' }),
    )
    expect(sidecar.requests).toEqual([])
  })

  test('whose signal is aborted in flight rejects with ABORTED and leaves the signal alone', async () => {
    await expectEach(callsAndWaits, async (operation, call) => {
      const sidecar = await startScripted(silent)
      const controller = new AbortController()
      const called = call(connectClient(sidecar, { retry: false }), { signal: controller.signal })
      if (operation !== 'once') await asked(sidecar)
      controller.abort('enough')
      await rejects(called, 'ABORTED', operation, { cause: 'enough' })
      expect(getEventListeners(controller.signal, 'abort'), operation).toEqual([])
    })
  })

  test('of a closed client rejects with CLOSED and sends nothing', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    client[Symbol.dispose]()
    await expectEach(callsAndWaits, (operation, call) => rejects(call(client), 'CLOSED', operation))
    expect(sidecar.requests).toEqual([])
  })

  test('refuses wrong and misspelt options with INVALID_ARGUMENT and sends nothing', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    for (const [options, said] of wrongOptions)
      await expectEach(callsAndWaits, (operation, call) =>
        rejects(call(client, options as never), 'INVALID_ARGUMENT', operation, {
          message: expect.stringMatching(said) as string,
        }),
      )
    expect(sidecar.requests).toEqual([])
  })

  test('accepts null, undefined members, an infinite timeout and a signal as options', async () => {
    const client = connectClient(await startScripted(answeringWell()))
    const { signal } = new AbortController()
    for (const options of [null, { timeout: Infinity }, { timeout: undefined, signal: undefined }, { signal }])
      for (const [, call] of calls) await call(client, options as never)
    // A signal that outlives its calls keeps no listener of theirs.
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('rejects with PROTOCOL in its own name where a proxy answers HTML', async () => {
    const { waitFor } = waits
    await expectEach([...calls, ['waitFor', waitFor!]], async (operation, call) => {
      const client = connectClient(await startScripted([{ on: '*', step: answering(page) }]))
      const message: unknown = expect.stringMatching(`^${operation}: `)
      await rejects(call(client), 'PROTOCOL', operation, { status: 404, message })
      expect(client.status.connection).toBe(operation === 'waitFor' ? 'failed' : 'connected')
    })
  })

  test('that reads or waits rejects with TIMEOUT when it takes too long', async () => {
    const client = connectClient(await startScripted(silent))
    await expectEach(Object.entries({ ...reads, ...waits }), (operation, call) =>
      rejects(call(client, { timeout: 50 }), 'TIMEOUT', operation),
    )
  })

  test('that writes rejects with UNKNOWN_OUTCOME when its answer is late, TIMEOUT if it was never sent', async () => {
    await expectEach(Object.entries(writes), async (operation, call) => {
      const sidecar = await startScripted(answeringWell({ on: '*', step: blackHole }))
      const clock = new VirtualClock()
      const client = connectClient(sidecar, { retry: false, ...clock.options })
      const [sent, unsent] = [call(client, { timeout: 200 }), call(client, { timeout: 100 })]
      const both = Promise.all([rejects(sent, 'UNKNOWN_OUTCOME', operation), rejects(unsent, 'TIMEOUT', operation)])
      await sidecar.until(() => sidecar.requests.some(({ method }) => method !== 'GET'), 'the write')
      clock.advance(200)
      await both
    })
  })

  test('that writes is sent once where a connection is lost, and rejects with UNKNOWN_OUTCOME', async () => {
    await expectEach(Object.entries(writes), async (operation, call) => {
      const sidecar = await startScripted(answeringWell({ on: '*', step: (exchange) => exchange.break('reset') }))
      await rejects(call(connectClient(sidecar)), 'UNKNOWN_OUTCOME', operation)
      expect(
        sidecar.requests.filter(({ method }) => method !== 'GET'),
        operation,
      ).toHaveLength(1)
    })
  })
})

test('50 calls and waits on one signal print no warning, and the signal ends them all', async () => {
  const warnings: string[] = []
  const collect = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', collect)
  onTestFinished(() => void process.removeListener('warning', collect))
  const client = connectClient(await startScripted([{ on: '*', step: blackHole }]))
  const controller = new AbortController()
  const { signal } = controller
  const pending = Array.from({ length: 50 }, () => [
    client.once('error', { signal }),
    client.waitFor('Allocated', { signal }),
    client.getGameServer({ signal }),
    client.setLabel('a', 'b', { signal }),
  ])
  await turns()
  controller.abort()
  for (const one of await Promise.allSettled(pending.flat())) expect(one).toMatchObject({ reason: { code: 'ABORTED' } })
  await turns()
  expect(warnings).toEqual([])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

/** JSON of other programs, or of a sidecar with a fault. */
const foreign = [
  '<!doctype html><title>Bad gateway</title>',
  '{"error":"bad gateway"}',
  '{"code":"14","message":["no"]}',
  '{"object_meta":{}}',
  '{"object_meta":{"labels":7},"status":{"state":{},"counters":"x","lists":[]}}',
  '{"name":"rooms","count":{},"capacity":"1","values":"text"}',
]

test.each([200, 400, 503])('whatever a proxy answers with %i, every error is a SidecarError', async (status) => {
  const uncaught = collectUncaught()
  const odd: unknown[] = []
  const note = (error: unknown): void => void (isSidecarError(error) || odd.push(error))
  await Promise.all(
    [...foreign, refusal('no')].map(async (body) => {
      const sidecar = await startScripted([{ on: '*', step: answering({ status, body }) }])
      const client = connectClient(sidecar, { retry: false, autoHealth: { interval: 20 }, watch: 'stream' })
      client.on('error', note)
      for (const type of ['state', 'label', 'annotation', 'counter', 'list'] as const) client.on(type, () => {})
      await Promise.all(callsAndWaits.map(([, call]) => call(client, { timeout: 100 }).catch(note)))
      client.close()
    }),
  )
  await turns()
  expect([...odd, ...uncaught]).toEqual([])
})
