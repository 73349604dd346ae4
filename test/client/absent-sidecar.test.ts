import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { ClientOptions, HealthEvent, SidecarClient } from '../../src/index.js'
import { hurried } from '../faults/manual-clock.js'
import type { ScriptedSidecar } from '../support/fault-server.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

/** A second takes 25 ms. */
const clock = hurried(40)

/** A sidecar that isn't there yet, and a client of it. */
async function beforeItsSidecar(options: ClientOptions): Promise<[SidecarClient, ScriptedSidecar]> {
  const sidecar = await startScripted()
  await sidecar.stop()
  const client = createClient({ ...clock.options, baseUrl: sidecar.url, ...options })
  onTestFinished(() => client.close())
  return [client, sidecar]
}

describe('a program whose sidecar is not there', () => {
  const ways: [string, ClientOptions, (client: SidecarClient) => unknown][] = [
    ['a call', {}, (client) => client.ready().catch(() => {})],
    ['the watch', {}, (client) => client.on('gameserver', () => {})],
    ['the heartbeat', { autoHealth: true }, () => {}],
    ['all of them', { autoHealth: true }, (client) => [client.on('state', () => {}), client.connect().catch(() => {})]],
  ]

  test.each(ways)('is warned once, with where it was looked for: %s', async (_name, options, begin) => {
    const warnings: string[] = []
    const [client, sidecar] = await beforeItsSidecar({ ...options, logger: { warn: (text) => warnings.push(text) } })
    begin(client)
    await clock.pass(1000)
    expect(warnings).toEqual([])
    await clock.pass(3000)
    expect(warnings).toEqual([expect.stringContaining(sidecar.url)])
    await clock.pass(30_000)
    expect(warnings).toHaveLength(1)
  })

  test('is warned on the console where it gave no logger', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    const [client, sidecar] = await beforeItsSidecar({})
    client.ready().catch(() => {})
    await clock.pass(10_000)
    expect(warn.mock.calls).toEqual([[expect.stringContaining(sidecar.url)]])
  })

  test('is not warned once more when the sidecar comes and goes', async () => {
    const warnings: string[] = []
    const [client, sidecar] = await beforeItsSidecar({ logger: { warn: (text) => warnings.push(text) } })
    client.on('gameserver', () => {})
    await clock.pass(5000)
    await sidecar.start()
    await client.waitFor('Ready')
    await sidecar.stop()
    await clock.pass(10_000)
    expect(warnings).toHaveLength(1)
  })
})

describe('nobody is warned', () => {
  test('where the sidecar answered before, and the first search is for one that has gone', async () => {
    const warnings: string[] = []
    const [client, sidecar] = await beforeItsSidecar({ retry: false, logger: { warn: (text) => warnings.push(text) } })
    await sidecar.start()
    await client.getGameServer()
    client.on('gameserver', () => {})
    await sidecar.stop()
    await clock.pass(10_000)
    expect(warnings).toEqual([])
  })

  test('where the sidecar answered before', async () => {
    const warnings: string[] = []
    const [client, sidecar] = await beforeItsSidecar({
      autoHealth: true,
      logger: { warn: (text) => warnings.push(text) },
    })
    const connected = client.connect()
    await clock.pass(500)
    await sidecar.start()
    await connected
    await clock.pass(20_000)
    expect(warnings).toEqual([])
  })

  test('who asked for nothing, or closed the client before', async () => {
    const warnings: string[] = []
    const logger = { warn: (text: string) => warnings.push(text) }
    const [, sidecar] = await beforeItsSidecar({ logger })
    const closed = createClient({ ...clock.options, baseUrl: sidecar.url, logger })
    closed.connect().catch(() => {})
    await clock.pass(1000)
    closed.close()
    await clock.pass(10_000)
    expect(warnings).toEqual([])
  })
})

test('beats before the sidecar has answered at all are not told as failed, but as waiting for it', async () => {
  const [client, sidecar] = await beforeItsSidecar({ autoHealth: { interval: 1000 } })
  const events: HealthEvent[] = []
  client.on('health', (event) => void events.push(event))
  await clock.pass(10_000)
  expect(events.filter(({ ok }) => ok === false)).toEqual([])
  expect(events.filter(({ reason }) => !/waiting/i.test(String(reason)))).toEqual([])
  expect(client.status).toMatchObject({ healthy: undefined, lastBeat: undefined })
  await sidecar.start()
  await client.connect()
  while (!client.status.healthy) await client.once('health')
  expect(events.filter(({ ok }) => ok === false)).toEqual([])
  await sidecar.stop()
  while (client.status.healthy) await client.once('health')
  expect(events.at(-1)).toMatchObject({ ok: false, reason: expect.not.stringMatching(/waiting/i) })
})
