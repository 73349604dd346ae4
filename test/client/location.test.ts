import { afterEach, describe, expect, it, vi } from 'vitest'
import { isSidecarError } from '../../src/index.js'
import { locate } from '../../src/client/location.js'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (isSidecarError(error) && error.code === 'CONFIG') return error.message
    throw error
  }
  throw new Error('Nothing was thrown')
}

describe('where the sidecar is', () => {
  it('is an error that lists every way to say it, where nothing does', () => {
    const message = messageOf(() => locate({}))
    for (const way of [
      'createClient({ baseUrl })',
      'data-port',
      'data-base-url',
      '?sidecar=PORT',
      'GAMESERVER_SIDECAR',
    ])
      expect(message).toContain(way)
    expect(message).toContain('AGONES_SDK_HTTP_PORT')
    expect(messageOf(() => locate({ platform: 'my-cloud' }))).toContain('MY_CLOUD_SDK_HTTP_PORT')
  })

  it('is what the first of option, injected global, query and environment says', () => {
    vi.stubEnv('AGONES_SDK_HTTP_PORT', '1111')
    expect(locate({})).toMatchObject({ baseUrl: 'http://localhost:1111', anyLoopback: true })
    vi.stubGlobal('location', { search: '?a=1&sidecar=http%3A%2F%2F127.0.0.1%3A3333', origin: 'http://page:80' })
    expect(locate({}).baseUrl).toBe('http://127.0.0.1:3333')
    vi.stubGlobal('GAMESERVER_SIDECAR', { port: 2222 })
    expect(locate({}).baseUrl).toBe('http://localhost:2222')
    vi.stubGlobal('GAMESERVER_SIDECAR', 'http://10.0.0.1:2')
    expect(locate({})).toMatchObject({ baseUrl: 'http://10.0.0.1:2', anyLoopback: false })
    expect(locate({ baseUrl: 'http://localhost:4444/' }).baseUrl).toBe('http://localhost:4444')
  })

  it('takes the host of the environment, an IPv6 address too, and then tries no other', () => {
    vi.stubEnv('AGONES_SDK_HTTP_PORT', '1111')
    vi.stubEnv('AGONES_SDK_HTTP_HOST', '::1')
    expect(locate({})).toMatchObject({ baseUrl: 'http://[::1]:1111', anyLoopback: false })
    vi.stubEnv('AGONES_SDK_HTTP_HOST', 'sidecar.internal')
    expect(locate({}).baseUrl).toBe('http://sidecar.internal:1111')
  })

  it('resolves a path against the origin of the page', () => {
    vi.stubGlobal('location', { origin: 'http://game.test:8080', search: '' })
    expect(locate({ baseUrl: '/sidecar' }).baseUrl).toBe('http://game.test:8080/sidecar')
  })

  it.each([
    [{ baseUrl: 'ftp://x' }, 'createClient({ baseUrl })'],
    [{ baseUrl: 'http://user:secret@x' }, 'createClient({ baseUrl })'],
    [{ baseUrl: 'http://x/?q=1' }, 'createClient({ baseUrl })'],
    [{ baseUrl: 'localhost:9358' }, 'createClient({ baseUrl })'],
    [{ baseUrl: '/sidecar' }, 'createClient({ baseUrl })'],
    [{ baseUrl: '70000' }, 'createClient({ baseUrl })'],
    [{ platform: 'Not A Name', baseUrl: 'http://x' }, 'platform'],
  ])('refuses %o and names the option', (options, source) => {
    expect(messageOf(() => locate(options))).toContain(source)
  })

  it.each(['0', '65536', 'abc', '-1', '1.5', '1e3'])('refuses port %s and names the variable', (port) => {
    vi.stubEnv('AGONES_SDK_HTTP_PORT', port)
    expect(messageOf(() => locate({}))).toContain('AGONES_SDK_HTTP_PORT must be')
  })

  it('names the variable of a wrong host', () => {
    vi.stubEnv('AGONES_SDK_HTTP_PORT', '1111')
    vi.stubEnv('AGONES_SDK_HTTP_HOST', 'a b')
    expect(messageOf(() => locate({}))).toContain('AGONES_SDK_HTTP_HOST must be')
  })

  it('refuses a query that is no percent encoding, by name', () => {
    vi.stubGlobal('location', { search: '?sidecar=%zz' })
    expect(messageOf(() => locate({}))).toContain('?sidecar=PORT')
  })

  it.each([
    'https://evil.example',
    'http://127.0.0.1.evil.example:9358',
    'http://localhost.evil',
    'http://10.0.0.1',
    'http://1279999999:9358',
  ])('refuses a link that leads the page to a stranger: %s', (url) => {
    vi.stubGlobal('location', { search: `?sidecar=${encodeURIComponent(url)}`, origin: 'http://localhost:8080' })
    expect(messageOf(() => locate({}))).toContain('?sidecar=PORT')
    vi.stubGlobal('GAMESERVER_SIDECAR', { baseUrl: '/_/sidecar' })
    expect(locate({}).baseUrl).toBe('http://localhost:8080/_/sidecar')
  })

  it.each(['http://localhost:9358', 'http://[::1]:9358', 'http://127.0.0.1', '/_/sidecar'])(
    'follows a link to a sidecar of this machine: %s',
    (url) => {
      vi.stubGlobal('location', { search: `?sidecar=${encodeURIComponent(url)}`, origin: 'http://game.test' })
      expect(locate({}).baseUrl).toBe(url[0] === '/' ? `http://game.test${url}` : url)
    },
  )

  it('survives an environment that may not be read', () => {
    vi.stubGlobal('process', {
      get env() {
        throw new Error('NotCapable')
      },
    })
    expect(messageOf(() => locate({}))).toContain('Nothing says')
  })
})

describe('autoHealth', () => {
  it.each([
    [{ autoHealth: '' }, true],
    [{ autoHealth: 'false' }, false],
    [{ autoHealth: true }, true],
    [{ autoHealth: false }, false],
    [{}, false],
  ])('injected as %o is %s', (injected, expected) => {
    vi.stubGlobal('GAMESERVER_SIDECAR', { ...injected, port: 1 })
    expect(locate({}).autoHealth).toBe(expected)
  })
})
