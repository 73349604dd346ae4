import { once } from 'node:events'
import { expect, test } from 'vitest'
import { emitSafely } from '../../src/host/host-events.js'
import { resolveHostOptions } from '../../src/host/host-options.js'

test.each<[object, string]>([
  [{ graze: 1 }, 'The object of options has no field "graze"; did you mean "grace"?'],
  [{ path: 'index.html' }, 'path must be a path that begins with "/"; got "index.html"'],
  [{ playersPort: '7777' }, 'playersPort must be an integer from 0 to 65535; got "7777"'],
  [{ playerOrigins: ['example.com'] }, 'An origin of players must look like https://example.com, not "example.com"'],
  [{ cert: 'x' }, 'cert and key go together'],
  [{ signal: {} }, 'signal must be an AbortSignal'],
  [{ onEvent: true }, 'onEvent must be a function; got true'],
])('createHost() refuses the options %j', (options, message) => {
  expect(() => resolveHostOptions({ dir: '.', ...options })).toThrow(message)
  expect(() => resolveHostOptions({ dir: '.', ...options })).toThrow(TypeError)
})

test('an onEvent that throws becomes a warning of the process', async () => {
  const warned = once(process, 'warning')
  emitSafely(({ event }) => {
    throw new Error(`no ${event}`)
  })({ event: 'booted', ms: 1 })
  expect(await warned).toMatchObject([{ message: expect.stringContaining('onEvent threw: Error: no booted') }])
})
