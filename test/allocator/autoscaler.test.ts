import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  type AutoscalerOptions,
  byQueue,
  createAutoscaler,
  type Decide,
  type ReviewedFleet,
  scaleToZero,
} from '../../src/deploy/allocator.js'
import { createFleet } from '../../src/host/create-fleet.js'
import { selfSigned } from '../gateway/certificate.js'
import { createSeen } from '../support/seen.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import type { FleetRunEvent } from '../../src/local/fleet.js'
import { standIn } from './support.js'

afterEach(() => void vi.useRealTimers())

async function autoscalerOf(decide: Decide, options: Omit<AutoscalerOptions, 'decide'> = {}) {
  const warnings: string[] = []
  const onWarning = (line: string): void => void warnings.push(line)
  const autoscaler = await createAutoscaler({ port: 0, address: '127.0.0.1', decide, onWarning, ...options })
  onTestFinished(() => autoscaler.close())
  return { url: autoscaler.url, warnings }
}

const status = { replicas: 5, readyReplicas: 3, reservedReplicas: 0, allocatedReplicas: 2, allocations: 9 }
/** As the platform sends it. */
const REVIEW = {
  request: { uid: 'u-1', name: 'arena', namespace: 'default', status, labels: { a: 'b' } },
  response: null,
}

async function ask(url: string, body: unknown = REVIEW, init: RequestInit = {}) {
  const headers = { 'content-type': 'application/json' }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${url}/scale`, { method: 'POST', headers, body: text, ...init })
  return [answer.status, await answer.json()] as [number, { readonly response?: unknown }]
}

test('a review reaches decide with the whole Fleet, and its number the platform', async () => {
  const seen: unknown[] = []
  const { url } = await autoscalerOf(({ fleet, request }) => (seen.push(fleet, request), 7))
  const response = { uid: 'u-1', scale: true, replicas: 7 }
  expect(await ask(url)).toEqual([200, { request: REVIEW.request, response }])
  const { name, namespace, labels } = REVIEW.request
  const fleet = { name, namespace, ...status, counters: {}, lists: {}, labels, annotations: {} }
  expect(seen).toEqual([fleet, REVIEW.request])
})

test.each<[object, string]>([
  [{}, 'The object of options needs the field "decide"'],
  [{ decide: 5 }, 'decide must be a function; got 5'],
  [{ decide: () => 1, adress: '::1' }, 'has no field "adress"; did you mean "address"?'],
  [{ decide: () => 1, port: 70_000 }, 'port must be an integer from 0 to 65535; got 70000'],
])('options with a mistake are refused: %o', async (options, message) => {
  await expect(createAutoscaler(options as AutoscalerOptions)).rejects.toThrow(message)
})

test('undefined leaves the Fleet as it is', async () => {
  const { url, warnings } = await autoscalerOf(() => undefined)
  expect((await ask(url))[1].response).toEqual({ uid: 'u-1', scale: false, replicas: 5 })
  expect(warnings).toEqual([])
})

test.each<[string, Decide, RegExp]>([
  ['throws', () => Promise.reject(new Error('no database')), /"arena" stays as it is: no database$/],
  ['returns NaN', () => NaN, /whole number of replicas, at least 0; got NaN$/],
  ['returns -3', () => -3, /got -3$/],
  ['returns text', () => '3' as unknown as number, /got 3$/],
])('a decide that %s is status 500, with one line while it lasts', async (_, decide, message) => {
  const { url, warnings } = await autoscalerOf(decide)
  for (let time = 0; time < 3; time++) expect((await ask(url))[0]).toBe(500)
  expect(warnings).toEqual([expect.stringMatching(message)])
})

test('a failure of one Fleet is told once, though another Fleet is well in between', async () => {
  const { url, warnings } = await autoscalerOf(({ fleet }) => (fleet.name === 'arena' ? NaN : 1))
  const other = { ...REVIEW, request: { ...REVIEW.request, name: 'lobby' } }
  for (let time = 0; time < 3; time++) expect([(await ask(url))[0], (await ask(url, other))[0]]).toEqual([500, 200])
  expect(warnings).toEqual([expect.stringMatching(/"arena" stays as it is/)])
})

test('a decide that takes 40 s is status 500 before the platform gives up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let onAsked!: () => void
  const asked = new Promise<void>((resolve) => (onAsked = resolve))
  const { url, warnings } = await autoscalerOf(() => (onAsked(), new Promise(() => undefined)))
  const answer = ask(url)
  await asked
  vi.advanceTimersByTime(10_000)
  expect((await answer)[0]).toBe(500)
  expect(warnings).toEqual([expect.stringMatching(/decide has not answered within 10 s$/)])
})

test.each<[string, unknown, RequestInit, number]>([
  ['no JSON', '<html>', {}, 400],
  ['no review', {}, {}, 400],
  ['a body over 1 MiB', 'x'.repeat(2 ** 20 + 1), {}, 400],
  ["a page's request", REVIEW, { headers: { origin: 'http://evil.example' } }, 403],
])('%s never reaches decide', async (_, body, init, status) => {
  const { url, warnings } = await autoscalerOf(() => expect.fail('asked'))
  expect((await ask(url, body, init))[0]).toBe(status)
  expect((await fetch(url)).status).toBe(200)
  expect(warnings).toEqual([])
})

test('https presents a certificate that is renewed while it listens', async () => {
  const folder = await temporaryFolder('autoscaler')
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
  const write = (pair: { readonly cert: string; readonly key: string }): void => {
    writeFileSync(files.cert, pair.cert)
    writeFileSync(files.key, pair.key)
  }
  const [first, second] = [selfSigned(), selfSigned()]
  write(first)
  const { url } = await autoscalerOf(() => 3, files)
  const trusts = async ({ cert }: { readonly cert: string }): Promise<boolean> => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ca: cert })
    const isTrusted = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return isTrusted
  }
  expect([url.startsWith('https:'), await trusts(first), await trusts(second)]).toEqual([true, true, false])
  write(second)
  await until(() => trusts(second))
})

const reviewOf = (fleet: Partial<ReviewedFleet>) =>
  ({ fleet: { ...status, name: 'arena', namespace: 'default', ...fleet } }) as unknown as Parameters<Decide>[0]

test('byQueue() counts servers in use, and those who wait', async () => {
  expect(await byQueue(() => 3)(reviewOf({ allocatedReplicas: 2, reservedReplicas: 1 }))).toBe(6)
})

test('scaleToZero() keeps idle servers until the Fleet was unused for the cooldown, and comes back for the queue', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let queue = 0
  const decide = scaleToZero({ queue: () => queue, idle: 2, cooldown: 60_000 })
  const empty = { allocatedReplicas: 0, allocations: 0 }
  const after = async (ms: number, fleet: Partial<ReviewedFleet>): Promise<number | undefined> => {
    vi.advanceTimersByTime(ms)
    return decide(reviewOf({ ...empty, ...fleet }))
  }
  expect(await after(0, {})).toBe(2)
  expect(await after(59_999, {})).toBe(2)
  expect(await after(1, {})).toBe(0)
  queue = 1
  expect(await after(0, {})).toBe(3)
  queue = 0
  expect(await after(30_000, { allocatedReplicas: 1, allocations: 1 })).toBe(3)
  expect(await after(59_999, { allocations: 1 })).toBe(2)
  // A match that began and ended between two reviews was a use, too.
  expect(await after(59_999, { allocations: 2 })).toBe(2)
  expect(await after(60_000, { allocations: 2 })).toBe(0)
  expect(await after(0, { name: 'other', allocations: 2 })).toBe(2)
})

const PROGRAM = fileURLToPath(new URL('../fleet/program.mjs', import.meta.url))

/** A Fleet of one server, whose autoscaler asks this webhook each second. */
async function fleetWith(webhook: object) {
  const events = createSeen<FleetRunEvent>()
  const policy = { type: 'Webhook', webhook } as const
  const fleet = await createFleet({
    command: [process.execPath, PROGRAM],
    ports: [26_900, 26_919],
    replicas: 1,
    autoscaler: { spec: { fleetName: 'fleet', policy, sync: { fixedInterval: { seconds: 1 } } } },
    onEvent: events.add,
  })
  onTestFinished(() => fleet.close())
  const line = (pattern: RegExp) => events.find((one) => (one.event === 'entry' ? pattern.exec(one.entry.text) : null))
  return { fleet, events, line }
}

test('a Fleet follows its webhook by https, down to nothing and back, and stays while the webhook fails', async () => {
  const pair = selfSigned({ host: 'scaler.games.svc' })
  const answers: (number | Error)[] = [2, 0]
  const { url, warnings } = await autoscalerOf(() => {
    const [answer] = answers.length > 1 ? answers.splice(0, 1) : answers
    if (answer instanceof Error) throw answer
    return answer
  }, pair)
  const service = { name: 'scaler', namespace: 'games', path: 'scale', port: Number(new URL(url).port) }
  const { fleet, events, line } = await fleetWith({ service, caBundle: Buffer.from(pair.cert).toString('base64') })
  await line(/Webhook autoscaler scales the Fleet from 1 to 2\./)
  await line(/Webhook autoscaler scales the Fleet from 2 to 0\./)
  answers.splice(0, 1, new Error('no database'))
  await line(/^The autoscaler's webhook answered with status 500\.$/)
  await until(() => warnings.length === 1)
  expect(fleet.snapshot().fleet.spec.replicas).toBe(0)
  answers.splice(0, 1, 1)
  await line(/Webhook autoscaler scales the Fleet from 0 to 1\./)
  const failed = events.all.filter((one) => one.event === 'entry' && /status 500/.test(one.entry.text))
  expect(failed).toHaveLength(1)
})

test.each([
  ['answers HTML', true, /^The autoscaler's webhook answered no JSON: "<html>\\nx"$/],
  ["isn't there", false, /^The autoscaler's webhook can't be asked at http:\/\/127\.0\.0\.1:1\/scale: .*ECONNREFUSED/],
])('a webhook that %s leaves the Fleet as it is, with one line', async (_, isThere, pattern) => {
  const page = await standIn([(response) => void response.end('<html>\nx')])
  const { fleet, line } = await fleetWith({ url: isThere ? page.url : 'http://127.0.0.1:1/scale' })
  await line(pattern)
  expect(fleet.snapshot().fleet.spec.replicas).toBe(1)
})
