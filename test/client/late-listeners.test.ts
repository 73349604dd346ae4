import { expect, test } from 'vitest'
import type { SidecarClient, SidecarEvents } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

/** A client that has seen a GameServer with two labels, and what publishes one with a third. */
async function connected(): Promise<{ client: SidecarClient; publishThird(): Promise<unknown> }> {
  const sidecar = await startScripted()
  const counters = { rooms: { count: '1', capacity: '2' }, seats: { count: '3', capacity: '4' } }
  const withCounters = (version: number, labels: Record<string, string>) => {
    const plain = gameServer(version, 'Ready', labels)
    return {
      ...plain,
      status: { ...plain.status, counters: { ...counters, seats: { count: `${version}`, capacity: '4' } } },
    }
  }
  sidecar.publish(withCounters(1, { a: '1', b: '2' }))
  const client = connectClient(sidecar)
  const sees = (version: string): Promise<unknown> =>
    client.waitFor(({ object_meta }) => object_meta.resource_version === version)
  await sees('1')
  await sidecar.until(() => sidecar.followers > 0, 'the watch')
  return {
    client,
    async publishThird() {
      sidecar.publish(withCounters(2, { a: '1', b: '2', c: '3' }))
      await sees('2')
      await new Promise(setImmediate)
    },
  }
}

/** Adds a listener within the first event of another kind that passes, and gives what it is told. */
function listenWithin<Outer extends keyof SidecarEvents, Inner extends keyof SidecarEvents>(
  client: SidecarClient,
  outer: Outer,
  passes: (event: SidecarEvents[Outer]) => boolean,
  inner: Inner,
): SidecarEvents[Inner][] {
  const told: SidecarEvents[Inner][] = []
  let added = false
  client.on(outer, (event) => {
    if (added || !passes(event)) return
    added = true
    client.on(inner, (event) => void told.push(event))
  })
  return told
}

const third = ({ object_meta }: SidecarEvents['gameserver']): boolean => object_meta.resource_version === '2'

test('a label listener added within a gameserver event is told every label of that object, each once', async () => {
  const { client, publishThird } = await connected()
  const told = listenWithin(client, 'gameserver', third, 'label')
  await publishThird()
  expect(told.map(({ key, value }) => `${key}=${value}`).sort()).toEqual(['a=1', 'b=2', 'c=3'])
})

test('a counter listener added within a gameserver event is told every counter, each once', async () => {
  const { client, publishThird } = await connected()
  const told = listenWithin(client, 'gameserver', third, 'counter')
  await publishThird()
  expect(told.map(({ name, count }) => `${name}=${count}`).sort()).toEqual(['rooms=1', 'seats=2'])
})

test('a label listener added within another label event is told every label, each once', async () => {
  const { client, publishThird } = await connected()
  const told = listenWithin(client, 'label', ({ key }) => key === 'a', 'label')
  await publishThird()
  expect(told.map(({ key }) => key).sort()).toEqual(['a', 'b', 'c'])
})

test('a label listener added while only a counter is told is told every label, each once', async () => {
  const { client, publishThird } = await connected()
  const told = listenWithin(client, 'counter', ({ count }) => count === 2, 'label')
  await publishThird()
  expect(told.map(({ key }) => key).sort()).toEqual(['a', 'b', 'c'])
})

test('a listener added within the first object of all is told all of it, each once', async () => {
  const sidecar = await startScripted()
  sidecar.publish(gameServer(1, 'Ready', { a: '1', b: '2', c: '3' }))
  const client = connectClient(sidecar)
  const labels = listenWithin(client, 'gameserver', () => true, 'label')
  const states = listenWithin(client, 'gameserver', () => true, 'state')
  await client.waitFor('Ready')
  await new Promise(setImmediate)
  expect(labels.map(({ key, previous }) => [key, previous]).sort()).toEqual([
    ['a', undefined],
    ['b', undefined],
    ['c', undefined],
  ])
  expect(states.map(({ state, previous }) => [state, previous])).toEqual([['Ready', undefined]])
})
