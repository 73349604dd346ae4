import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import type * as Api from '../../src/index.js'
import { gameServer } from '../support/game-server.js'
import { read } from '../support/source.js'

const code = read('dist/gameserver-sidecar.umd.js')

interface Page {
  api: typeof Api
  /** The context's document, whose `currentScript` is null again once the script has run. */
  document: { currentScript: unknown }
  /** `method URL` of what was requested. */
  requests: string[]
}

/** A page whose script tag has these attributes, and whatever else `globals` brings. */
function load(dataset: object, globals: object = {}): Page {
  const requests: string[] = []
  const document = { currentScript: { dataset } as unknown }
  const context = vm.createContext({ ...host(requests), ...globals, document })
  vm.runInContext(code, context)
  document.currentScript = null
  return { api: context['GameServerSidecar'] as typeof Api, document, requests }
}

const host = (requests: string[]) => ({
  setTimeout,
  clearTimeout,
  fetch: (url: string, { method }: { method: string }) => {
    requests.push(`${method} ${url}`)
    return Promise.resolve(Response.json(url.endsWith('/gameserver') ? gameServer() : {}))
  },
})

/** What a client of that page asks for, from its making to its first answer. */
async function asked({ api, requests }: Page, options?: Api.ClientOptions): Promise<string[]> {
  const client = api.createClient({ retry: false, ...options })
  await client.getGameServer()
  client.close()
  return requests
}

const firstAsked = async (page: Page, options?: Api.ClientOptions): Promise<string> =>
  (await asked(page, options))[0]!.replace(/\/gameserver$/, '')

/** What the page itself says, which the tag and an option precede. */
const said = {
  location: { search: '?sidecar=3333', origin: 'http://page.test' },
  GAMESERVER_SIDECAR: 'http://global.test',
}

describe('the script tag', () => {
  test.each([
    [{ baseUrl: 'http://option.test' }, { baseUrl: 'http://tag.test', port: '2222' }, 'http://option.test'],
    [{}, { baseUrl: 'http://tag.test/sidecar', port: '2222' }, 'http://tag.test/sidecar'],
    [{}, { port: '2222' }, 'http://localhost:2222'],
    [{}, {}, 'http://global.test'],
  ])('with the option %o and the tag %o, the client asks %s', async (options, tag, expected) => {
    expect(await firstAsked(load(tag, said), options)).toBe(`GET ${expected}`)
  })

  test('data-base-url may be a path of the page', async () => {
    const page = load({ baseUrl: '/sidecar' }, { location: { origin: 'https://game.test', search: '' } })
    expect(await firstAsked(page)).toBe('GET https://game.test/sidecar')
  })

  test.each([
    [{ port: 'abc' }, /data-port.* must be .*"abc"/],
    [{ port: '65536' }, /data-port.* must be .*"http:\/\/localhost:65536"/],
    [{ baseUrl: 'ftp://x' }, /data-base-url.* must be .*"ftp:\/\/x"/],
    [{ port: '1', platform: 'Bad Name' }, /platform must be .*"Bad Name"/],
  ])('%o is refused by name, not passed over', (dataset, message) => {
    const { api } = load(dataset, said)
    expect(() => api.createClient()).toThrow(
      expect.objectContaining({
        code: 'CONFIG',
        message: expect.stringMatching(message) as string,
      }),
    )
  })

  test.each([
    [{}, '7002'],
    [{ platform: 'option-cloud' }, '7001'],
  ])('with the option %o, data-platform gives way to the option alone', async (options, port) => {
    const env = { OPTION_CLOUD_SDK_HTTP_PORT: '7001', TAG_CLOUD_SDK_HTTP_PORT: '7002' }
    const page = load({ platform: 'tag-cloud' }, { process: { env }, GAMESERVER_SIDECAR: { platform: 'global-cloud' } })
    expect(await firstAsked(page, options)).toBe(`GET http://localhost:${port}`)
  })

  test.each<[Api.ClientOptions, { autoHealth?: string }, { autoHealth?: boolean }, boolean]>([
    [{}, {}, {}, false],
    [{}, { autoHealth: '' }, {}, true],
    [{}, { autoHealth: 'true' }, {}, true],
    [{}, { autoHealth: 'false' }, { autoHealth: true }, false],
    [{}, { autoHealth: '' }, { autoHealth: false }, true],
    [{ autoHealth: false }, { autoHealth: '' }, {}, false],
    [{ autoHealth: true }, { autoHealth: 'false' }, {}, true],
  ])('option %o, tag %o, global %o: beats go out: %s', async (options, tag, global, beats) => {
    const page = load({ port: '1', ...tag }, { GAMESERVER_SIDECAR: global })
    expect((await asked(page, options)).includes('POST http://localhost:1/health')).toBe(beats)
  })

  test('is read while it runs and never again', async () => {
    const page = load({ port: '1' })
    page.document.currentScript = { dataset: { port: '2', baseUrl: 'http://other.test', autoHealth: '' } }
    expect(await asked(page)).toEqual(['GET http://localhost:1/gameserver'])
  })
})
