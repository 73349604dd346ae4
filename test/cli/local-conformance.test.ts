import { describe, expect, test } from 'vitest'
import { call, startLocal } from './support.js'

describe('a conformance run', () => {
  test('ends with 0 once every operation was used', async () => {
    const { url, finished } = await startLocal(['--conformance', 'ready,gameserver,ready'])
    await call(url, '/ready')
    await call(url, '/gameserver', undefined, 'GET')
    const { code, out } = await finished
    expect(out).toContain('Conformance passed: ready, gameserver.')
    expect(code).toBe(0)
  })

  test('ends with 1 at the timeout and names what is missing', async () => {
    const { url, finished } = await startLocal(['--conformance', 'ready,allocate', '--timeout', '0.5'])
    await call(url, '/ready')
    const { code, out } = await finished
    expect(out).toContain('Conformance failed: never used: allocate.')
    expect(code).toBe(1)
  })

  test('ends with 1 when it is stopped before, and names what was not expected', async () => {
    const { url, child, finished } = await startLocal(['--conformance', 'ready,allocate'])
    await call(url, '/shutdown')
    child.kill('SIGTERM')
    const { code, out } = await finished
    expect(out).toContain('never used: ready, allocate')
    expect(out).toContain('used and not expected: shutdown')
    expect(code).toBe(1)
  })
})
