import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { askWebhook } from '../../src/local/fleet/webhook.js'
import { replicasOf, reviewOf } from '../../src/platform/fleet/autoscale.js'
import { isActive } from '../../src/platform/fleet/schedule.js'
import type {
  AutoscalerPolicy,
  FleetEntry,
  FleetState,
  WebhookAnswer,
  WebhookPolicy,
} from '../../src/platform/fleet/types.js'
import { listenHere } from '../support/listen.js'
import { createTestFleet, readyFleet, type TestFleet } from './support/test-fleet.js'

/** What the platform's own code (1.60, `pkg/fleetautoscalers`) made of these answers and schedules; null for an error. */
const recorded = JSON.parse(readFileSync(new URL('fixtures/recorded-reviews.json', import.meta.url), 'utf8')) as {
  readonly answers: readonly (readonly [status: number, text: string, replicas: number | null])[]
  readonly schedules: readonly (readonly [now: string, between: object, activePeriod: object, isActive: boolean])[]
}
/** The Fleet of the recording. */
const status = { replicas: 5, readyReplicas: 3, reservedReplicas: 0, allocatedReplicas: 2, allocations: 9 }
const metadata = { name: 'arena', namespace: 'default', labels: { a: 'b' }, annotations: {} }
const state = { fleet: { metadata, status: { ...status, counters: {}, lists: {} } } } as unknown as FleetState

test('recorded answers of webhooks want the replicas that the platform read in them', () => {
  expect(recorded.answers).toHaveLength(45)
  for (const [status, text, replicas] of recorded.answers) {
    const found = replicasOf({ status, text }, state)
    expect(found, text).toEqual(replicas ?? expect.stringMatching(/^The autoscaler's webhook answered [^\n]*$/))
  }
})

test('the request of a webhook equals the review that the platform sent', () => {
  expect(JSON.parse(reviewOf(state))).toEqual({
    request: { uid: expect.any(String), name: 'arena', namespace: 'default', status, labels: { a: 'b' } },
    response: null,
  })
})

test('recorded schedules are active when the platform applied them', () => {
  for (const [now, between, activePeriod, active] of recorded.schedules) {
    const policy = { type: 'Buffer', buffer: { bufferSize: 1, maxReplicas: 5 } } as const
    const found = isActive({ between, activePeriod, policy }, Date.parse(now))
    expect(found, `${now} ${JSON.stringify({ between, activePeriod })}`).toBe(active)
  }
})

const webhook: WebhookPolicy = { url: 'http://127.0.0.1:1/' }
const hook = { type: 'Webhook', webhook } as const
const buffer = (bufferSize: number) => ({ type: 'Buffer', buffer: { bufferSize, maxReplicas: 50 } }) as const
const scheduled = (start: string, policy: AutoscalerPolicy) => ({
  ...({ type: 'Schedule', schedule: { between: { start }, policy } } as const),
})
const active = scheduled('2000-01-01T00:00:00Z', buffer(7))
const inactive = scheduled('2036-01-01T00:00:00Z', buffer(9))
const answerOf = (response: object): WebhookAnswer => ({ status: 200, text: JSON.stringify({ response }) })
const three = answerOf({ scale: true, replicas: 3 })

/** The webhook that the autoscaler waits for is answered. */
const answer = ({ model, actions }: TestFleet, with_: WebhookAnswer): void => {
  const asked = actions.filter(({ type }) => type === 'review').at(-1) as { readonly webhook: WebhookPolicy }
  model.dispatch({ type: 'reviewed', webhook: asked.webhook, answer: with_ })
}
const statusOf = ({ model }: TestFleet): unknown => model.snapshot().autoscaler!.status
const warnings = ({ model }: TestFleet): FleetEntry[] => model.entries().filter(({ type }) => type === 'warning')

// Replicas and `lastAppliedPolicy` as the platform's own code had them.
test.each<
  [title: string, policy: AutoscalerPolicy, answered: WebhookAnswer | undefined, replicas: number, applied: string]
>([
  ['an active schedule', active, undefined, 7, 'Schedule'],
  ['an inactive schedule', inactive, undefined, 2, ''],
  [
    'a chain after an inactive schedule',
    { type: 'Chain', chain: [inactive, buffer(4)] },
    undefined,
    4,
    'Chain:1:Buffer',
  ],
  [
    'a chain up to an active schedule',
    { type: 'Chain', chain: [inactive, active, buffer(4)] },
    undefined,
    7,
    'Chain:1:Schedule',
  ],
  ['a chain of an inactive schedule', { type: 'Chain', chain: [inactive] }, undefined, 2, ''],
  ['a webhook', hook, three, 3, 'Webhook'],
  ['a webhook that declines', hook, answerOf({ scale: false }), 2, 'Webhook'],
  ['a webhook that fails', hook, { status: 500, text: '' }, 2, ''],
  ['a webhook that wants -3', hook, answerOf({ scale: true, replicas: -3 }), 2, ''],
  [
    'a chain of a webhook',
    { type: 'Chain', chain: [{ ...hook, id: 'mine' }, buffer(4)] },
    three,
    3,
    'Chain:mine:Webhook',
  ],
  ['a chain after a webhook that fails', { type: 'Chain', chain: [hook, buffer(4)] }, 'is silent', 4, 'Chain:1:Buffer'],
  ['a scheduled webhook', scheduled('2000-01-01T00:00:00Z', hook), three, 3, 'Schedule'],
])('%s decides as on the platform', (_, autoscaler, answered, replicas, applied) => {
  const fleet = readyFleet({ autoscaler })
  if (answered !== undefined) answer(fleet, answered)
  expect(fleet.model.snapshot().fleet.spec.replicas).toBe(replicas)
  expect(statusOf(fleet)).toMatchObject({ ableToScale: applied !== '', lastAppliedPolicy: applied })
  expect(warnings(fleet)).toHaveLength(applied === '' ? 1 : 0)
  fleet.advance(30_000)
  if (answered !== undefined) answer(fleet, answered)
  expect(warnings(fleet)).toHaveLength(applied === '' ? 1 : 0)
})

test('a webhook is asked once at a time, every sync, and an answer to an autoscaler of before is ignored', () => {
  const fleet = createTestFleet({ autoscaler: hook })
  const asked = (): number => fleet.actions.filter(({ type }) => type === 'review').length
  fleet.advance(100_000)
  expect(asked()).toBe(1)
  const before = fleet.model.snapshot().autoscaler!.spec as { readonly policy: { readonly webhook: WebhookPolicy } }
  const policy = { type: 'Webhook', webhook: { ...webhook } } as const
  fleet.model.perform({ type: 'autoscaler', manifest: { spec: { fleetName: 'arena', policy } } })
  fleet.model.dispatch({ type: 'reviewed', webhook: before.policy.webhook, answer: three })
  expect([asked(), fleet.model.snapshot().fleet.spec.replicas]).toEqual([2, 2])
  answer(fleet, three)
  expect(fleet.model.snapshot().fleet.spec.replicas).toBe(3)
  fleet.advance(29_000)
  expect(asked()).toBe(2)
  fleet.advance(1_000)
  expect(asked()).toBe(3)
})

test('a webhook that has not answered when its Fleet is closed is said to be that, not to be late', async () => {
  const closed = new AbortController()
  const url = `http://127.0.0.1:${await listenHere(createServer(() => closed.abort()))}/`
  const answer = await askWebhook({ type: 'review', webhook: { url }, review: '{}' }, closed.signal)
  expect(answer).toBe(`at ${url} has not answered before the Fleet was closed`)
})
