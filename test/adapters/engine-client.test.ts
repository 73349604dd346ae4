import { expect, test } from 'vitest'
import { engineClient, type SidecarSource } from '../../src/engines/engine-client.js'
import { createClient, type HealthEvent, type FetchLike } from '../../src/index.js'
import { turns } from '../support/until.js'
import { fakeSidecar } from './fake-sidecar.js'
import { createSidecarComponent } from '../../src/engines/cocos.js'

const open = (source: SidecarSource | undefined, frame: () => number) => engineClient(createClient, source, frame)

test('an engine client sends beats only while the engine makes frames', async () => {
  const { options, beats, pass } = fakeSidecar()
  let frame = 0
  const { client, release } = open({ ...options, autoHealth: { interval: 1000, stallTimeout: 1000 } }, () => frame)
  const reasons: (string | undefined)[] = []
  client.on('health', ({ reason }: HealthEvent) => reasons.push(reason))
  const second = async (frames: number): Promise<number> => {
    pass(1000)
    frame += frames
    client.tick()
    await turns()
    return beats()
  }
  await turns()
  expect(beats()).toBe(1)
  expect(await second(60)).toBe(2)
  expect(await second(0)).toBe(2)
  expect(await second(0)).toBe(2)
  expect(reasons.at(-1)).toContain('The game loop stands still')
  expect(await second(1)).toBe(3)
  release()
  expect(await second(60)).toBe(3)
})

test('several beats within one frame do not count as a freeze', async () => {
  const { options, beats, pass } = fakeSidecar()
  const { client, release } = open({ ...options, autoHealth: { interval: 10 } }, () => 7)
  await turns()
  for (let i = 0; i < 5; i++) {
    pass(10)
    client.tick()
    await turns()
  }
  expect(beats()).toBe(6)
  release()
})

test('the caller’s own health check also holds beats back, and is skipped while frames stand still', async () => {
  const { options, beats, pass } = fakeSidecar()
  let asked = 0
  let frame = 1
  const check = (): boolean => {
    asked += 1
    return false
  }
  const { client, release } = open(
    { ...options, autoHealth: { interval: 1000, stallTimeout: 1000, check } },
    () => frame,
  )
  await turns()
  expect([asked, beats()]).toEqual([1, 0])
  pass(1000)
  client.tick()
  await turns()
  expect(asked).toBe(1)
  frame += 1
  pass(1000)
  client.tick()
  await turns()
  expect([asked, beats()]).toEqual([2, 0])
  release()
})

test('autoHealth: false sends no beats', async () => {
  const { options, beats } = fakeSidecar()
  const { release } = open({ ...options, autoHealth: false }, () => 1)
  await turns()
  expect(beats()).toBe(0)
  release()
})

test('a given client stays open, and a client that the adapter created is closed', () => {
  const { options } = fakeSidecar()
  const given = createClient(options)
  const attached = open(given, () => 1)
  expect(attached.client).toBe(given)
  attached.release()
  expect(given.status.connection).not.toBe('closed')
  given.close()
  const made = open(options, () => 1)
  made.release()
  expect(made.client.status.connection).toBe('closed')
})

test('an emulated Cocos component creates its client on load, ticks it each frame and closes it on destroy', async () => {
  let frames = 1
  class Component {
    readonly name: string = 'node'
  }
  const cc = { Component, director: { getTotalFrames: () => frames } }
  const { options, beats, pass } = fakeSidecar()
  const urls: string[] = []
  const fetch: FetchLike = async (url, init) => {
    urls.push(url)
    return options.fetch!(url, init)
  }
  const component = new (createSidecarComponent(cc, { ...options, fetch, autoHealth: { interval: 1000 } }))()
  expect(component.name).toBe('node')
  // A component that was never loaded can be destroyed.
  component.onDestroy()
  // Values of the inspector override the options.
  component.baseUrl = 'http://inspector'
  component.onLoad()
  await turns()
  expect(beats()).toBe(1)
  frames += 60
  pass(1000)
  component.update(1 / 60)
  await turns()
  expect(beats()).toBe(2)
  expect(urls.filter((url) => !url.startsWith('http://inspector/'))).toEqual([])
  component.onDestroy()
  expect(component.client.status.connection).toBe('closed')
})
