import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient, type ClientOptions, type SidecarClient } from '../../src/index.js'

const baseUrl = 'http://127.0.0.1:1'

function make(options: object): SidecarClient {
  const client = createClient({ baseUrl, ...options })
  onTestFinished(() => client.close())
  return client
}

const refusing = (options: object): unknown => {
  try {
    make(options)
  } catch (error) {
    return error
  }
  return expect.fail('it was taken')
}

describe('an option that is one of a few words', () => {
  const words: [string, string[]][] = [
    ['watch', ['auto', 'websocket', 'stream']],
    ['crossOrigin', ['auto', 'direct', 'never']],
    ['int64', ['number', 'bigint']],
  ]

  test.each(words)('takes each of them, and names all of them where it is another: %s', (name, known) => {
    for (const word of known) make({ [name]: word })
    expect(refusing({ [name]: 'other' })).toMatchObject({
      code: 'CONFIG',
      summary: `${name} must be ${known.join(' or ')}; got "other"`,
    })
  })
})

describe('an option that is a number', () => {
  const places: [string, (value: unknown) => object][] = [
    ['timeout', (timeout) => ({ timeout })],
    ['verifyInterval', (verifyInterval) => ({ verifyInterval })],
    ['retry.initialDelay', (initialDelay) => ({ retry: { initialDelay } })],
    ['retry.factor', (factor) => ({ retry: { factor } })],
    ['retry.maxDelay', (maxDelay) => ({ retry: { maxDelay } })],
    ['retry.timeout', (timeout) => ({ retry: { timeout } })],
    ['limits.message', (message) => ({ limits: { message } })],
    ['limits.body', (body) => ({ limits: { body } })],
    ['autoHealth.interval', (interval) => ({ autoHealth: { interval } })],
    ['autoHealth.stallTimeout', (stallTimeout) => ({ autoHealth: { stallTimeout } })],
  ]

  test.each(places)('is above 0, or not given: %s', (name, place) => {
    for (const right of [1, 0.5, Infinity, undefined]) make(place(right)).close()
    for (const wrong of [-1, NaN, '1', {}, null, ...(name === 'verifyInterval' ? [] : [0])])
      expect(refusing(place(wrong))).toMatchObject({
        code: 'CONFIG',
        summary: expect.stringMatching(`^${name} must be a number above 0; got `),
      })
  })

  test('may be 0 only where that switches something off', () => {
    make({ verifyInterval: 0 })
  })
})

describe('options that come in a group', () => {
  test('may be left out, or switched off where that means something', () => {
    make({ retry: false })
    make({ retry: {} })
    make({ autoHealth: false })
    make({ autoHealth: true })
    make({ limits: {} })
  })

  test.each([
    ['retry', 'retry'],
    ['limits', 'limits'],
    ['autoHealth', 'autoHealth'],
  ])('take no name that does not exist: %s', (group, named) => {
    expect(refusing({ [group]: { nothing: 1 } })).toMatchObject({
      code: 'CONFIG',
      summary: `There is no ${named} option "nothing"`,
    })
  })

  test('as all options do not', () => {
    expect(refusing({ nothing: 1 })).toMatchObject({ code: 'CONFIG', summary: 'There is no option "nothing"' })
  })
})

describe('a queue of a watch', () => {
  const watch = (options: object) => () => make({}).watchGameServer(options)

  test('is a whole number above 0, or without an end', () => {
    for (const queue of [1, 2, Infinity, undefined]) expect(watch({ queue })).not.toThrow()
    for (const queue of [0, -1, 1.5, NaN, -Infinity, '2', null])
      expect(watch({ queue })).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          operation: 'watchGameServer',
          summary: expect.stringMatching(/^queue must be a whole number above 0/),
        }),
      )
  })

  test('drops or fails when it is full', () => {
    for (const overflow of ['drop', 'fail', undefined]) expect(watch({ overflow })).not.toThrow()
    expect(watch({ overflow: 'other' })).toThrow(
      expect.objectContaining({ summary: 'overflow must be drop or fail; got "other"' }),
    )
  })
})

describe('where the sidecar is', () => {
  /** The URL that a client with these options asks first. */
  async function asked(options: ClientOptions): Promise<string | undefined> {
    const urls: string[] = []
    const client = createClient({
      retry: false,
      ...options,
      fetch: async (url) => {
        urls.push(url)
        throw new TypeError('fetch failed')
      },
    })
    onTestFinished(() => client.close())
    await client.getGameServer().catch(() => {})
    return urls[0]?.replace(/\/gameserver$/, '')
  }

  const inPage = (search: string | undefined, origin = 'http://page.test', injected?: unknown): void => {
    vi.stubGlobal('location', { search, origin })
    vi.stubGlobal('GAMESERVER_SIDECAR', injected)
    onTestFinished(() => void vi.unstubAllGlobals())
  }

  const inEnvironment = (variables: Record<string, string>): void => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
  }

  test.each([
    ['1', 'http://localhost:1'],
    ['00080', 'http://localhost:80'],
    ['65535', 'http://localhost:65535'],
    ['http://x', 'http://x'],
    ['https://x.y:1/a/b', 'https://x.y:1/a/b'],
    ['http://x/', 'http://x'],
    ['http://x/a//', 'http://x/a'],
    ['http://[::1]:1', 'http://[::1]:1'],
  ])('is as it was given: %s', async (given, url) => {
    expect(await asked({ baseUrl: given })).toBe(url)
  })

  test.each([
    '65536',
    '0',
    'x',
    'xhttp://x',
    'http://',
    'http:///a',
    'http://x y',
    'http://x/a b',
    'http://x/a?b',
    'http://x/a#b',
    'http://x?b',
    'http://x#b',
    'http://a@x',
    'ftp://x',
    '12x',
    'x12',
  ])('is no %s', (wrong) => {
    inPage('')
    expect(refusing({ baseUrl: wrong })).toMatchObject({
      code: 'CONFIG',
      summary: expect.stringContaining('createClient({ baseUrl }) must be '),
    })
  })

  test.each([
    ['?sidecar=7', 'http://localhost:7'],
    ['?a=1&sidecar=7', 'http://localhost:7'],
    ['?sidecar=7&a=1', 'http://localhost:7'],
    ['?sidecar=7#a', 'http://localhost:7'],
    ['?sidecar=http%3A%2F%2Flocalhost%2Fa', 'http://localhost/a'],
    ['?sidecar=https://127.0.0.1:7', 'https://127.0.0.1:7'],
    ['?sidecar=http://127.9.9.9/a', 'http://127.9.9.9/a'],
    ['?sidecar=/a', 'http://page.test/a'],
    ['?sidecar=/a/http://x', 'http://page.test/a/http://x'],
  ])('is in a link of this page: %s', async (search, url) => {
    inPage(search)
    expect(await asked({})).toBe(url)
  })

  test.each(['', '?', '?asidecar=7', '?sidecarb=7', undefined])('is not in %o', async (search) => {
    inPage(search)
    inEnvironment({ AGONES_SDK_HTTP_PORT: '8' })
    expect(await asked({})).toBe('http://localhost:8')
  })

  test.each(['https://localhost.x', 'http://127.x', 'http://xlocalhost', 'https://x/http://localhost', 'http://::1'])(
    'is nowhere else, whatever a link says: %s',
    (target) => {
      inPage(`?sidecar=${target}`)
      expect(() => createClient()).toThrow(
        expect.objectContaining({ code: 'CONFIG', summary: expect.stringContaining('?sidecar=PORT must be ') }),
      )
    },
  )

  test.each([
    [9, 'http://localhost:9'],
    ['9', 'http://localhost:9'],
    [{ port: 9 }, 'http://localhost:9'],
    [{ baseUrl: 'http://x', port: 9 }, 'http://x'],
    [null, 'http://localhost:8'],
    [{}, 'http://localhost:8'],
  ])('is what the server of a page says: %o', async (injected, url) => {
    inPage('', undefined, injected)
    inEnvironment({ AGONES_SDK_HTTP_PORT: '8' })
    expect(await asked({})).toBe(url)
  })

  test('is in the environment, by the name of the platform', async () => {
    inEnvironment({
      AGONES_SDK_HTTP_PORT: '8',
      MY_OWN_CLOUD_SDK_HTTP_PORT: '9',
      MY_OWN_CLOUD_SDK_HTTP_HOST: 'fe80::12',
    })
    expect(await asked({})).toBe('http://localhost:8')
    expect(await asked({ platform: 'my-own-cloud' })).toBe('http://[fe80::12]:9')
    vi.stubGlobal('GAMESERVER_SIDECAR', { platform: 'my-own-cloud' })
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await asked({})).toBe('http://[fe80::12]:9')
    vi.stubEnv('MY_OWN_CLOUD_SDK_HTTP_HOST', '[fe80::2]')
    expect(await asked({})).toBe('http://[fe80::2]:9')
    vi.stubEnv('MY_OWN_CLOUD_SDK_HTTP_PORT', '')
    expect(() => createClient()).toThrow(expect.objectContaining({ code: 'CONFIG' }))
  })

  test.each(['x y', '-x', 'x/y', 'xÄ', 'X', 'x_'])('is asked of no platform called "%s"', (platform) => {
    expect(refusing({ platform })).toMatchObject({ summary: expect.stringMatching(/^platform must be /) })
  })
})
