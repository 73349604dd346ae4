import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { ClientOptions } from '../../src/index.js'
import { countDials } from '../faults/count-dials.js'
import { hurried } from '../faults/manual-clock.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering, opened } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

const baseUrl = 'http://127.0.0.1:1'
const clock = hurried(20)

const numbers = (name: string, place: (value: number) => ClientOptions, wrong: number[] = [NaN, -1]) =>
  wrong.map((value) => [name, value, place(value)] as const)

describe('a number that can not be right is CONFIG, with the name of the option and the value', () => {
  test.each([
    ...numbers('retry.initialDelay', (initialDelay) => ({ retry: { initialDelay } })),
    ...numbers('retry.factor', (factor) => ({ retry: { factor } })),
    ...numbers('retry.maxDelay', (maxDelay) => ({ retry: { maxDelay } })),
    ...numbers('retry.timeout', (timeout) => ({ retry: { timeout } })),
    ...numbers('limits.body', (body) => ({ limits: { body } }), [NaN, -1, 0]),
    ...numbers('limits.message', (message) => ({ limits: { message } }), [NaN, -1, 0]),
    ...numbers('verifyInterval', (verifyInterval) => ({ verifyInterval })),
    ...numbers('processSignals.timeout', (timeout) => ({ processSignals: { timeout } })),
    ...numbers('timeout', (timeout) => ({ timeout }), [NaN, -1, 0]),
    ...numbers('autoHealth.interval', (interval) => ({ autoHealth: { interval } }), [NaN, -1, 0]),
    ...numbers('autoHealth.stallTimeout', (stallTimeout) => ({ autoHealth: { stallTimeout } }), [NaN, -1, 0]),
  ])('%s: %d', (name, value, options) => {
    const make = (): void => createClient({ baseUrl, ...options }).close()
    expect(make).toThrow(
      expect.objectContaining({
        name: 'SidecarError',
        code: 'CONFIG',
        message: expect.stringMatching(new RegExp(`\\b${name.replace('.', '\\.')}\\b.*${value}`)),
      }),
    )
  })

  test('what is of another kind altogether is so too', () => {
    const wrong: [string, object][] = [
      ['timeout', { timeout: {} }],
      ['verifyInterval', { verifyInterval: Object.create(null) }],
      ['retry.factor', { retry: { factor: 'twice' } }],
      ['limits.body', { limits: { body: '16 MiB' } }],
    ]
    for (const [name, options] of wrong)
      expect(() => createClient({ baseUrl, ...options }).close()).toThrow(
        expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(name) }),
      )
  })

  test('Infinity is right for every time, and 0 for what it switches off', () => {
    const options: ClientOptions = {
      timeout: Infinity,
      retry: { timeout: Infinity, maxDelay: Infinity },
      verifyInterval: 0,
      autoHealth: { stallTimeout: Infinity },
      processSignals: { timeout: Infinity },
    }
    createClient({ baseUrl, ...options }).close()
  })
})

describe('an option that is undefined has its default', () => {
  test.each(['initialDelay', 'factor', 'maxDelay'])('retry.%s: a sidecar that is late is found', async (name) => {
    const sidecar = await startScripted()
    await sidecar.stop()
    const { dials, options } = countDials(clock.now)
    const retry: object = { [name]: undefined }
    const client = connectClient(sidecar, { ...clock.options, ...options, retry })
    const found = client.connect().then(
      () => 'found',
      () => 'given up',
    )
    await clock.pass(10_000)
    expect(dials.length).toBeGreaterThan(3)
    await sidecar.start()
    expect(await Promise.race([found, clock.pass(20_000)])).toBe('found')
  })

  test('retry.timeout: a call gives up after a minute', async () => {
    const sidecar = await startScripted()
    await sidecar.stop()
    const retry: object = { timeout: undefined }
    const called = connectClient(sidecar, { ...clock.options, retry }).getGameServer()
    const ended = called.then(
      () => 'found',
      (error: unknown) => (error as { code: string }).code,
    )
    expect(await Promise.race([ended, clock.pass(58_000)])).toBeUndefined()
    expect(await Promise.race([ended, clock.pass(10_000)])).toBe('TIMEOUT')
  })

  /** Somewhat more than the default of 16 Mi characters. */
  const tooLong = ' '.repeat(17 * 1024 * 1024)

  test('limits.body: an answer of 17 MiB is LIMIT', async () => {
    const body = `${JSON.stringify(gameServer(1))}${tooLong}`
    const sidecar = await startScripted([{ on: 'GET /gameserver', step: answering({ body }) }])
    const limits: object = { body: undefined }
    await expect(connectClient(sidecar, { limits }).getGameServer()).rejects.toMatchObject({ code: 'LIMIT' })
  })

  test.each(['websocket', 'stream'] as const)('limits.message: one of 17 MiB over %s is LIMIT', async (watch) => {
    const step = opened(async (exchange) => {
      await exchange.sendText(JSON.stringify({ result: gameServer(2) }) + tooLong)
      await exchange.connection.gone
    })
    const sidecar = await startScripted([{ on: 'watch', step }])
    const limits: object = { message: undefined }
    const client = connectClient(sidecar, { watch, limits, verifyInterval: 0 })
    const failed = client.once('error')
    const taken = client.waitFor(({ object_meta }) => object_meta.resource_version === '2')
    expect(await Promise.race([failed, taken])).toMatchObject({ code: 'LIMIT' })
  })

  test('everything else too', async () => {
    const nothing = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, undefined]))
    const sidecar = await startScripted()
    const options: ClientOptions = {
      ...nothing('platform', 'watch', 'crossOrigin', 'int64', 'timeout', 'signal', 'verifyInterval', 'fetch'),
      ...nothing('WebSocket', 'XMLHttpRequest', 'TextDecoder', 'scheduler', 'now', 'random', 'logger'),
      ...nothing('shutdownOnPageHide', 'processSignals'),
      retry: nothing('initialDelay', 'factor', 'maxDelay', 'timeout'),
      limits: nothing('message', 'body'),
      autoHealth: nothing('interval', 'check', 'stallTimeout', 'worker'),
    }
    const client = createClient({ ...options, baseUrl: sidecar.url })
    onTestFinished(() => client.close())
    expect(await client.once('health')).toMatchObject({ ok: true })
    await client.waitFor('Ready')
    await client.setLabel('a', 'b')
  })
})
