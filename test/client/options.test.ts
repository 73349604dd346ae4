import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient, type ClientOptions, type SidecarError } from '../../src/index.js'
import { createClient as createNodeClient } from '../../src/index.node.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'
import { searching } from './told-answers.js'
import { misspeltOptions, wrongOptions } from './wrong-input.js'

const baseUrl = 'http://127.0.0.1:1'

/** The error of a client with these options, and an address unless they have one. */
function refusing(options: unknown, create: typeof createClient = createClient): SidecarError {
  try {
    create((typeof options === 'object' ? { baseUrl, ...options } : options) as ClientOptions).close()
  } catch (error) {
    return error as SidecarError
  }
  return expect.fail('it was taken')
}

describe.each([
  ['pages', createClient],
  ['Node', createNodeClient],
])('createClient() for %s', (where, create) => {
  test.each(wrongOptions)(`createClient() for ${where} refuses %s with CONFIG`, (_what, options, ...named) => {
    const error = refusing(options, create)
    expect(error).toMatchObject({ name: 'SidecarError', code: 'CONFIG' })
    for (const name of named) expect(error.message).toContain(name)
  })

  test.each(misspeltOptions)(
    `createClient() for ${where} refuses %o: for "%s" the hint names %s`,
    (options, given, meant) => {
      const error = refusing(options, create)
      expect(error).toMatchObject({ name: 'SidecarError', code: 'CONFIG', message: expect.stringContaining(given) })
      expect(error.hint).toMatch(new RegExp(`mean \\W?${meant}\\b`))
    },
  )

  test(`createClient() for ${where} takes null for no options`, () => {
    expect(() => create(null as never)).toThrow(expect.objectContaining({ code: 'CONFIG' }))
  })
})

test.each([
  [{ timeout: 0 }, 'processSignals.timeout'],
  [{ timeout: NaN }, 'processSignals.timeout'],
  [{ onsignal: () => {} }, 'onSignal'],
])('createClient() for Node refuses processSignals of %o with CONFIG', (processSignals, named) => {
  expect(refusing({ processSignals }, createNodeClient)).toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining(named),
  })
})

test.each([{ xyz: 1 }, { retry: { xyz: 1 } }])('nothing is suggested for %o', (options) => {
  expect(refusing(options).hint ?? '').not.toMatch(/\bmean\b/)
})

test('every word, group and endless time that an option documents is taken', () => {
  const each: ClientOptions[] = [
    ...(['auto', 'websocket', 'stream'] as const).map((watch) => ({ watch })),
    ...(['auto', 'direct', 'never'] as const).map((crossOrigin) => ({ crossOrigin })),
    { retry: false },
    { retry: {} },
    { autoHealth: false },
    { autoHealth: true },
    { limits: {} },
    { verifyInterval: 0 },
    { timeout: Infinity, retry: { timeout: Infinity, maxDelay: Infinity }, autoHealth: { stallTimeout: Infinity } },
    { timeout: 0.5, limits: { body: Infinity, message: Infinity } },
  ]
  for (const options of each) createClient({ baseUrl, ...options }).close()
  createNodeClient({ baseUrl, processSignals: { timeout: Infinity } }).close()
})

describe('an option that is undefined has its default', () => {
  const nothing = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, undefined]))

  test('undefined for every option leaves a client that beats, watches and writes', async () => {
    const sidecar = await startScripted()
    const options: ClientOptions = {
      ...nothing('platform', 'watch', 'crossOrigin', 'int64', 'timeout', 'signal', 'verifyInterval', 'fetch'),
      ...nothing('WebSocket', 'XMLHttpRequest', 'TextDecoder', 'scheduler', 'now', 'random', 'logger'),
      ...nothing('shutdownOnPageHide', 'processSignals'),
      retry: nothing('initialDelay', 'factor', 'maxDelay', 'timeout'),
      limits: nothing('message', 'body'),
      autoHealth: nothing('interval', 'check', 'stallTimeout', 'worker'),
    }
    const client = createNodeClient({ ...options, baseUrl: sidecar.url })
    onTestFinished(() => client.close())
    expect(await client.once('health')).toMatchObject({ ok: true })
    await client.waitFor('Ready')
    await client.setLabel('a', 'b')
  })

  test('retry: the first delay is 250 ms, then 1.6 times as long each, and a call gives up after a minute', async () => {
    const { client, asked, pass } = searching({ retry: nothing('initialDelay', 'factor', 'maxDelay', 'timeout') })
    const given = client.getGameServer().catch((error: unknown) => (error as SidecarError).code)
    await pass(3000)
    expect(asked).toEqual([0, 250, 650, 1300, 2350])
    await pass(56_950)
    expect(await Promise.race([given, Promise.resolve('waiting')])).toBe('waiting')
    await pass(50)
    expect(await given).toBe('TIMEOUT')
  })

  test('limits.body: an answer of 17 MiB is LIMIT', async () => {
    const body = JSON.stringify(gameServer(1)).padEnd(17 * 1024 * 1024)
    const sidecar = await startScripted([{ on: 'GET /gameserver', step: answering({ body }) }])
    await expect(connectClient(sidecar, { limits: nothing('body') }).getGameServer()).rejects.toMatchObject({
      code: 'LIMIT',
    })
  })
})

test('in Node without an address the error names the variable and exec, and nothing of pages', () => {
  expect(() => createNodeClient()).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringMatching(/(?=.*AGONES_SDK_HTTP_PORT)(?=.*\bexec\b)(?!.*data-port)/s),
    }),
  )
})

test.each([createClient, createNodeClient])('the option port is refused with the hint baseUrl', (create) => {
  expect(() => create({ port: 9358 } as never)).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringContaining('port'),
      hint: expect.stringMatching(/mean \W?baseUrl\b/),
    }),
  )
})
