import { describe, expect, onTestFinished, test } from 'vitest'
import { AgonesSDK, type AgonesSDKOptions, type GameServer } from '../../src/agones-sdk/index.js'
import { isSidecarError } from '../../src/index.node.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { startSidecar } from '../support/with-sidecar.js'

function startSdk({ url }: { url: string }, options: AgonesSDKOptions = {}): AgonesSDK {
  const sdk = new AgonesSDK({ baseUrl: url, ...options })
  onTestFinished(() => sdk.close())
  return sdk
}

/** Arguments as plain JavaScript gives them. */
const wrong = (value: unknown): never => value as never

describe('a GameServer that makes no sense ends neither the call nor the process', () => {
  const odd: Record<string, object> = {
    'a list that is null': { lists: { players: null } },
    'values that are a number': { lists: { players: { capacity: '4', values: 5 } } },
    'values that are an object': { lists: { players: { capacity: {}, values: { a: 1 } } } },
    'a counter that is null': { counters: { rooms: null } },
    'addresses that are no array': { addresses: { a: 1 } },
    'an address that is null': { addresses: [null] },
    'ports that are a text': { ports: 'x' },
    'players that are odd': { players: { count: {}, ids: 5 } },
  }
  test.each(Object.entries(odd))('%s', async (_, status) => {
    const base = gameServer(1)
    const body = JSON.stringify({ ...base, status: { ...base.status, ...status } })
    const sidecar = await startScripted([
      { on: 'GET /gameserver', step: ({ reply }) => reply({ body }) },
      { on: 'watch', step: ({ reply }) => reply({ body: `{"result":${body}}\n` }) },
    ])
    const sdk = startSdk(sidecar)
    expect((await sdk.getGameServer()).status.state).toBe(base.status.state)
    const told = await new Promise<GameServer>((resolve) => sdk.watchGameServer(resolve))
    expect(told.status.state).toBe(base.status.state)
  })
})

describe('wrong arguments', () => {
  test('a callback that is no function is refused at once, not when it would be called', async () => {
    const sdk = startSdk(await startSidecar())
    const refusal = (name: string): object =>
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        grpcCode: 3,
        message: expect.stringContaining(`${name} must be a function; got `),
      })
    expect(() => sdk.watchGameServer(wrong(undefined))).toThrow(refusal('callback'))
    expect(() => sdk.watchGameServer(() => {}, wrong('log'))).toThrow(refusal('errorCallback'))
    expect(() => sdk.health(wrong(1000))).toThrow(refusal('errorCallback'))
    expect(() => sdk.health(wrong(null))).not.toThrow()
  })

  test('a player id that is no text, or empty, and a capacity that is no number, are refused before they are sent', async () => {
    const sidecar = await startScripted()
    const { alpha } = startSdk(sidecar)
    const attempts = [undefined, null, 5, '', 'half a pair \ud800', {}].flatMap((id) => [
      alpha.playerConnect(wrong(id)),
      alpha.playerDisconnect(wrong(id)),
      alpha.isPlayerConnected(wrong(id)),
    ])
    for (const capacity of [undefined, NaN, '5', 1.5]) attempts.push(alpha.setPlayerCapacity(wrong(capacity)) as never)
    for (const { status, reason } of (await Promise.allSettled(attempts)) as PromiseRejectedResult[])
      expect([status, (reason as { code: string }).code]).toStrictEqual(['rejected', 'INVALID_ARGUMENT'])
    expect(sidecar.requests.filter(({ path }) => path.startsWith('/alpha'))).toHaveLength(0)
  })

  test('every method refuses what JavaScript may give it with an error of this package', async () => {
    const sdk = startSdk(await startSidecar())
    const { beta } = sdk
    const attempts = [undefined, null, NaN, {}, Symbol('x')].flatMap((value) => [
      sdk.setLabel(wrong(value), wrong(value)),
      sdk.setAnnotation(wrong(value), wrong(value)),
      sdk.reserve(wrong(value)),
      beta.getCounterCount(wrong(value)),
      beta.incrementCounter('rooms', wrong(value)),
      beta.decrementCounter('rooms', wrong(value)),
      beta.setCounterCount('rooms', wrong(value)),
      beta.setCounterCapacity('rooms', wrong(value)),
      beta.getListValues(wrong(value)),
      beta.appendListValue('players', wrong(value)),
      beta.deleteListValue('players', wrong(value)),
      beta.setListCapacity('players', wrong(value)),
    ])
    for (const { status, reason } of (await Promise.allSettled(attempts)) as PromiseRejectedResult[])
      expect([status, isSidecarError(reason)]).toStrictEqual(['rejected', true])
  })
})

test('an address with a slash at its end works for player tracking too', async () => {
  const sidecar = await startScripted([
    { on: 'GET /alpha/player/count', step: ({ reply }) => reply({ body: '{"count":"3"}' }) },
  ])
  const { alpha } = startSdk({ url: sidecar.url + '/' })
  expect(await alpha.getPlayerCount()).toBe(3)
})

test('connecting twice, closing twice and calls after close() are outcomes, not crashes', async () => {
  const sdk = startSdk(await startSidecar())
  await Promise.all([sdk.connect(), sdk.connect()])
  await sdk.connect()
  sdk.close()
  sdk.close()
  sdk.watchGameServer(() => {})
  for (const call of [sdk.connect(), sdk.ready(), sdk.getGameServer(), sdk.beta.getListValues('players')])
    await expect(call).rejects.toMatchObject({ code: 'CLOSED', grpcCode: 1 })
})
