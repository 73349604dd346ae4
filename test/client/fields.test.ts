import { describe, expect, test } from 'vitest'
import type { SidecarClient } from '../../src/index.js'
import type { SeenRequest } from '../support/fault-server.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

type Call = (client: SidecarClient) => Promise<unknown>

const answer = '{"name":"rooms","count":"1","capacity":"2","values":[]}'

/** What one call sends. */
async function sentBy(call: Call): Promise<SeenRequest[]> {
  const sidecar = await startScripted([{ on: '*', step: answering({ body: answer }) }])
  await call(connectClient(sidecar, { retry: false }))
  return [...sidecar.requests]
}

describe('a value at its very limit is sent as it is', () => {
  const euros = '€'.repeat(87_381)
  test.each<[string, Call, object]>([
    ['a label key of 59 characters', (c) => c.setLabel('k'.repeat(59), 'v'), { key: 'k'.repeat(59), value: 'v' }],
    ['an empty label', (c) => c.setLabel('k', ''), { key: 'k', value: '' }],
    ['a label of 63 characters', (c) => c.setLabel('k', 'v'.repeat(63)), { key: 'k', value: 'v'.repeat(63) }],
    ['an empty annotation', (c) => c.setAnnotation('k', ''), { key: 'k', value: '' }],
    ['an annotation of 256 KiB', (c) => c.setAnnotation('k', 'v'.repeat(262_144)), { value: 'v'.repeat(262_144) }],
    ['one of 256 KiB less a byte, in UTF-8', (c) => c.setAnnotation('k', euros), { value: euros }],
    ['no seconds', (c) => c.reserve(0), { seconds: '0' }],
    ['the most seconds', (c) => c.reserve(9223372036), { seconds: '9223372036' }],
    ['a count of 0', (c) => c.updateCounter('x', { count: 0 }), { count: '0' }],
    ['no values', (c) => c.addListValue('x', ''), { value: '' }],
  ])('%s', async (_what, call, body) => {
    const [request] = await sentBy(call)
    expect(JSON.parse(request!.body)).toMatchObject(body)
  })

  test('only what is given of an update', async () => {
    const [request] = await sentBy((c) =>
      c.updateCounter('x', { count: 1, capacity: undefined as never, countDiff: 2 }),
    )
    expect(request!.body).toBe('{"count":"1","countDiff":"2"}')
  })
})

test('the values of a list may be any texts', async () => {
  const client = connectClient(await startSidecar({ mode: 'local' }))
  const values = ['', 'a b', 'ä']
  expect(await client.updateList('players', { values })).toMatchObject({ name: 'players', values })
})

describe('a value beyond its limit is refused, and not sent', () => {
  test.each<[string, Call, string]>([
    ['a key that is a number', (c) => c.setLabel(1 as never, 'v'), 'key'],
    ['a label that is a number', (c) => c.setLabel('k', 1 as never), 'value'],
    ['a label of 64 characters', (c) => c.setLabel('k', 'v'.repeat(64)), 'value'],
    ['a label with a space', (c) => c.setLabel('k', 'a b'), 'value'],
    ['an annotation that is a number', (c) => c.setAnnotation('k', 1 as never), 'value'],
    ['an annotation with half a character', (c) => c.setAnnotation('k', '\ud800'), 'value'],
    ['an annotation of a byte too much', (c) => c.setAnnotation('k', 'v'.repeat(262_145)), 'value'],
    ['one of two bytes too much, in UTF-8', (c) => c.setAnnotation('k', '€'.repeat(87_382)), 'value'],
    ['no seconds at all', (c) => c.reserve(undefined as never), 'seconds'],
    ['a second too much', (c) => c.reserve(9223372037), 'seconds'],
    ['a second too little', (c) => c.reserve(-1), 'seconds'],
    ['values of which one is no text', (c) => c.updateList('x', { values: ['a', 1 as never] }), 'values'],
    ['values that are a text', (c) => c.updateList('x', { values: 'ab' as never }), 'values'],
    ['a count that is no number', (c) => c.updateCounter('x', { count: 'many' }), 'count'],
    ['an update that is null', (c) => c.updateCounter('x', null as never), 'update'],
    ['an update that is a text', (c) => c.updateCounter('x', 'count' as never), 'update'],
    ['an update that is a function', (c) => c.updateCounter('x', (() => {}) as never), 'update'],
    ['an update that gives nothing', (c) => c.updateCounter('x', { count: undefined as never }), 'update'],
    ['a counter that is a number', (c) => c.getCounter(7 as never), 'key'],
    ['a list without a name', (c) => c.getList(''), 'key'],
    ['a list that is two dots', (c) => c.getList('..'), 'key'],
    ['a list that is a dot', (c) => c.getList('.'), 'key'],
    ['a list that begins with a slash', (c) => c.getList('/a'), 'key'],
  ])('%s', async (_what, call, name) => {
    const sidecar = await startScripted()
    await expect(call(connectClient(sidecar))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      summary: expect.stringMatching(`^${name} must be `),
    })
    expect(sidecar.requests).toEqual([])
  })
})

test.each([
  ['a', 'a'],
  ['ab', 'ab'],
  ['...', '...'],
  ['a..', 'a..'],
  ['..a', '..a'],
  ['a b?#%', 'a%20b%3F%23%25'],
  ['ä', '%C3%A4'],
  ['$&', '%24%26'],
])('a counter may be called "%s"', async (name, encoded) => {
  const requests = await sentBy((client) => client.getCounter(name))
  expect(requests.map(({ path }) => path)).toEqual([`/v1beta1/counters/${encoded}`])
})

describe('the options of a call', () => {
  test.each(['text', 7, false, () => {}])('are an object, and not %o', async (options) => {
    const sidecar = await startScripted()
    await expect(connectClient(sidecar).health(options as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation: 'health',
      summary: expect.stringMatching(/^options must be /),
    })
    expect(sidecar.requests).toEqual([])
  })

  test('may not give a call no time at all', async () => {
    await expect(connectClient(await startScripted()).health({ timeout: 0 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      summary: expect.stringMatching(/^timeout must be /),
    })
  })

  test('may bring a signal that is aborted already: nothing is sent', async () => {
    const sidecar = await startScripted()
    const signal = AbortSignal.abort('enough')
    await expect(connectClient(sidecar).health({ signal })).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
    expect(sidecar.requests).toEqual([])
  })

  test('may share a signal, which ends one that goes on after another is over', async () => {
    const client = connectClient(await startScripted(), { retry: false })
    const controller = new AbortController()
    const { signal } = controller
    const waiting = client.once('error', { signal })
    await client.health({ signal })
    controller.abort('enough')
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
  })
})
