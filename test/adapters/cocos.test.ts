import { expect, test } from 'vitest'
import { createSidecarComponent } from '../../src/adapters/cocos.js'
import type { FetchLike } from '../../src/index.js'
import { fakeSidecar, settled } from './fake-sidecar.js'

/** The part of `cc` that a component touches. */
function emulatedEngine() {
  class Component {
    readonly name: string = 'node'
  }
  return {
    Component,
    director: {
      frames: 1,
      getTotalFrames(): number {
        return this.frames
      },
    },
  }
}

test('emulated: a component opens a client when loaded, drives it in each frame, closes it when destroyed', async () => {
  const cc = emulatedEngine()
  const { options, beats, pass } = fakeSidecar()
  const component = new (createSidecarComponent(cc, { ...options, autoHealth: { interval: 1000 } }))()
  expect(component.name).toBe('node')
  component.onLoad()
  await settled()
  expect(beats()).toBe(1)
  cc.director.frames += 60
  pass(1000)
  component.update(1 / 60)
  await settled()
  expect(beats()).toBe(2)
  component.onDestroy()
  expect(component.client.status.connection).toBe('closed')
})

test('emulated: what the inspector says goes before the options', async () => {
  const {
    options: { fetch: answer },
  } = fakeSidecar()
  const urls: string[] = []
  const fetch: FetchLike = async (url, init) => {
    urls.push(url)
    return answer!(url, init)
  }
  const options = { baseUrl: 'http://options', fetch, autoHealth: false }
  const component = new (createSidecarComponent(emulatedEngine(), options))()
  component.baseUrl = 'http://inspector'
  component.onLoad()
  await component.client.health()
  expect(urls).toContain('http://inspector/health')
  expect(urls.filter((url) => !url.startsWith('http://inspector/'))).toEqual([])
  component.onDestroy()
})

test('emulated: a component that was never loaded can be destroyed', () => {
  const component = new (createSidecarComponent(emulatedEngine(), {}))()
  expect(() => component.onDestroy()).not.toThrow()
})
