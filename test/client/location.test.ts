import { afterEach, expect, test, vi } from 'vitest'
import { createClient, type ClientOptions, type SidecarError } from '../../src/index.js'
import { startScripted } from '../support/fault-server.js'
import { refusedBy } from './operations.js'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

/** The address that a client asks. */
async function asked(options: ClientOptions = {}): Promise<string> {
  const urls: string[] = []
  const client = createClient({
    retry: false,
    ...options,
    fetch: async (url) => {
      urls.push(url.replace(/\/gameserver$/, ''))
      throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    },
  })
  await client.getGameServer().catch(() => {})
  client.close()
  return urls[0]!
}

const refusing = (options: ClientOptions = {}): SidecarError => refusedBy(() => createClient(options))

const inPage = (search?: string, injected?: unknown, origin = 'http://page.test'): void => {
  vi.stubGlobal('location', { search, origin })
  vi.stubGlobal('GAMESERVER_SIDECAR', injected)
}

const inEnvironment = (variables: Record<string, string>): void => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
}

test.each([
  ['1', 'http://localhost:1'],
  ['65535', 'http://localhost:65535'],
  ['http://x', 'http://x'],
  ['https://x.y:1/a/b', 'https://x.y:1/a/b'],
  ['http://x/a//', 'http://x/a'],
  ['http://[::1]:1', 'http://[::1]:1'],
  ['/sidecar', 'http://page.test/sidecar'],
])('baseUrl "%s" is asked as %s', async (baseUrl, url) => {
  inPage()
  expect(await asked({ baseUrl })).toBe(url)
})

test.each([
  '65536',
  '0',
  'x',
  'localhost:9358',
  'ftp://x',
  'http://',
  'http://x y',
  'http://x/a?b',
  'http://x#b',
  'http://user:secret@x',
])('baseUrl "%s" is refused with CONFIG', (baseUrl) => {
  inPage()
  expect(refusing({ baseUrl })).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('baseUrl') })
})

test('a path as baseUrl is refused with CONFIG outside a page', () => {
  expect(refusing({ baseUrl: '/sidecar' })).toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('baseUrl'),
  })
})

test.each([
  [9, 'http://localhost:9'],
  ['http://10.0.0.1:2', 'http://10.0.0.1:2'],
  [{ port: 9 }, 'http://localhost:9'],
  [{ baseUrl: '/_/sidecar', port: 9 }, 'http://page.test/_/sidecar'],
  [null, 'http://localhost:8'],
  [{}, 'http://localhost:8'],
])('the injected global %o leads to %s', async (injected, url) => {
  inPage('', injected)
  inEnvironment({ AGONES_SDK_HTTP_PORT: '8' })
  expect(await asked()).toBe(url)
})

test.each([
  ['?a=1&sidecar=7', 'http://localhost:7'],
  ['?sidecar=7&a=1', 'http://localhost:7'],
  ['?sidecar=http%3A%2F%2Flocalhost%2Fa', 'http://localhost/a'],
  ['?sidecar=https://127.0.0.1:7', 'https://127.0.0.1:7'],
  ['?sidecar=http://[::1]:9358', 'http://[::1]:9358'],
  ['?sidecar=/a', 'http://page.test/a'],
  ['?asidecar=7', 'http://localhost:8'],
  ['?sidecarb=7', 'http://localhost:8'],
  [undefined, 'http://localhost:8'],
])('the query %s leads to %s', async (search, url) => {
  inPage(search)
  inEnvironment({ AGONES_SDK_HTTP_PORT: '8' })
  expect(await asked()).toBe(url)
})

test.each([
  'https://evil.example',
  'http://127.0.0.1.evil.example:9358',
  'http://localhost.evil',
  'http://xlocalhost',
  'http://10.0.0.1',
  'http://1279999999:9358',
  'https://x/http://localhost',
  '%zz',
  '99999',
])('a link to %s is refused with CONFIG, and stands in no gateway’s way', async (target) => {
  inPage(`?sidecar=${target}`)
  expect(refusing()).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('?sidecar') })
  const sidecar = await startScripted()
  inPage(`?sidecar=${target}`, { baseUrl: sidecar.url })
  const client = createClient()
  expect((await client.getGameServer()).object_meta.name).toBe('scripted')
  client.close()
})

test('AGONES_SDK_HTTP_HOST names the host, an IPv6 address too', async () => {
  inEnvironment({ AGONES_SDK_HTTP_PORT: '8', AGONES_SDK_HTTP_HOST: 'sidecar.internal' })
  expect(await asked()).toBe('http://sidecar.internal:8')
  for (const host of ['fe80::2', '[fe80::2]']) {
    inEnvironment({ AGONES_SDK_HTTP_HOST: host })
    expect(await asked()).toBe('http://[fe80::2]:8')
  }
})

test('a platform has variables of its own name', async () => {
  inEnvironment({ AGONES_SDK_HTTP_PORT: '8', MY_CLOUD_SDK_HTTP_PORT: '9' })
  expect(await asked({ platform: 'my-cloud' })).toBe('http://localhost:9')
  inPage('', { platform: 'my-cloud' })
  expect(await asked()).toBe('http://localhost:9')
})

test.each(['0', '65536', 'abc', '-1', '1.5', '1e3'])('port %s is refused by the name of its variable', (port) => {
  inEnvironment({ AGONES_SDK_HTTP_PORT: port })
  const message: unknown = expect.stringMatching(`AGONES_SDK_HTTP_PORT.*${port}`)
  expect(refusing()).toMatchObject({ code: 'CONFIG', message })
})

test('an environment that may not be read counts as empty', () => {
  vi.stubGlobal('process', {
    get env() {
      throw new Error('NotCapable')
    },
  })
  expect(refusing()).toMatchObject({ code: 'CONFIG' })
})
