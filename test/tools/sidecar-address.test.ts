import { expect, test, vi } from 'vitest'
import { sidecarAddress } from '../../src/cli/sidecar-address.js'
import { freePort } from '../support/free-port.js'
import { forgetSidecar, run } from './support.js'

forgetSidecar()

test.each([
  ['http://127.0.0.1:1/', '9000', 'http://127.0.0.1:1'],
  [undefined, '9000', 'http://127.0.0.1:9000'],
  [undefined, '', 'http://127.0.0.1:9358'],
])('with --url %s and AGONES_SDK_HTTP_PORT=%s a command asks %s', (url, port, expected) => {
  vi.stubEnv('AGONES_SDK_HTTP_PORT', port)
  expect(sidecarAddress(url)).toBe(expected)
})

const commands = [['call', 'getGameServer'], ['call', 'ready'], ['watch', '--timeout', '0.3'], ['allocate']]
test.each(commands)(
  '%s %s without a sidecar ends with 69 and names the places where one is looked for',
  async (...args) => {
    const url = `http://127.0.0.1:${await freePort()}`
    const result = await run(...args, '--url', url).finished
    expect(result.err).toContain(
      `No sidecar answers at ${url}. It is looked for at --url, else at AGONES_SDK_HTTP_PORT, `,
    )
    expect(result.code).toBe(69)
  },
)
