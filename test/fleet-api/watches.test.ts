import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { ObjectChange } from '../../src/platform/fleet/types.js'
import { AGONES, ALLOCATE, serveFleet, type WatchEvent } from './support/serve-fleet.js'

const versionOf = ({ object }: WatchEvent): number => Number(object.metadata['resourceVersion'])

test('a watch from the version of a list gets every change since once, in order, with growing versions, live or later', async () => {
  const { advance, allReady, ask, endMarked, model, watch } = await serveFleet({ fleet: { replicas: 3 } })
  const since = model.resourceVersion
  const changes: ObjectChange[] = []
  model.onChange((change) => change.plural === 'gameservers' && changes.push(change))
  const path = `${AGONES}/gameservers?resourceVersion=${since}`
  const live = await watch(path)
  allReady()
  await ask('POST', ALLOCATE, {})
  model.perform({ type: 'scale', replicas: 1 })
  advance(1_000)
  endMarked()
  model.perform({ type: 'scale', replicas: 4 })
  const expected = changes.map(({ type, object }) => ({ type, object }))
  expect(new Set(changes.map(({ type }) => type))).toEqual(new Set(['ADDED', 'MODIFIED', 'DELETED']))
  for (const each of [live, await watch(path)]) {
    const events = await each.take(expected.length)
    expect(events).toEqual(JSON.parse(JSON.stringify(expected)))
    const versions = events.map(versionOf)
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
  }
})

test('a watch without a version begins with all objects', async () => {
  const { names, setState, watch } = await serveFleet()
  const own = await watch(`${AGONES}/gameservers`)
  const events = await own.take(2)
  expect(events.map(({ type, object }) => [type, object.metadata['name']])).toEqual(
    names().map((name) => ['ADDED', name]),
  )
  setState(names()[0]!, 'Ready')
  expect(await own.next()).toMatchObject({ type: 'MODIFIED', object: { status: { state: 'Ready' } } })
})

test('large changes displace older ones: a watch from before or from another run ends with 410, and one from lately gets all since', async () => {
  const { control, model, names, watch } = await serveFleet()
  const path = `${AGONES}/gameservers?resourceVersion=`
  const [name = ''] = names()
  const versions: string[] = []
  for (let turn = 0; turn < 100; turn++) {
    versions.push(model.resourceVersion)
    control(name, { type: 'setAnnotation', key: 'level', value: `${turn}`.padEnd(200_000, '.') })
  }
  // The other version is one of an earlier run of the command.
  for (const version of [versions[0], '99999999999999']) {
    const own = await watch(path + version)
    expect(await own.next()).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })
    expect(await own.next()).toBeUndefined()
  }
  const events = await (await watch(path + versions[95])).take(5)
  expect(events.map(({ object }) => parseInt(object.metadata.annotations!['level']!))).toEqual([95, 96, 97, 98, 99])
})

test('a filtered watch sees an object come and go as it begins and stops to match', async () => {
  const { control, names, setState, watch } = await serveFleet()
  const [first, second] = names()
  const own = await watch(`${AGONES}/gameservers?labelSelector=map&fieldSelector=status.state%3DReady`)
  setState(second!, 'Ready')
  setState(first!, 'Ready')
  control(first!, { type: 'setLabel', key: 'map', value: 'ice' })
  control(first!, { type: 'setLabel', key: 'map', value: 'desert' })
  control(first!, { type: 'setLabel', key: 'map', value: null })
  control(second!, { type: 'setLabel', key: 'map', value: 'ice' })
  expect((await own.take(4)).map(({ type, object }) => [type, object.metadata['name']])).toEqual([
    ['ADDED', first],
    ['MODIFIED', first],
    ['DELETED', first],
    ['ADDED', second],
  ])
})

test('a client that wants its first objects by the watch is told to list', async () => {
  const { ask } = await serveFleet()
  const { body } = await ask('GET', `${AGONES}/gameservers?watch=1&sendInitialEvents=true`)
  expect([body['code'], body['reason']]).toEqual([422, 'Invalid'])
})

test('a watch ends after its time, and when the API is closed', async () => {
  const { close, watch } = await serveFleet({ fleet: { replicas: 0 } })
  const short = await watch(`${AGONES}/gameservers?timeoutSeconds=1`)
  const long = await watch(`${AGONES}/gameservers`)
  expect(await short.next()).toBeUndefined()
  await close()
  expect(await long.next()).toBeUndefined()
})

test('rows of a watched table have columns in the first event only', async () => {
  const { names, port, setState } = await serveFleet({ fleet: { replicas: 1 } })
  const answer = await fetch(`http://127.0.0.1:${port}${AGONES}/gameservers?watch=1`, {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  })
  setState(names()[0]!, 'Ready')
  let text = ''
  for await (const chunk of answer.body!) {
    text += Buffer.from(chunk).toString()
    if (text.split('\n').length === 3) break
  }
  const [first, second] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { object: Record<string, object[]> })
  expect(first!.object['columnDefinitions']).toHaveLength(6)
  expect(second!.object['columnDefinitions']).toBeNull()
  expect(second!.object['rows']).toHaveLength(1)
})

test('a client that does not read is cut off, and holds up nobody', async () => {
  const { control, names, port, watch } = await serveFleet({ fleet: { replicas: 1 } })
  const [name] = names()
  const path = `${AGONES}/gameservers`
  const slow = connect(port, '127.0.0.1')
  slow.pause()
  slow.write(`GET ${path}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const gone = once(slow, 'close')
  slow.on('error', () => undefined)
  const fast = await watch(path)
  await fast.next()
  const text = 'x'.repeat(100_000)
  // More than the queue and the buffers of both sockets hold.
  for (let i = 0; i < 200; i++) {
    control(name!, { type: 'setAnnotation', key: 'load', value: `${i}${text}` })
    expect((await fast.next())!.object.metadata.annotations!['load']).toBe(`${i}${text}`)
  }
  slow.resume()
  await gone
  const again = await watch(path)
  expect((await again.next())!.object.metadata.annotations!['load']).toBe(`199${text}`)
})
