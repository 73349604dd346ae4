import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { calls, connectClient, startSidecar } from '../support/with-sidecar.js'

const baseUrl = 'http://127.0.0.1:1'
const soon = 200

/** Says the name that was given and the one that was meant. */
const naming = (given: string, meant: string): unknown =>
  expect.stringMatching(new RegExp(`(?=[^]*\\b${given}\\b)(?=[^]*\\b${meant}\\b)`))

describe('an option that does not exist is CONFIG, with the nearest that does', () => {
  test.each<[object, string, string]>([
    [{ autoheath: true }, 'autoheath', 'autoHealth'],
    [{ baseURL: baseUrl }, 'baseURL', 'baseUrl'],
    [{ websocket: class {} }, 'websocket', 'WebSocket'],
    [{ verifyIntervall: 1 }, 'verifyIntervall', 'verifyInterval'],
    [{ processSignal: true }, 'processSignal', 'processSignals'],
    [{ autoHealth: { chekc: () => true } }, 'chekc', 'check'],
    [{ autoHealth: { intervall: 1000 } }, 'intervall', 'interval'],
    [{ retry: { timeOut: 1 } }, 'timeOut', 'timeout'],
    [{ retry: { initalDelay: 1 } }, 'initalDelay', 'initialDelay'],
    [{ limits: { mesage: 1 } }, 'mesage', 'message'],
    [{ processSignals: { onsignal: () => {} } }, 'onsignal', 'onSignal'],
  ])('%o', (options, given, meant) => {
    expect(() => createClient({ baseUrl, ...options }).close()).toThrow(
      expect.objectContaining({ name: 'SidecarError', code: 'CONFIG', message: naming(given, meant) }),
    )
  })
})

type Call = (client: SidecarClient, options: never) => unknown

describe('an option of a call that does not exist is INVALID_ARGUMENT, with the nearest that does', () => {
  test.each<[string, object, string, string, Call]>([
    ['ready', { confrim: true }, 'confrim', 'confirm', (client, options) => client.ready(options)],
    ['allocate', { Confirm: true }, 'Confirm', 'confirm', (client, options) => client.allocate(options)],
    ['shutdown', { time: 5 }, 'time', 'timeout', (client, options) => client.shutdown(options)],
    ['reserve', { singal: 5 }, 'singal', 'signal', (client, options) => client.reserve(1, options)],
    ['health', { timeOut: 5 }, 'timeOut', 'timeout', (client, options) => client.health(options)],
    ['getGameServer', { timeOut: 5 }, 'timeOut', 'timeout', (client, options) => client.getGameServer(options)],
    ['connect', { timeOut: 5 }, 'timeOut', 'timeout', (client, options) => client.connect(options)],
    ['setLabel', { confirmed: true }, 'confirmed', 'confirm', (client, options) => client.setLabel('a', 'b', options)],
    ['setAnnotation', { confrm: 1 }, 'confrm', 'confirm', (client, options) => client.setAnnotation('a', 'b', options)],
    ['getCounter', { timeOut: 5 }, 'timeOut', 'timeout', (client, options) => client.getCounter('rooms', options)],
    [
      'addListValue',
      { Timeout: 5 },
      'Timeout',
      'timeout',
      (client, options) => client.addListValue('players', 'b', options),
    ],
    ['once', { timeOut: soon }, 'timeOut', 'timeout', (client, options) => client.once('gameserver', options)],
    ['waitFor', { timeOut: soon }, 'timeOut', 'timeout', (client, options) => client.waitFor(() => true, options)],
    [
      'watchGameServer',
      { overflo: 'fail' },
      'overflo',
      'overflow',
      async (client, options) => client.watchGameServer(options)[Symbol.asyncIterator]().next(),
    ],
  ])('%s(%o)', async (operation, options, given, meant, call) => {
    const sidecar = await startSidecar()
    await expect(call(connectClient(sidecar), options as never)).rejects.toMatchObject({
      name: 'SidecarError',
      code: 'INVALID_ARGUMENT',
      operation,
      message: naming(given, meant),
    })
    expect(calls(sidecar)).toEqual([])
  })

  test('and so is a way to overflow that does not exist', async () => {
    const client = connectClient(await startSidecar())
    const first = async (): Promise<unknown> => {
      const watching = client.watchGameServer({ overflow: 'fial' as never })
      return watching[Symbol.asyncIterator]().next()
    }
    await expect(first()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: naming('fial', 'fail') })
  })

  test.each<[string, string, string, Call, object]>([
    ['updateCounter', 'capcity', 'capacity', (c, update) => c.updateCounter('rooms', update), { count: 1, capcity: 5 }],
    ['updateCounter', 'countdiff', 'countDiff', (c, update) => c.updateCounter('rooms', update), { countdiff: 1 }],
    ['updateList', 'vlaues', 'values', (c, update) => c.updateList('players', update), { capacity: 5, vlaues: [] }],
  ])('and so is a field of %s: %s', async (operation, given, meant, call, update) => {
    const sidecar = await startSidecar()
    await expect(call(connectClient(sidecar), update as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation,
      message: naming(given, meant),
    })
    expect(calls(sidecar)).toEqual([])
  })
})

describe('an event that does not exist is INVALID_ARGUMENT, with the nearest that does', () => {
  const wrong = [
    ['stat', 'state'],
    ['gameServer', 'gameserver'],
    ['labels', 'label'],
    ['erorr', 'error'],
  ] as const

  test.each(wrong)('on(%s) throws', async (given, meant) => {
    const client = connectClient(await startSidecar())
    expect(() => client.on(given as never, () => {})).toThrow(
      expect.objectContaining({ name: 'SidecarError', code: 'INVALID_ARGUMENT', message: naming(given, meant) }),
    )
  })

  test.each(wrong)('once(%s) rejects', async (given, meant) => {
    const client = connectClient(await startSidecar())
    await expect(client.once(given as never, { timeout: soon })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation: 'once',
      message: naming(given, meant),
    })
  })

  test.each([undefined, null, 'listener', {}])(
    'on() without a listener that can be called throws: %o',
    async (none) => {
      const sidecar = await startSidecar()
      const client = connectClient(sidecar)
      expect(() => client.on('state', none as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('listener') }),
      )
      await client.connect()
      expect(sidecar.sidecar.snapshot().watchers).toEqual([])
    },
  )
})

describe('a state that does not exist is INVALID_ARGUMENT, and not waited for', () => {
  test.each([
    ['Alocated', 'Allocated'],
    ['ready', 'Ready'],
    ['ShutDown', 'Shutdown'],
    ['UnHealthy', 'Unhealthy'],
  ])('waitFor(%s) names %s', async (given, meant) => {
    const client = connectClient(await startSidecar())
    await expect(client.waitFor(given, { timeout: soon })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation: 'waitFor',
      message: naming(given, meant),
    })
  })

  test.each([undefined, null, 1, {}])('waitFor(%o) asks for a state or a function', async (given) => {
    const client = connectClient(await startSidecar())
    await expect(client.waitFor(given as never, { timeout: soon })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation: 'waitFor',
    })
  })

  test('a state of a newer platform is waited for by a function', async () => {
    const sidecar = await startScripted()
    sidecar.publish(gameServer(1, 'Draining'))
    const client = connectClient(sidecar)
    expect((await client.waitFor(({ status }) => status.state === 'Draining')).status.state).toBe('Draining')
    await expect(client.waitFor('Draining', { timeout: soon })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      hint: expect.stringMatching(/function|predicate|=>/),
    })
  })

  test.each(['Scheduled', 'Ready', 'Allocated', 'Reserved', 'Error', 'RequestReady', 'Unhealthy', 'Shutdown'] as const)(
    'every state that exists is waited for: %s',
    async (state) => {
      const sidecar = await startScripted()
      sidecar.publish(gameServer(1, state))
      expect((await connectClient(sidecar).waitFor(state)).status.state).toBe(state)
    },
  )
})
