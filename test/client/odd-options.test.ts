import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.js'
import { createClient as createNodeClient } from '../../src/index.node.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

const baseUrl = 'http://127.0.0.1:1'

describe.each([
  ['a page', createClient],
  ['Node', createNodeClient],
])('createClient() in %s', (_where, create) => {
  test.each([
    ['a text', 'http://127.0.0.1:9358'],
    ['a number', 9358],
    ['true', true],
    ['a function', () => ({})],
  ])('refuses %s in place of options, in words', (_name, given) => {
    expect(() => create(given as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(/^options must be an object/) }),
    )
  })

  test('takes null for no options', () => {
    expect(() => create(null as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining('Nothing says') }),
    )
  })

  test.each([
    ['retry', { retry: true }],
    ['retry', { retry: 5 }],
    ['limits', { limits: 'none' }],
    ['autoHealth', { autoHealth: 'yes' }],
    ['autoHealth', { autoHealth: 1 }],
  ])('refuses a group of options that is none: %s', (name, options) => {
    expect(() => create({ baseUrl, ...options } as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(`^${name} must be`) }),
    )
  })
})

test.each([null, 7, 'fast'])('watchGameServer(%o) is taken for no options, or refused in words', async (given) => {
  const client = connectClient(await startSidecar())
  const first = async (): Promise<unknown> => {
    const watching = client.watchGameServer(given as never)
    return watching[Symbol.asyncIterator]().next()
  }
  if (given === null) expect(await first()).toMatchObject({ done: false })
  else await expect(first()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'watchGameServer' })
})
