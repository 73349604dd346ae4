import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import { connectClient } from '../support/with-sidecar.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { VirtualClock } from '../support/virtual-clock.js'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const settle = (): Promise<void> => new Promise(setImmediate)

interface Sent {
  method: string
  headers: Record<string, string>
  body: string | undefined
  redirect: string
  cache: string
}

/** What a client asks of the host's fetch for one call. */
async function sentFor(call: (client: SidecarClient) => Promise<unknown>): Promise<Sent> {
  const sidecar = await startScripted()
  const sent: unknown[] = []
  const client = connectClient(sidecar, {
    retry: false,
    fetch: (url, init) => {
      sent.push({ ...init, signal: undefined })
      return fetch(url, init as RequestInit)
    },
  })
  await call(client)
  return sent[0] as Sent
}

describe('a request', () => {
  test('without a body says nothing of a content type, which would cost a preflight', async () => {
    expect(await sentFor((client) => client.getGameServer())).toEqual({
      method: 'GET',
      headers: {},
      body: undefined,
      redirect: 'manual',
      cache: 'no-store',
    })
  })

  test('with a body says that it is JSON', async () => {
    expect(await sentFor((client) => client.setLabel('a', 'b'))).toEqual({
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"key":"a","value":"b"}',
      redirect: 'manual',
      cache: 'no-store',
    })
  })

  test('of a call without arguments has an empty object', async () => {
    expect(await sentFor((client) => client.ready())).toMatchObject({ method: 'POST', body: '{}' })
  })
})

/** ms until a read is asked for again that was answered 503 with this header, by a clock that stands still in between. */
async function pause(retryAfter: string | null): Promise<number> {
  const clock = new VirtualClock()
  // A call that comes first asks whether anybody is there, and then what it wants to know.
  const answers = [200, 200, 503, 200]
  const asked: number[] = []
  const client = connectClient(
    { url: 'http://127.0.0.1:1' },
    {
      now: clock.now,
      scheduler: clock,
      random: () => 0,
      timeout: 1e9,
      retry: { timeout: 1e9 },
      fetch: async () => {
        asked.push(clock.now())
        const status = answers.shift()!
        const text = async (): Promise<string> => '{"object_meta":{},"status":{}}'
        return { status, headers: { get: (name) => (name === 'Retry-After' ? retryAfter : null) }, text }
      },
    },
  )
  await client.getGameServer()
  const again = client.getGameServer()
  while (asked.length < 4 && clock.now() < 100_000) {
    await settle()
    clock.advance(50)
  }
  await again
  return asked[3]! - asked[2]!
}

describe('Retry-After', () => {
  const now = Date.UTC(2030, 0, 1)
  const date = (ms: number): string => new Date(now + ms).toUTCString()

  test.each([
    ['2', 2000],
    ['30', 30_000],
    ['31', 30_000],
    [date(3000), 3000],
    [date(60_000), 30_000],
    // The shortest delay of all.
    [null, 150],
    ['', 150],
    ['0', 150],
    ['2x', 150],
    ['x2', 150],
    ['-2', 150],
    ['0x10', 150],
    ['1e3', 150],
    [date(0), 150],
    [date(-3000), 150],
    [`on ${date(3000)}`, 150],
    ['1 Jan 2031', 150],
    ['Tue, soon', 150],
  ])('%s means %i ms', async (retryAfter, ms) => {
    vi.spyOn(Date, 'now').mockReturnValue(now)
    expect(await pause(retryAfter)).toBe(ms)
  })
})

/** The URLs that a client asks where nobody listens, or the message of the error. */
async function refused(options: ClientOptions, code = 'ECONNREFUSED', times = 3): Promise<string[]> {
  const urls: string[] = []
  const client = connectClient({ url: '' }, {
    baseUrl: undefined,
    retry: false,
    fetch: async (url: string) => {
      urls.push(url)
      throw Object.assign(new TypeError('fetch failed'), { cause: { code } })
    },
    ...options,
  } as ClientOptions)
  for (let n = 0; n < times; n++) await client.getGameServer().catch(() => {})
  return urls.map((url) => url.replace('/gameserver', ''))
}

describe('where nobody chose the host', () => {
  test('localhost and 127.0.0.1 are dialled in turn, each after the other has refused', async () => {
    const [first, second] = ['http://localhost:9', 'http://127.0.0.1:9']
    expect(await refused({ baseUrl: '9' })).toEqual([first, second, first])
  })

  test('the same one is dialled again where a connection is only lost', async () => {
    const first = 'http://localhost:9'
    expect(await refused({ baseUrl: '9' }, 'ECONNRESET')).toEqual([first, first, first])
  })

  test('no other than the one that was given is dialled', async () => {
    expect(await refused({ baseUrl: 'http://localhost:9' }, 'ECONNREFUSED', 2)).toEqual([
      'http://localhost:9',
      'http://localhost:9',
    ])
    vi.stubEnv('AGONES_SDK_HTTP_PORT', '9')
    vi.stubEnv('AGONES_SDK_HTTP_HOST', '127.0.0.1')
    expect(await refused({}, 'ECONNREFUSED', 2)).toEqual(['http://127.0.0.1:9', 'http://127.0.0.1:9'])
    vi.unstubAllEnvs()
  })
})

async function hintOf(baseUrl: string, fetch: ClientOptions['fetch']): Promise<string | undefined> {
  const client = connectClient({ url: baseUrl }, { retry: false, fetch: fetch! })
  const error = await client.getGameServer().catch((reason: unknown) => reason)
  return (error as { hint?: string }).hint
}

describe('where nobody answers, the hint tells how to start a sidecar', () => {
  const failing: ClientOptions['fetch'] = () => Promise.reject(new TypeError('Failed to fetch'))

  test.each(['http://localhost:9', 'http://localhost', 'http://localhost/a', 'https://127.0.0.1:9', 'http://[::1]:9'])(
    'on this machine: %s',
    async (baseUrl) => {
      expect(await hintOf(baseUrl, failing)).toContain('npx gameserver-sidecar local')
    },
  )

  test.each(['http://localhost.evil:9', 'http://sidecar.example', 'http://x/http://localhost:9', 'http://128.0.0.1'])(
    'and elsewhere only where it was looked for: %s',
    async (baseUrl) => {
      expect(await hintOf(baseUrl, failing)).toBe(`Is the sidecar running at ${baseUrl}?`)
    },
  )
})

describe('where a page is refused, the hint names the flag that lets it in', () => {
  const refusing: ClientOptions['fetch'] = async () => ({
    status: 403,
    headers: { get: () => null },
    text: async () => '',
  })

  test.each(['http://localhost:5173', 'http://127.0.0.1', 'https://[::1]:5173'])(
    'for a page of this machine: %s',
    async (origin) => {
      vi.stubGlobal('location', { origin, search: '' })
      expect(await hintOf('http://localhost:9', refusing)).toContain(`--allow-origin ${origin}.`)
    },
  )

  test.each([{ origin: 'https://game.example', search: '' }, { search: '' }, undefined])(
    'and for no other: %o',
    async (location) => {
      vi.stubGlobal('location', location)
      const hint = await hintOf('http://localhost:9', refusing)
      expect(hint).toContain('one origin')
      expect(hint).not.toContain('--allow-origin')
    },
  )
})
