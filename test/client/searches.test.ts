import { describe, expect, test } from 'vitest'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'
import { good, ignore, searching } from './told-answers.js'

describe('a sidecar that is not there', () => {
  test('is asked for less and less, by all who wait together', async () => {
    const { client, asked, pass } = searching()
    ignore(client.getGameServer())
    ignore(client.setLabel('a', 'b'))
    ignore(client.health())
    await pass(16_000)
    expect(asked).toEqual([0, 1000, 3000, 7000, 11_000, 15_000])
  })

  test('is found by all of them at once, and then asked for no more', async () => {
    const { client, asked, answer, pass } = searching()
    const both = Promise.all([client.getGameServer(), client.allocate()])
    await pass(2000)
    answer(good)
    await pass(1000)
    expect((await both)[1]).toBe('accepted')
    // One answer to the search, and one to each call.
    expect(asked.slice(0, 2)).toEqual([0, 1000])
    expect(asked).toHaveLength(5)
    await client.allocate()
    expect(asked).toHaveLength(6)
  })

  test('is asked for no more when nobody waits any more, and then not sooner than it would have been', async () => {
    const { client, asked, pass } = searching()
    const controller = new AbortController()
    const given = client.getGameServer({ signal: controller.signal })
    ignore(given)
    await pass(1500)
    expect(asked).toEqual([0, 1000])
    controller.abort()
    await expect(given).rejects.toMatchObject({ code: 'ABORTED' })
    await pass(500)
    ignore(client.getGameServer())
    await pass(500)
    expect(asked).toEqual([0, 1000])
    await pass(5000)
    expect(asked).toEqual([0, 1000, 3000, 7000])
  })

  test('is asked for at once by who comes much later', async () => {
    const { client, asked, pass } = searching()
    ignore(client.getGameServer({ timeout: 1500 }))
    await pass(20_000)
    expect(asked).toEqual([0, 1000])
    ignore(client.getGameServer({ timeout: 1500 }))
    await pass(100)
    expect(asked).toEqual([0, 1000, 20_000])
  })

  test('is asked for while one of two still waits', async () => {
    const { client, asked, pass } = searching()
    ignore(client.getGameServer({ timeout: 500 }))
    ignore(client.getGameServer())
    await pass(3500)
    expect(asked).toEqual([0, 1000, 3000])
  })

  test('is asked anew after 4 s where it took the question and says nothing', async () => {
    const { client, asked, answer, pass, signals } = searching()
    answer('never')
    ignore(client.getGameServer())
    await pass(3950)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    await pass(50)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    await pass(1000)
    expect(asked).toEqual([0, 5000])
  })

  test('that was found and is lost is asked for at once, and then as often as in the beginning', async () => {
    const { client, asked, answer, pass } = searching()
    const found = client.getGameServer()
    await pass(5000)
    answer(good)
    await pass(3000)
    await found
    answer('refused')
    ignore(client.getGameServer({ timeout: 100 }))
    await pass(10_000)
    const before = asked.length
    ignore(client.getGameServer())
    await pass(5000)
    expect(asked.slice(before)).toEqual([18_000, 19_000, 21_000])
  })

  test('may say how long it wants to be left alone', async () => {
    const { client, asked, answer, pass } = searching()
    answer({ status: 503, retryAfter: '8' })
    ignore(client.getGameServer())
    await pass(9000)
    expect(asked).toEqual([0, 8000])
  })

  test('but no sooner than it would have been asked anyway', async () => {
    const { client, asked, answer, pass } = searching({ retry: { initialDelay: 3000, timeout: 1e6 } })
    answer({ status: 503, retryAfter: '1' })
    ignore(client.getGameServer())
    await pass(3500)
    expect(asked).toEqual([0, 3000])
  })
})

test('who waits is told at once where another than a sidecar answers', async () => {
  const { client, answer } = searching()
  answer({ status: 404 })
  const [read, written] = await Promise.allSettled([client.getGameServer(), client.setLabel('a', 'b')])
  expect(read).toMatchObject({ reason: { code: 'PROTOCOL', status: 404, operation: 'getGameServer' } })
  expect(written).toMatchObject({ reason: { code: 'PROTOCOL', status: 404, operation: 'setLabel' } })
})

test('who waits is told at once what no repetition can change, by one answer for all', async () => {
  const { client, asked, answer, pass } = searching({ limits: { body: 100 } })
  answer(good)
  const [read, written] = await Promise.allSettled([client.getGameServer(), client.setLabel('a', 'b')])
  expect(read).toMatchObject({ reason: { code: 'LIMIT', operation: 'getGameServer' } })
  expect(written).toMatchObject({ reason: { code: 'LIMIT', operation: 'setLabel' } })
  await pass(5000)
  expect(asked).toHaveLength(1)
})

test('nobody asks whether a sidecar is there that has just answered', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar, { retry: false, verifyInterval: 0 })
  await client.getGameServer()
  client.on('gameserver', () => {})
  await sidecar.until(() => sidecar.followers === 1, 'the watch')
  expect(sidecar.requests.map(({ path }) => path).slice(0, 2)).toEqual(['/gameserver', '/watch/gameserver'])
})

describe('that nobody is there is told to the developer', () => {
  test('but not where somebody was, before the first search', async () => {
    const { client, answer, pass, warn } = searching({ retry: false })
    answer(good)
    await client.getGameServer()
    answer('refused')
    await client.getGameServer().catch(() => {})
    client.on('gameserver', () => {})
    await pass(5000)
    expect(warn).not.toHaveBeenCalled()
  })

  test('after 2 s, once', async () => {
    const { client, pass, warn } = searching()
    ignore(client.getGameServer())
    await pass(1950)
    expect(warn).not.toHaveBeenCalled()
    await pass(50)
    expect(warn.mock.calls).toEqual([[expect.stringContaining('http://127.0.0.1:1')]])
    await pass(20_000)
    ignore(client.getGameServer())
    await pass(20_000)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('unless it answers before, or has once answered', async () => {
    const { client, answer, pass, warn } = searching()
    const found = client.getGameServer()
    await pass(900)
    answer(good)
    await pass(200)
    await found
    answer('refused')
    ignore(client.getGameServer({ timeout: 30_000 }))
    await pass(20_000)
    expect(warn).not.toHaveBeenCalled()
  })
})

test('what a search has read is the GameServer that is known', async () => {
  const { client, answer, pass } = searching()
  answer(good)
  const written = client.setLabel('a', 'b')
  await pass(100)
  expect(await written).toBe('accepted')
  expect(client.gameServer).toEqual(gameServer(1))
})
