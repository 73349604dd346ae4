import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { folderOf, serveSite, TAG } from './static-support.js'

const PAGE = '<!doctype html><html><head><title>Game</title></head></html>'

describe('compressed when the game was built', () => {
  const js = 'console.log("game")'
  const build = {
    'game.js': js,
    'game.js.br': brotliCompressSync(js),
    'game.js.gz': gzipSync(js),
    'engine.wasm.br': brotliCompressSync('wasm'),
    'level.json.gz': gzipSync('{}'),
    'maps.tar.gz': gzipSync('tar'),
    'page.html.br': brotliCompressSync(PAGE),
    'index.html': PAGE,
    'index.html.br': brotliCompressSync('old'),
  }

  const serveBuild = async () => serveSite(await folderOf(build))

  test.each([
    ['br, gzip', 'br', 'game.js.br'],
    ['gzip, deflate, br;q=0.5', 'br', 'game.js.br'],
    ['gzip', 'gzip', 'game.js.gz'],
    ['br;q=0, gzip', 'gzip', 'game.js.gz'],
    ['*', 'br', 'game.js.br'],
    ['identity', undefined, 'game.js'],
    ['', undefined, 'game.js'],
  ] as const)('with Accept-Encoding "%s" the encoding is %s', async (accepted, encoding, name) => {
    const { ask } = await serveBuild()
    const { headers, body } = await ask('/game.js', { 'accept-encoding': accepted })
    expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'Accept-Encoding'])
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(body).toEqual(Buffer.from(build[name]))
  })

  test('each form has an entity tag of its own', async () => {
    const { ask } = await serveBuild()
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(
        async (accepted) => (await ask('/game.js', { 'accept-encoding': accepted })).headers.etag,
      ),
    )
    expect(new Set(tags).size).toBe(3)
    const again = await ask('/game.js', { 'accept-encoding': 'br', 'if-none-match': tags[0]! })
    expect([again.status, again.headers.vary]).toEqual([304, 'Accept-Encoding'])
  })

  test.each([
    ['engine.wasm.br', 'br', 'application/wasm'],
    ['level.json.gz', 'gzip', 'application/json; charset=utf-8'],
    ['game.js.gz', 'gzip', 'text/javascript; charset=utf-8'],
  ] as const)('%s asked for by that name is unpacked by the browser: %s, %s', async (name, encoding, type) => {
    const { ask } = await serveBuild()
    const { headers, body } = await ask(`/${name}`, { 'accept-encoding': 'gzip, br' })
    expect([headers['content-encoding'], headers['content-type'], headers.vary]).toEqual([
      encoding,
      type,
      'Accept-Encoding',
    ])
    expect(body).toEqual(build[name])
    const raw = await ask(`/${name}`)
    expect([raw.headers['content-encoding'], raw.body]).toEqual([undefined, build[name]])
    expect(raw.headers['content-type']).not.toBe(type)
  })

  test.each([
    ['engine.wasm.br', 'gzip, deflate', 'wasm', 'application/wasm'],
    ['level.json.gz', 'identity', '{}', 'application/json; charset=utf-8'],
  ] as const)('%s is unpacked for a browser that takes only %s', async (name, accepted, content, type) => {
    const { ask } = await serveBuild()
    const { headers, text } = await ask(`/${name}`, { 'accept-encoding': accepted })
    expect([text, headers['content-encoding'], headers['content-type'], headers.vary]).toEqual([
      content,
      undefined,
      type,
      'Accept-Encoding',
    ])
    expect((await ask(`/${name}`, { 'accept-encoding': accepted }, 'HEAD')).headers['content-type']).toBe(type)
  })

  test('a .br file with invalid content is cut off, and the next request is served', async () => {
    const { ask } = await serveSite(await folderOf({ ...build, 'broken.js.br': 'not at all' }))
    await expect(ask('/broken.js.br', { 'accept-encoding': 'gzip' })).rejects.toThrow('socket hang up')
    expect((await ask('/game.js')).text).toBe(js)
  })

  test('an archive stays one', async () => {
    const { ask } = await serveBuild()
    const { headers } = await ask('/maps.tar.gz', { 'accept-encoding': 'gzip' })
    expect([headers['content-encoding'], headers['content-type']]).toEqual([undefined, 'application/gzip'])
  })

  test('a file that exists only compressed is served under its uncompressed name', async () => {
    const { ask } = await serveBuild()
    const found = await ask('/engine.wasm', { 'accept-encoding': 'br' })
    expect([found.status, found.headers['content-encoding'], found.headers['content-type']]).toEqual([
      200,
      'br',
      'application/wasm',
    ])
    expect((await ask('/engine.wasm', { 'accept-encoding': 'gzip' })).status).toBe(404)
  })

  test('one left over from an earlier build is not sent', async () => {
    const folder = await folderOf(build)
    const longAgo = new Date(Date.now() - 3_600_000)
    await utimes(join(folder, 'game.js.br'), longAgo, longAgo)
    const { ask } = await serveSite(folder)
    expect((await ask('/game.js', { 'accept-encoding': 'br' })).text).toBe(js)
  })

  test('a page never comes from a compressed file, which could not get its script', async () => {
    const { ask } = await serveBuild()
    const { headers, text } = await ask('/', { 'accept-encoding': 'br' })
    expect([headers['content-encoding'], text.includes(TAG)]).toEqual([undefined, true])
    expect((await ask('/page.html', { 'accept-encoding': 'br' })).status).toBe(404)
  })
})
