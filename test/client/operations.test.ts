import { getEventListeners } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isSidecarError } from '../../src/index.js'
import { answering, blackHole } from '../support/fault-server-steps.js'
import { collectUncaught } from '../support/uncaught.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'
import { answeringWell, calls, callsAndWaits, page, reads, refusal, waits, writes } from './operations.js'

/** Options of a call, and what the message names. */
const wrongOptions: readonly (readonly [options: unknown, said: RegExp])[] = [
  ...[NaN, -1, 0].map((timeout) => [{ timeout }, new RegExp(`timeout.*${timeout}`)] as const),
  ['text', /text/],
  [7, /7/],
  [{ timeOut: 5 }, /timeOut/],
  [{ singal: 5 }, /singal/],
]

describe.each(callsAndWaits)('%s()', (operation, call) => {
  test(`${operation}() with an aborted signal rejects with ABORTED and sends nothing`, async () => {
    const sidecar = await startScripted()
    const aborted = { signal: AbortSignal.abort('enough') }
    await expect(call(connectClient(sidecar), aborted)).rejects.toMatchObject({
      code: 'ABORTED',
      operation,
      cause: 'enough',
    })
    expect(sidecar.requests).toEqual([])
  })

  test(`${operation}() whose signal is aborted in flight rejects with ABORTED and leaves the signal alone`, async () => {
    const sidecar = await startScripted([{ on: '*', step: blackHole }])
    const controller = new AbortController()
    const { signal } = controller
    const called = call(connectClient(sidecar, { retry: false }), { signal })
    if (operation !== 'once') await sidecar.until(() => sidecar.requests.length > 0, 'the request')
    controller.abort('enough')
    await expect(called).rejects.toMatchObject({ code: 'ABORTED', operation, cause: 'enough' })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test(`${operation}() of a closed client rejects with CLOSED and sends nothing`, async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    client.close()
    await expect(call(client)).rejects.toMatchObject({ code: 'CLOSED', operation })
    expect(sidecar.requests).toEqual([])
  })

  test(`${operation}() in flight rejects with CLOSED when the client is closed`, async () => {
    const sidecar = await startScripted([{ on: '*', step: blackHole }])
    const client = connectClient(sidecar)
    const called = call(client)
    if (operation !== 'once') await sidecar.until(() => sidecar.requests.length > 0, 'the request')
    client.close()
    await expect(called).rejects.toMatchObject({ code: 'CLOSED', operation })
    await sidecar.untilNoSockets()
  })

  test(`${operation}() refuses wrong and misspelt options with INVALID_ARGUMENT and sends nothing`, async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    for (const [options, said] of wrongOptions) {
      const refusal = { code: 'INVALID_ARGUMENT', operation, message: expect.stringMatching(said) as string }
      await expect(call(client, options as never), String(said)).rejects.toMatchObject(refusal)
    }
    expect(sidecar.requests).toEqual([])
  })
})

describe.each(calls)('%s()', (operation, call) => {
  test(`${operation}() takes null, undefined members and an endless timeout for options`, async () => {
    const client = connectClient(await startScripted(answeringWell()))
    for (const options of [null, { timeout: Infinity }, { timeout: undefined, signal: undefined }])
      await call(client, options as never)
  })

  test(`${operation}() rejects with PROTOCOL in its own name where a proxy answers HTML`, async () => {
    const client = connectClient(await startScripted([{ on: '*', step: answering(page) }]))
    await expect(call(client)).rejects.toMatchObject({
      code: 'PROTOCOL',
      operation,
      status: 404,
      message: expect.stringMatching(`^${operation}: `),
    })
  })

  test(`${operation}() rejects with LIMIT in its own name where the answer is too long`, async () => {
    const step = answering({ body: JSON.stringify({ text: 'x'.repeat(2000) }) })
    const client = connectClient(await startScripted([{ on: '*', step }]), { limits: { body: 1000 } })
    await expect(call(client)).rejects.toMatchObject({ code: 'LIMIT', operation })
  })
})

test.each(Object.entries(reads))('%s() rejects with TIMEOUT when no answer comes in time', async (operation, call) => {
  const client = connectClient(await startScripted([{ on: '*', step: blackHole }]))
  await expect(call(client, { timeout: 50 })).rejects.toMatchObject({ code: 'TIMEOUT', operation })
})

describe.each(Object.entries(writes))('%s()', (operation, call) => {
  test(`${operation}() rejects with UNKNOWN_OUTCOME when its answer is late, TIMEOUT if it was never sent`, async () => {
    const sidecar = await startScripted(answeringWell({ on: '*', step: blackHole }))
    const clock = new VirtualClock()
    const client = connectClient(sidecar, { retry: false, now: clock.now, scheduler: clock })
    const both = Promise.allSettled([call(client, { timeout: 200 }), call(client, { timeout: 100 })])
    await sidecar.until(() => sidecar.requests.some(({ method }) => method !== 'GET'), 'the write')
    clock.advance(200)
    const [sent, unsent] = await both
    expect(sent).toMatchObject({ reason: { code: 'UNKNOWN_OUTCOME', operation } })
    expect(unsent).toMatchObject({ reason: { code: 'TIMEOUT', operation } })
  })

  test(`${operation}() is sent once where a connection is lost, and rejects with UNKNOWN_OUTCOME`, async () => {
    const sidecar = await startScripted(answeringWell({ on: '*', step: (exchange) => exchange.break('reset') }))
    await expect(call(connectClient(sidecar))).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME', operation })
    expect(sidecar.requests.filter(({ method }) => method !== 'GET')).toHaveLength(1)
  })
})

test.each(Object.entries(waits))('%s() rejects with TIMEOUT by its own timeout', async (operation, wait) => {
  const client = connectClient(await startScripted())
  await expect(wait(client, { timeout: 20 })).rejects.toMatchObject({ code: 'TIMEOUT', operation })
})

test('calls that wait for the same answer reject each in its own name', async () => {
  const client = connectClient(await startScripted([{ on: '*', step: answering(page) }]))
  const failed = await Promise.allSettled([client.ready(), client.setLabel('a', 'b'), client.waitFor('Ready')])
  expect(failed).toMatchObject(
    ['ready', 'setLabel', 'waitFor'].map((operation) => ({ reason: { code: 'PROTOCOL', operation, status: 404 } })),
  )
  expect(client.status.connection).toBe('failed')
})

test.each(['waitFor', 'once'] as const)(
  '%s() of a watched event ends where a proxy answers HTML',
  async (operation) => {
    const client = connectClient(await startScripted([{ on: '*', step: answering(page) }]))
    const waiting = operation === 'once' ? client.once('state') : client.waitFor('Ready')
    await expect(waiting).rejects.toMatchObject({ code: 'PROTOCOL', operation, status: 404 })
  },
)

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
  await new Promise(setImmediate)
  controller.abort()
  for (const one of await Promise.allSettled(pending.flat())) expect(one).toMatchObject({ reason: { code: 'ABORTED' } })
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a signal that outlives its calls keeps no listener of theirs', async () => {
  const client = connectClient(await startScripted(answeringWell()))
  const { signal } = new AbortController()
  await Promise.all(calls.map(([, call]) => call(client, { signal })))
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

test.each([200, 400, 429, 500, 503])(
  'whatever a proxy answers with %i, every error is a SidecarError',
  async (status) => {
    const uncaught = collectUncaught()
    const odd: unknown[] = []
    const note = (error: unknown): void => void (isSidecarError(error) || odd.push(error))
    for (const body of [...foreign, refusal('no')]) {
      const sidecar = await startScripted([{ on: '*', step: answering({ status, body }) }])
      const client = connectClient(sidecar, { retry: false, autoHealth: { interval: 20 }, watch: 'stream' })
      client.on('error', note)
      for (const type of ['state', 'label', 'annotation', 'counter', 'list'] as const) client.on(type, () => {})
      await Promise.all(callsAndWaits.map(([, call]) => call(client, { timeout: 100 }).catch(note)))
      client.close()
    }
    await new Promise(setImmediate)
    expect([...odd, ...uncaught]).toEqual([])
  },
)
