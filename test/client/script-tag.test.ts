import { afterAll, afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

// The package as it was loaded last knows what a script tag says, and would tell it to the suites that come after.
afterAll(() => void vi.resetModules())

/** The URL that a client without options asks, or the error, where this document loads the package by a script tag. */
async function asked(document: unknown): Promise<string> {
  if (document !== 'none at all') vi.stubGlobal('document', document)
  vi.stubEnv('AGONES_SDK_HTTP_PORT', '8')
  vi.resetModules()
  const { createClient } = await import('../../src/index.js')
  // Later, no script is the current one.
  vi.stubGlobal('document', { currentScript: null })
  const urls: string[] = []
  const client = createClient({
    retry: false,
    fetch: async (url) => {
      urls.push(url)
      throw new TypeError('fetch failed')
    },
  })
  await client.allocate().catch(() => {})
  client.close()
  return urls[0]!.replace('/allocate', '')
}

const page = (dataset?: object): object => ({ currentScript: { dataset } })

test.each([
  [{ port: '7' }, 'http://localhost:7'],
  [{ baseUrl: 'http://x' }, 'http://x'],
  [{ baseUrl: 'http://x', port: '7' }, 'http://x'],
  [{ baseUrl: '', port: '7' }, 'http://localhost:7'],
])('a script tag says where the sidecar is: %o', async (dataset, url) => {
  expect(await asked(page(dataset))).toBe(url)
})

test('a script tag comes before what else there is, and names the platform', async () => {
  vi.stubGlobal('GAMESERVER_SIDECAR', { port: 9, platform: 'other' })
  expect(await asked(page({ port: '7' }))).toBe('http://localhost:7')
  vi.stubGlobal('GAMESERVER_SIDECAR', undefined)
  vi.stubEnv('MY_CLOUD_SDK_HTTP_PORT', '6')
  expect(await asked(page({ platform: 'my-cloud' }))).toBe('http://localhost:6')
})

test.each([
  ['no document at all', 'none at all'],
  ['a document that is undefined', undefined],
  ['a document that is null', null],
  ['a document that knows no current script', {}],
  ['a module, which is no current script', { currentScript: null }],
  ['a script tag without data', page()],
  ['a script tag with data of others', page({ other: '7' })],
])('the environment says so where there is %s', async (_what, document) => {
  expect(await asked(document)).toBe('http://localhost:8')
})
