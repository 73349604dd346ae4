import { expect, test } from 'vitest'
import { AGONES, serveFleet } from './support/serve-fleet.js'

const FLEET = `${AGONES}/fleets/arena`
test('every way to scale changes the replicas', async () => {
  const { ask, names, patch } = await serveFleet()
  const scale = (await ask('GET', `${FLEET}/scale`)).body
  const put = await ask('PUT', `${FLEET}/scale`, { ...scale, spec: { replicas: 3 } }, { 'content-type': '' })
  expect(put.body.spec).toEqual({ replicas: 3 })
  expect(names()).toHaveLength(3)
  expect((await patch(`${FLEET}/scale`, 'merge', { spec: { replicas: 4 } })).body.spec).toEqual({ replicas: 4 })
  expect((await patch(FLEET, 'merge', { spec: { replicas: 5 } })).body.spec['replicas']).toBe(5)
  const json = [
    { op: 'test', path: '/spec/replicas', value: 5 },
    { op: 'replace', path: '/spec/replicas', value: 6 },
  ]
  expect((await patch(FLEET, 'json', json)).body.spec['replicas']).toBe(6)
  expect(names()).toHaveLength(6)
})

test('a changed template makes a new set, and changed metadata alone does not', async () => {
  const { ask, model, patch } = await serveFleet()
  const { body } = await patch(FLEET, 'merge', { metadata: { annotations: { owner: 'us' } } })
  expect(body.metadata.annotations).toEqual({ owner: 'us' })
  expect(model.objects('gameserversets')).toHaveLength(1)
  const fleet = (await ask('GET', FLEET)).body
  const template = { spec: { ports: [{ name: 'other', containerPort: 7001 }] } }
  const put = await ask('PUT', FLEET, { ...fleet, spec: { ...fleet.spec, template } })
  expect(put.status).toBe(200)
  expect(model.objects('gameserversets').length).toBeGreaterThan(1)
})

test('a write with a stale version is a conflict and changes nothing', async () => {
  const { ask, model, patch } = await serveFleet()
  const stale = (await ask('GET', FLEET)).body
  await patch(FLEET, 'merge', { spec: { replicas: 3 } })
  const before = model.resourceVersion
  for (const answer of [
    await ask('PUT', FLEET, { ...stale, spec: { ...stale.spec, replicas: 9 } }),
    await patch(FLEET, 'merge', { metadata: { resourceVersion: '1' }, spec: { replicas: 9 } }),
  ]) {
    expect([answer.status, answer.body['reason']]).toEqual([409, 'Conflict'])
    expect(answer.body['message']).toMatch(/^Operation cannot be fulfilled on fleets\.agones\.dev "arena": the object/)
  }
  expect(model.resourceVersion).toBe(before)
})

test('a dry run answers with the result and changes nothing', async () => {
  const { ask, model, names, patch } = await serveFleet()
  const before = model.resourceVersion
  expect((await patch(`${FLEET}?dryRun=All`, 'merge', { spec: { replicas: 9 } })).body.spec['replicas']).toBe(9)
  expect((await ask('DELETE', `${AGONES}/gameservers/${names()[0]}`, { dryRun: ['All'] })).status).toBe(200)
  expect(model.resourceVersion).toBe(before)
})

test('JSON patches change lists and objects by RFC 6902', async () => {
  const { patch } = await serveFleet()
  const result = async (...operations: object[]) => {
    const { body } = await patch(`${FLEET}?dryRun=All`, 'json', [
      { op: 'add', path: '/spec/x', value: { list: [1, 2, 3], 'a/b~c': 1 } },
      ...operations,
    ])
    return body.kind === 'Status' ? body['code'] : body.spec['x']
  }
  expect(
    await result({ op: 'add', path: '/spec/x/list/1', value: 9 }, { op: 'add', path: '/spec/x/list/-', value: 4 }),
  ).toEqual({ list: [1, 9, 2, 3, 4], 'a/b~c': 1 })
  expect(
    await result({ op: 'remove', path: '/spec/x/list/0' }, { op: 'replace', path: '/spec/x/list/0', value: 7 }),
  ).toEqual({ list: [7, 3], 'a/b~c': 1 })
  expect(await result({ op: 'remove', path: '/spec/x/a~1b~0c' })).toEqual({ list: [1, 2, 3] })
  for (const wrong of [
    { op: 'test', path: '/spec/x/list/0', value: 2 },
    { op: 'replace', path: '/spec/x/none', value: 1 },
    { op: 'add', path: '/spec/x/list/4', value: 1 },
    { op: 'remove', path: '/spec/x/list/one' },
    { op: 'add', path: 'spec', value: 1 },
    { op: 'move', from: '/spec/x', path: '/spec/y' },
  ]) {
    expect(await result(wrong), JSON.stringify(wrong)).toBe(400)
  }
})

test('patches cannot make an object larger than a cluster keeps', async () => {
  const { patch } = await serveFleet()
  const add = async (name: string): Promise<number> =>
    (await patch(FLEET, 'merge', { metadata: { annotations: { [name]: 'x'.repeat(1_000_000) } } })).status
  expect([await add('one'), await add('other')]).toEqual([200, 413])
})

test('the only Fleet cannot be deleted', async () => {
  const { ask } = await serveFleet()
  expect((await ask('DELETE', FLEET)).body['message']).toMatch(/end the command with Ctrl\+C/)
})

test('invalid objects are refused with the field, and the Fleet stays', async () => {
  const { ask, model, patch } = await serveFleet()
  const before = model.resourceVersion
  const wrong = await patch(FLEET, 'merge', { spec: { strategy: { type: 'Slow' } } })
  expect(wrong.status).toBe(422)
  expect(wrong.body['details']).toMatchObject({ kind: 'Fleet', causes: [{ field: 'spec.strategy.type' }] })
  const cases = [
    [422, await patch(FLEET, 'merge', { spec: { replicas: 'many' } })],
    [422, await patch(FLEET, 'merge', { spec: { replicas: 5000 } })],
    [422, await patch(`${FLEET}/scale`, 'merge', { spec: null })],
    [400, await patch(FLEET, 'merge', { metadata: { name: 'other' } })],
    [400, await patch(FLEET, 'merge', { metadata: { namespace: 'other' } })],
    [400, await patch(FLEET, 'merge', { kind: 'GameServer' })],
    [400, await patch(FLEET, 'merge', 'no object')],
    [400, await patch(FLEET, 'merge', '{"spec":')],
    [415, await patch(FLEET, 'apply', 'a: [')],
    [400, await patch(FLEET, 'json', { op: 'add' })],
    [400, await ask('PUT', FLEET, '[1')],
    [413, await patch(FLEET, 'merge', 'x'.repeat(5_000_000))],
    [415, await patch(FLEET, 'strategic-merge', {})],
    [404, await patch(`${AGONES}/fleets/other`, 'merge', {})],
  ] as const
  for (const [index, [status, answer]] of cases.entries()) {
    expect([answer.status, answer.body.kind], String(index)).toEqual([status, 'Status'])
  }
  expect(model.resourceVersion).toBe(before)
})

test('what is patched into a GameServer reaches its sidecar', async () => {
  const template = { spec: { counters: { rooms: { count: 1, capacity: 10 } }, lists: { players: { capacity: 4 } } } }
  const { model, names, patch } = await serveFleet({ fleet: { replicas: 1, template } })
  const path = `${AGONES}/gameservers/${names()[0]}`
  const labelled = await patch(path, 'merge', { metadata: { labels: { map: 'ice' }, annotations: { owner: 'us' } } })
  expect(labelled.body.metadata.labels!['map']).toBe('ice')
  await patch(path, 'merge', { metadata: { labels: { map: null } } })
  await patch(path, 'merge', { status: { counters: { rooms: { count: 3 } }, lists: { players: { values: ['eva'] } } } })
  const { body } = await patch(path, 'json', [{ op: 'replace', path: '/status/state', value: 'Ready' }])
  const { object_meta: meta, status } = model.snapshot().servers[0]!.gameServer
  expect(meta.labels).not.toHaveProperty('map')
  expect(meta.annotations).toMatchObject({ owner: 'us' })
  expect(status).toMatchObject({
    state: 'Ready',
    counters: { rooms: { count: '3', capacity: '10' } },
    lists: { players: { capacity: '4', values: ['eva'] } },
  })
  expect(body.status).toMatchObject({ state: 'Ready' })
  const unknown = await patch(path, 'merge', { status: { state: 'Redy' } })
  expect(unknown.body).toMatchObject({ code: 422, details: { causes: [{ field: 'status.state' }] } })
  expect((await patch(path, 'merge', {})).body.status).toMatchObject({ state: 'Ready' })
})

test('a deleted GameServer is shown with its deletion time, then gone', async () => {
  const { ask, endMarked, names } = await serveFleet()
  const [first] = names()
  const path = `${AGONES}/gameservers/${first}`
  const wrong = await ask('DELETE', path, { preconditions: { uid: 'another' } })
  expect([wrong.status, names().includes(first!)]).toEqual([409, true])
  const { body } = await ask('DELETE', path, { kind: 'DeleteOptions', gracePeriodSeconds: 0 })
  expect(body.metadata['deletionTimestamp']).toMatch(/^\d{4}-.*Z$/)
  endMarked()
  expect((await ask('GET', path)).status).toBe(404)
  expect((await ask('DELETE', path)).status).toBe(404)
})
