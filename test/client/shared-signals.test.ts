import { getEventListeners } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { CallOptions, SidecarClient } from '../../src/index.js'
import { blackHole, following } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

/** What Node warns of while a test runs: among others, of more than ten listeners on one signal. */
function collectWarnings(): string[] {
  const warnings: string[] = []
  const collect = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', collect)
  onTestFinished(() => void process.removeListener('warning', collect))
  return warnings
}

const many = 50
const times = <T>(make: (n: number) => T): T[] => Array.from({ length: many }, (_, n) => make(n))

const waits: [string, (client: SidecarClient, options: CallOptions, n: number) => Promise<unknown>][] = [
  ['waitFor', (client, options) => client.waitFor('Allocated', options)],
  ['once', (client, options) => client.once('error', options)],
  ['setLabel', (client, options, n) => client.setLabel(`key${n}`, 'v', options)],
  ['getGameServer', (client, options) => client.getGameServer(options)],
  [
    'watchGameServer',
    (client, { signal }) => {
      const iterator = client.watchGameServer({ signal: signal! })[Symbol.asyncIterator]()
      return iterator.next().then(() => iterator.next())
    },
  ],
]

test.each(waits)(`one signal for ${many} calls of %s has one listener, and ends them all`, async (_name, call) => {
  const warnings = collectWarnings()
  const sidecar = await startScripted()
  const client = connectClient(sidecar, { verifyInterval: 0 })
  await client.connect()
  sidecar.play([
    { on: 'watch', step: following },
    { on: '*', step: blackHole },
  ])
  const { signal, abort } = newController()
  const ended = Promise.allSettled(times((n) => call(client, { signal }, n)))
  await new Promise((resolve) => setTimeout(resolve, 50)) // long enough for each call to have begun
  expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1)
  abort()
  for (const one of await ended)
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'ABORTED' })
    else expect(one.value).toEqual({ done: true, value: undefined })
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(warnings).toEqual([])
})

test('a signal that outlives its calls is left as it was', async () => {
  const warnings = collectWarnings()
  const client = connectClient(await startScripted())
  const { signal } = newController()
  await Promise.all(times((n) => client.setLabel(`key${n}`, 'v', { signal })))
  await Promise.all(times(() => client.getGameServer({ signal })))
  await client.health({ signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(warnings).toEqual([])
})

test('a signal that several clients and their calls share ends them all', async () => {
  const warnings = collectWarnings()
  const sidecar = await startScripted()
  const { signal, abort } = newController()
  const clients = [1, 2, 3, 4].map(() => connectClient(sidecar, { signal }))
  const pending = clients.flatMap((client) => times(() => client.once('error', { signal })))
  await new Promise(setImmediate)
  abort()
  for (const client of clients) expect(client.status.connection).toBe('closed')
  for (const one of await Promise.allSettled(pending))
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'ABORTED' } })
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
})

function newController(): { signal: AbortSignal; abort(): void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
