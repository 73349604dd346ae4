import { expect, test } from 'vitest'
import { createClient } from '../../src/index.js'
import { createClient as createNodeClient } from '../../src/index.node.js'

test('in Node without an address the error names the variable and exec, and nothing of pages', () => {
  expect(() => createNodeClient()).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringMatching(/(?=.*AGONES_SDK_HTTP_PORT)(?=.*\bexec\b)(?!.*data-port)/s),
    }),
  )
})

test.each([createClient, createNodeClient])('the option port is refused with the hint baseUrl', (create) => {
  expect(() => create({ port: 9358 } as never)).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringContaining('port'),
      hint: expect.stringMatching(/mean \W?baseUrl\b/),
    }),
  )
})
