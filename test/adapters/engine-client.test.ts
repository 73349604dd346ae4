import { expect, onTestFinished, test } from 'vitest'
import { createSidecarComponent } from '../../src/engines/cocos.js'
import { engineClient, type SidecarSource } from '../../src/engines/engine-client.js'
import { createClient } from '../../src/index.js'
import { createMock } from '../../src/platform/mock.js'

/** An engine's frames beside a mock, in virtual time. */
function play() {
  const mock = createMock()
  onTestFinished(() => mock.close())
  const frames = { count: 1 }
  return {
    frames,
    options: mock.options,
    open: (source: SidecarSource) => engineClient(createClient, source, () => frames.count),
    beats: () => mock.calls.filter(({ operation }) => operation === 'health').length,
    /** Lets a second pass in which the engine makes this many frames. */
    async second(made: number): Promise<void> {
      frames.count += made
      await mock.advance(1000)
    },
  }
}

const autoHealth = { interval: 500, stallTimeout: 1000 }

test('an engine client sends beats only while the engine makes frames', async () => {
  const { options, open, beats, second } = play()
  const { client, release } = open({ ...options, autoHealth })
  const reasons: (string | undefined)[] = []
  client.on('health', ({ reason }) => reasons.push(reason))
  // Several beats within one frame are no freeze.
  await second(60)
  expect(beats()).toBeGreaterThan(1)
  await second(0)
  const before = beats()
  await second(0)
  expect(beats()).toBe(before)
  expect(reasons.at(-1)).toContain('The game loop stands still')
  await second(1)
  expect(beats()).toBeGreaterThan(before)
  release()
  const last = beats()
  await second(60)
  expect(beats()).toBe(last)
})

test('the caller’s own health check also holds beats back, and is skipped while frames stand still', async () => {
  const { options, open, beats, second } = play()
  let asked = 0
  open({ ...options, autoHealth: { ...autoHealth, check: () => ++asked < 0 } })
  await second(1)
  await second(0)
  const before = asked
  expect(before).toBeGreaterThan(0)
  await second(0)
  expect(asked).toBe(before)
  await second(1)
  expect([asked > before, beats()]).toEqual([true, 0])
})

test('autoHealth: false sends no beats', async () => {
  const { options, open, beats, second } = play()
  open({ ...options, autoHealth: false })
  await second(1)
  expect(beats()).toBe(0)
})

test('a given client stays open, and a client that the adapter created is closed', () => {
  const { options, open } = play()
  const given = createClient(options)
  onTestFinished(() => given.close())
  const [shared, made] = [open(given), open(options)]
  expect(shared.client).toBe(given)
  for (const { release } of [shared, made]) release()
  expect(given.status.connection).not.toBe('closed')
  expect(made.client.status.connection).toBe('closed')
})

test('an emulated Cocos component creates its client on load, ticks it each frame and closes it on destroy', async () => {
  const { frames, options, beats } = play()
  class Component {
    readonly name: string = 'node'
  }
  const cc = { Component, director: { getTotalFrames: () => frames.count } }
  let now = 0
  const source = { ...options, scheduler: false, now: () => now, autoHealth: { interval: 1000 } } as const
  const component = new (createSidecarComponent(cc, source))()
  expect(component.name).toBe('node')
  // A component that was never loaded can be destroyed.
  component.onDestroy()
  component.onLoad()
  await expect.poll(beats).toBe(1)
  frames.count += 60
  now += 1000
  component.update(1 / 60)
  await expect.poll(beats).toBe(2)
  component.onDestroy()
  expect(component.client.status.connection).toBe('closed')
})
