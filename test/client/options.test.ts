import { describe, expect, it } from 'vitest'
import { createClient, type ClientOptions } from '../../src/index.js'

const baseUrl = 'http://127.0.0.1:1'

describe('an option that can not be right is refused when the client is made', () => {
  it.each([
    ['watch', { watch: 'sse' as never }],
    ['int64', { int64: 'string' as never }],
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: -1 }],
    ['timeout', { timeout: NaN }],
    ['autoHealth.interval', { autoHealth: { interval: 0 } }],
    ['autoHealth.stallTimeout', { autoHealth: { stallTimeout: 0 } }],
  ] satisfies [string, ClientOptions][])('%s: %o', (name, options) => {
    expect(() => createClient({ baseUrl, ...options })).toThrow(
      expect.objectContaining({
        code: 'CONFIG',
        message: expect.stringMatching(`^${name} must be `),
        hint: expect.any(String),
      }),
    )
  })

  it('what is not given, or undefined, has its default', () => {
    const options: object = { baseUrl, watch: undefined, int64: undefined, timeout: undefined }
    expect(() => createClient(options).close()).not.toThrow()
  })
})

describe('the state of a client', () => {
  it('is closed for good once its signal is aborted', () => {
    const controller = new AbortController()
    const client = createClient({ baseUrl, signal: controller.signal })
    const states: string[] = []
    client.on('connection', ({ state }) => void states.push(state))
    controller.abort()
    client.on('gameserver', () => {})
    expect(states).toEqual(['closed'])
    expect(client.status.connection).toBe('closed')
  })

  it('takes a GameServer that is nested too deep to be compared', async () => {
    const text = (version: number): string =>
      `{"object_meta":{"resource_version":"${version}"},"status":{"state":"Ready","players":` +
      '['.repeat(50_000) +
      version +
      ']'.repeat(50_000) +
      '}}'
    let asked = 0
    const client = createClient({
      baseUrl,
      fetch: async () => ({ status: 200, headers: { get: () => null }, text: async () => text(++asked) }),
    })
    await client.getGameServer()
    await client.getGameServer()
    expect(client.gameServer?.object_meta.resource_version).toBe(String(asked))
    client.close()
  })
})
