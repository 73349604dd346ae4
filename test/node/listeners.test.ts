import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { LocalSidecar, LocalSidecarOptions } from '../../src/node/index.js'
import { collectUncaught } from '../support/uncaught.js'

async function start(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const local = await createLocalSidecar({ mode: 'local', ...options })
  onTestFinished(() => local.close())
  return local
}

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
/** What has no text of its own. */
const throwingNothing = (): void => {
  throw Object.create(null) as Error
}

describe.each([
  ['throws', throwing, /a mistake/],
  ['rejects', rejecting, /a mistake/],
  ['throws what has no text', throwingNothing, /object/],
])('a listener that %s ends nobody, and is told of', (_how, listener, told) => {
  test('one of the log', async () => {
    const uncaught = collectUncaught()
    const warnings: string[] = []
    const local = await start({ onWarning: (text) => void warnings.push(text) })
    const entries: number[] = []
    local.sidecar.log.subscribe(listener)
    local.sidecar.log.subscribe(({ seq }) => void entries.push(seq))
    await expectServing(local)
    await aTurn()
    expect(entries).toEqual([1, 2])
    expect(warnings[0]).toMatch(/^A listener threw: /)
    expect(warnings[0]).toMatch(told)
    expect(uncaught).toEqual([])
  })

  test('one of disconnections', async () => {
    const uncaught = collectUncaught()
    const warnings: string[] = []
    const local = await start({ onWarning: (text) => void warnings.push(text) })
    local.sidecar.onDisconnect(listener)
    expect(local.control({ type: 'restart' })).toEqual({ ok: true })
    await expectServing(local)
    await aTurn()
    expect(warnings).toEqual([expect.stringMatching(told)])
    expect(uncaught).toEqual([])
  })

  test('the receiver of a watch', async () => {
    const uncaught = collectUncaught()
    const warnings: string[] = []
    const local = await start({ onWarning: (text) => void warnings.push(text) })
    local.sidecar.watch({ onMessage: listener, onEnd: listener })
    await expectServing(local)
    local.control({ type: 'failCalls', operations: ['watchGameServer'] })
    local.sidecar.watch({ onMessage: listener, onError: listener })
    local.control({ type: 'failCalls', operations: ['watchGameServer'], drop: true })
    local.sidecar.watch({ onMessage: listener, onEnd: listener })
    await expectServing(local)
    await aTurn()
    expect(warnings.length).toBeGreaterThan(0)
    expect(uncaught).toEqual([])
  })

  test('the one of warnings, and the one of the log of refusals', async () => {
    const uncaught = collectUncaught()
    const local = await start({ onWarning: listener, onLog: listener })
    local.sidecar.log.subscribe(throwing)
    const headers = { origin: 'http://evil.example' }
    expect((await fetch(`${local.url}/gameserver`, { headers })).status).toBe(403)
    await expectServing(local)
    await aTurn()
    expect(uncaught).toEqual([])
  })
})

test('a command that is nested 100,000 levels deep is refused, and the log and its readers go on', async () => {
  const uncaught = collectUncaught()
  const local = await start()
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  for (const body of [
    `{"type":"reload","gameServer":{"spec":{"template":${deep}}}}`,
    `{"type":"setLabel","key":"a","value":"b","more":${deep}}`,
    `{"type":"setLabel","key":${deep},"value":"b"}`,
  ]) {
    const headers = { 'x-sidecar-control': '1' }
    const response = await fetch(`${local.url}/_/api/commands`, { method: 'POST', body, headers })
    expect(response.status).toBe(400)
  }
  const circle: { template?: unknown } = {}
  circle.template = [circle]
  expect(local.control({ type: 'reload', gameServer: { spec: circle as object } })).toMatchObject({ ok: false })
  expect((await fetch(`${local.url}/_/api/log`)).status).toBe(200)
  await expectServing(local)
  expect(uncaught).toEqual([])
})

test('a command with bigints is in the log as JSON', async () => {
  const local = await start()
  const status = { counters: { rooms: { count: 2n ** 62n, capacity: 2n ** 62n } } }
  expect(local.control({ type: 'reload', gameServer: { status } })).toEqual({ ok: true })
  const log = (await (await fetch(`${local.url}/_/api/log`)).json()) as { entries: unknown[] }
  expect(JSON.stringify(log.entries)).toContain('"count":"4611686018427387904"')
})
