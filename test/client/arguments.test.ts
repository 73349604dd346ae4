import { expect, test } from 'vitest'
import type { SidecarClient } from '../../src/index.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { calls, connectClient, startSidecar } from '../support/with-sidecar.js'

type Call = (client: SidecarClient, value: never) => Promise<unknown>

/** Every place where a caller's own value goes in. */
const places: [string, Call][] = [
  ['seconds of reserve', (client, value) => client.reserve(value)],
  ['key of setLabel', (client, value) => client.setLabel(value, 'v')],
  ['value of setLabel', (client, value) => client.setLabel('k', value)],
  ['key of setAnnotation', (client, value) => client.setAnnotation(value, 'v')],
  ['value of setAnnotation', (client, value) => client.setAnnotation('k', value)],
  ['key of getCounter', (client, value) => client.getCounter(value)],
  ['count of updateCounter', (client, value) => client.updateCounter('x', { count: value })],
  ['capacity of updateCounter', (client, value) => client.updateCounter('x', { capacity: value })],
  ['countDiff of updateCounter', (client, value) => client.updateCounter('x', { countDiff: value })],
  ['key of getList', (client, value) => client.getList(value)],
  ['capacity of updateList', (client, value) => client.updateList('x', { capacity: value })],
  ['values of updateList', (client, value) => client.updateList('x', { values: value })],
  ['one of values of updateList', (client, value) => client.updateList('x', { values: [value] })],
  ['key of addListValue', (client, value) => client.addListValue(value, 'v')],
  ['value of addListValue', (client, value) => client.addListValue('k', value)],
  ['value of removeListValue', (client, value) => client.removeListValue('k', value)],
]

const throwing = {
  toString() {
    throw new Error('no text')
  },
}

/** What is no argument anywhere, and can't or can hardly be turned into text for a message. */
const values: [string, unknown][] = [
  ['an object without a prototype', Object.create(null)],
  ['an object whose toString throws', throwing],
  ['an array of such objects', [throwing]],
  ['a symbol', Symbol('x')],
  ['a function', () => 1],
]

test.each(values)('%s is INVALID_ARGUMENT wherever it is given, and nothing is sent', async (_what, value) => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar)
  const codes = places.map(async ([place, call]) => {
    const error: { name?: string; code?: string } = await call(client, value as never).then(
      () => ({ name: 'nothing' }),
      (error: unknown) => error as { name?: string; code?: string },
    )
    return [place, error.name, error.code]
  })
  expect(await Promise.all(codes)).toEqual(places.map(([place]) => [place, 'SidecarError', 'INVALID_ARGUMENT']))
  expect(sidecar.requests).toEqual([])
})

test.each([
  ['a bigint', 10n],
  ['the longest, as bigint', 9223372036n],
  ['decimal text', '10'],
])('reserve() takes %s', async (_what, seconds) => {
  const sidecar = await startScripted()
  expect(await connectClient(sidecar).reserve(seconds)).toBe('accepted')
  const [request] = sidecar.requests.filter(({ path }) => path === '/reserve')
  expect(JSON.parse(request!.body)).toEqual({ seconds: String(seconds) })
})

test.each([-1n, 9223372037n, 1n << 70n])('reserve(%d) as bigint is INVALID_ARGUMENT', async (seconds) => {
  const sidecar = await startScripted()
  await expect(connectClient(sidecar).reserve(seconds)).rejects.toMatchObject({
    name: 'SidecarError',
    code: 'INVALID_ARGUMENT',
    operation: 'reserve',
  })
  expect(sidecar.requests).toEqual([])
})

/** The `timeout` of a call may be Infinity, but must be a number that is not negative. */
const timed: [string, (client: SidecarClient, timeout: number) => Promise<unknown>][] = [
  ['ready', (client, timeout) => client.ready({ timeout })],
  ['health', (client, timeout) => client.health({ timeout })],
  ['setLabel', (client, timeout) => client.setLabel('a', 'b', { timeout })],
  ['getCounter', (client, timeout) => client.getCounter('rooms', { timeout })],
  ['addListValue', (client, timeout) => client.addListValue('players', `${timeout}`, { timeout })],
  ['getGameServer', (client, timeout) => client.getGameServer({ timeout })],
  ['connect', (client, timeout) => client.connect({ timeout })],
  ['waitFor', (client, timeout) => client.waitFor(() => true, { timeout })],
  ['once', (client, timeout) => client.once('gameserver', { timeout })],
]

test.each(timed.flatMap(([name, call]) => [NaN, -1].map((timeout) => [name, timeout, call] as const)))(
  '%s({ timeout: %o }) is INVALID_ARGUMENT, which says so, and nothing is sent',
  async (operation, timeout, call) => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar)
    await expect(call(client, timeout)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation,
      message: expect.stringMatching(new RegExp(`timeout.*${timeout}`)),
    })
    expect(calls(sidecar)).toEqual([])
  },
)

test.each(timed)('%s({ timeout: Infinity }) and undefined are taken', async (_name, call) => {
  const client = connectClient(await startSidecar())
  await call(client, Infinity)
  await call(client, undefined as never)
})

test.each([0, NaN, -1, 1.5])(
  'watchGameServer({ queue: %o }) is INVALID_ARGUMENT, and does not wait for ever',
  async (queue) => {
    const client = connectClient(await startSidecar())
    const first = async (): Promise<unknown> => client.watchGameServer({ queue })[Symbol.asyncIterator]().next()
    const instead = client.waitFor(() => true).then(() => new Promise((resolve) => setImmediate(resolve, 'nothing')))
    await expect(Promise.race([first(), instead])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation: 'watchGameServer',
      message: expect.stringMatching(new RegExp(`queue.*${queue}`)),
    })
  },
)
