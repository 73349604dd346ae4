import { expect, test } from 'vitest'
import { AGONES, AUTOSCALING, serveFleet, type Answered } from './support/serve-fleet.js'

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }

const namesOf = ({ items }: Answered): string[] => items.map(({ metadata }) => metadata['name']!)

test('discovery leads to every type, and every listable type has a list', async () => {
  const { ask } = await serveFleet({ autoscaler: { type: 'Buffer', buffer: { bufferSize: 1, maxReplicas: 3 } } })
  const { body } = await ask('GET', '/apis')
  const groups = body['groups'] as { name: string; preferredVersion: { groupVersion: string } }[]
  expect(groups.map(({ name }) => name)).toEqual(['agones.dev', 'autoscaling.agones.dev', 'allocation.agones.dev'])
  const seen: string[] = []
  for (const path of groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)) {
    const { body: list } = await ask('GET', path)
    for (const type of list['resources'] as { name: string; kind: string; verbs: string[] }[]) {
      seen.push(type.name)
      if (!type.verbs.includes('list')) continue
      const answer = await ask('GET', `${path}/${type.name}`)
      expect(answer.body.kind, type.name).toBe(`${type.kind}List`)
      expect(answer.body.items.length, type.name).toBeGreaterThan(0)
    }
  }
  expect(seen).toEqual([
    ...['gameservers', 'fleets', 'fleets/scale', 'gameserversets'],
    ...['fleetautoscalers', 'gameserverallocations'],
  ])
  // The autoscaler is in its own group, and beside the Fleet.
  for (const path of [AUTOSCALING, AGONES]) {
    expect((await ask('GET', `${path}/fleetautoscalers/scaler`)).body.apiVersion).toBe('autoscaling.agones.dev/v1')
  }
})

test('a list and an object are those of the Fleet, with the version of its newest change', async () => {
  const { ask, model } = await serveFleet()
  const list = await ask('GET', `${AGONES}/gameservers`)
  expect(list.body).toMatchObject({ apiVersion: 'agones.dev/v1', kind: 'GameServerList' })
  expect(list.body.metadata['resourceVersion']).toBe(model.resourceVersion)
  const byName = [...model.objects('gameservers')].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  expect(list.body.items).toEqual(JSON.parse(JSON.stringify(byName)))
  const { body: fleet } = await ask('GET', `${AGONES}/fleets/arena`)
  expect(fleet).toEqual(JSON.parse(JSON.stringify(model.snapshot().fleet)))
  const scale = await ask('GET', `${AGONES}/fleets/arena/scale`)
  expect(scale.body).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 2 } })
})

test('labels and fields select as on the platform', async () => {
  const { ask, control, names, setState } = await serveFleet({ fleet: { replicas: 3 } })
  const [first, second, third] = names()
  control(first!, { type: 'setLabel', key: 'map', value: 'desert' })
  control(second!, { type: 'setLabel', key: 'map', value: 'ice' })
  setState(third!, 'Ready')
  const select = async (query: string): Promise<string[]> =>
    namesOf((await ask('GET', `${AGONES}/gameservers?${query}`)).body).sort()
  const cases: readonly (readonly [selector: string, ...expected: (string | undefined)[]])[] = [
    ['map=desert', first],
    ['map==ice', second],
    ['map!=desert', second, third],
    ['map in (desert, ice)', first, second],
    ['map notin (desert,ice)', third],
    ['map', first, second],
    ['!map', third],
    ['map, map!=ice ,agones.dev/fleet=arena', first],
    ['agones.dev/fleet=other'],
  ]
  for (const [selector, ...expected] of cases) {
    expect(await select(`labelSelector=${encodeURIComponent(selector)}`), selector).toEqual(expected.sort())
  }
  expect(await select('fieldSelector=status.state%3DReady')).toEqual([third])
  expect(await select(`fieldSelector=metadata.name!%3D${third}`)).toEqual([first, second].sort())
  expect(await select(`fieldSelector=metadata.namespace%3Dother`)).toEqual([])
  for (const query of [
    'labelSelector=a%3Db%3Dc',
    'labelSelector=map%3E5',
    'labelSelector=map in (a',
    'fieldSelector=spec.x%3D1',
  ]) {
    const { status, body } = await ask('GET', `${AGONES}/gameservers?${query}`)
    expect([status, body['reason']], query).toEqual([400, 'BadRequest'])
  }
})

test('kubectl gets the columns of the platform as rows', async () => {
  const { ask, advance, names, setState } = await serveFleet({ fleet: { replicas: 1 } })
  setState(names()[0]!, 'Ready')
  advance(150_000)
  const { body } = await ask('GET', `${AGONES}/gameservers`, undefined, TABLE)
  const columns = body['columnDefinitions'] as { name: string }[]
  const rows = body['rows'] as { cells: unknown[]; object: Answered }[]
  expect(columns.map(({ name }) => name)).toEqual(['Name', 'State', 'Address', 'Port', 'Node', 'Age'])
  const [name] = names()
  expect(rows.map(({ cells }) => cells)).toEqual([
    [name, 'Ready', '127.0.0.1', expect.stringMatching(/^\d+$/), '127.0.0.1', '2m'],
  ])
  expect(rows[0]!.object.kind).toBe('PartialObjectMetadata')
  const fleets = await ask('GET', `${AGONES}/fleets/arena`, undefined, TABLE)
  expect((fleets.body['rows'] as typeof rows)[0]!.cells).toEqual(['arena', 'Packed', 1, 1, 0, 1, '2m'])
})

test('ages are written in the unit that kubectl takes', async () => {
  const { ask, advance } = await serveFleet({ fleet: { replicas: 0 } })
  const age = async (): Promise<unknown> =>
    ((await ask('GET', `${AGONES}/fleets`, undefined, TABLE)).body['rows'] as { cells: unknown[] }[])[0]!.cells.at(-1)
  const cases = { 119: '119s', 120: '2m', 10_799: '179m', 10_800: '3h', 100_000: '27h', 900_000: '10d' }
  let passed = 0
  for (const [seconds, text] of Object.entries(cases)) {
    advance((Number(seconds) - passed) * 1000)
    passed = Number(seconds)
    expect(await age()).toBe(text)
  }
})

test('a namespace without the Fleet is empty', async () => {
  const { ask, names } = await serveFleet()
  const other = AGONES.replace('default', 'other')
  expect((await ask('GET', `${other}/gameservers`)).body.items).toEqual([])
  expect((await ask('GET', `${other}/gameservers/${names()[0]}`)).status).toBe(404)
  expect((await ask('GET', '/apis/agones.dev/v1/gameservers')).body.items).toHaveLength(2)
  // kubectl asks for the namespace before it says that an object isn't in it.
  expect((await ask('GET', '/api/v1/namespaces/default')).body.kind).toBe('Namespace')
  expect((await ask('GET', '/api/v1/namespaces/other')).status).toBe(404)
})

test('refusals are Status objects in the words of the platform, and say where a FleetAutoscaler comes from', async () => {
  const { ask } = await serveFleet()
  const applied = await ask('POST', `${AUTOSCALING}/fleetautoscalers`, {})
  expect([applied.status, applied.body['message']]).toEqual([
    405,
    expect.stringMatching(/^a FleetAutoscaler .* -f FILE/),
  ])
  expect((await ask('GET', `${AGONES}/gameservers/nobody`)).body).toEqual({
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404, reason: 'NotFound' },
    message: 'gameservers.agones.dev "nobody" not found',
    details: { name: 'nobody', group: 'agones.dev', kind: 'gameservers' },
  })
  const cases = [
    [404, 'NotFound', 'GET', '/apis/agones.dev/v1/nothing'],
    [404, 'NotFound', 'GET', '/api/v1/namespaces/default/pods/a'],
    [404, 'NotFound', 'GET', `${AGONES}/gameservers/a/scale`],
    [404, 'NotFound', 'DELETE', '/apis/agones.dev/v1/gameservers/a'],
    [405, 'MethodNotAllowed', 'DELETE', `${AGONES}/gameservers`],
    [405, 'MethodNotAllowed', 'POST', `${AGONES}/gameserversets`],
    [405, 'MethodNotAllowed', 'GET', `${AGONES.replace('agones', 'allocation.agones')}/gameserverallocations`],
    [400, 'BadRequest', 'GET', `${AGONES}/gameservers/%ff`],
    [405, 'MethodNotAllowed', 'POST', '/version'],
  ] as const
  for (const [status, reason, method, path] of cases) {
    const answer = await ask(method, path)
    expect([answer.status, answer.body.kind, answer.body['reason']], `${method} ${path}`).toEqual([
      status,
      'Status',
      reason,
    ])
  }
})
