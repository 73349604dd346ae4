import { expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { collectUncaught } from '../support/uncaught.js'
import { startSidecar } from '../support/with-sidecar.js'

/** A turn of the event loop, in which a rejection that nobody handled would be told. */
const aTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

const expectServing = async (local: LocalSidecar): Promise<void> => {
  expect((await fetch(`${local.url}/ready`, { method: 'POST', body: '{}' })).status).toBe(200)
  expect((await fetch(`${local.url}/gameserver`)).status).toBe(200)
}

const throwing = (): void => {
  throw new Error('a mistake')
}
/** A listener may be an async function, though its type says that nobody waits for it. */
const rejecting = (() => Promise.reject(new Error('a mistake'))) as () => void

test.each([
  ['throws', throwing],
  ['rejects', rejecting],
])('a listener that %s stops nothing, and the error is reported', async (_how, listener) => {
  const uncaught = collectUncaught()
  const warnings: string[] = []
  const local = await startSidecar({ mode: 'local', onWarning: (text) => void warnings.push(text) })
  const entries: number[] = []
  const expectTold = async (): Promise<void> => {
    await expectServing(local)
    await aTurn()
    expect(warnings.splice(0)[0]).toContain('a mistake')
  }
  local.sidecar.onDisconnect(listener)
  expect(local.control({ type: 'restart' })).toEqual({ ok: true })
  await expectTold()

  const forget = local.sidecar.log.subscribe(listener)
  local.sidecar.log.subscribe(({ seq }) => void entries.push(seq))
  await expectTold()
  expect(entries).toHaveLength(2)
  forget()

  local.sidecar.watch({ onMessage: listener, onEnd: listener })
  local.control({ type: 'failCalls', operations: ['watchGameServer'] })
  local.sidecar.watch({ onMessage: listener, onError: listener })
  await expectTold()
  expect(uncaught).toEqual([])
})

test('onWarning and onLog that throw stop nothing', async () => {
  const uncaught = collectUncaught()
  const local = await startSidecar({ mode: 'local', onWarning: throwing, onLog: rejecting })
  local.sidecar.log.subscribe(throwing)
  const headers = { origin: 'http://evil.example' }
  expect((await fetch(`${local.url}/gameserver`, { headers })).status).toBe(403)
  await expectServing(local)
  await aTurn()
  expect(uncaught).toEqual([])
})

test('a command with bigints is in the log as JSON', async () => {
  const local = await startSidecar({ mode: 'local' })
  const status = { counters: { rooms: { count: 2n ** 62n, capacity: 2n ** 62n } } }
  expect(local.control({ type: 'reload', gameServer: { status } })).toEqual({ ok: true })
  const log = (await (await fetch(`${local.url}/_/api/log`)).json()) as { entries: unknown[] }
  expect(JSON.stringify(log.entries)).toContain('"count":"4611686018427387904"')
})
