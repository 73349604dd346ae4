import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readlink, realpath, truncate, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { folderOf } from '../support/temporary-folder.js'
import { serveSite, TAG } from './static-support.js'

const PAGE = '<!doctype html><html><head><title>Game</title></head></html>'

test('each file that engines build has the type that a page needs', async () => {
  const types = [
    ['game.js', 'text/javascript; charset=utf-8'],
    ['game.mjs', 'text/javascript; charset=utf-8'],
    ['game.wasm', 'application/wasm'],
    ['game.css', 'text/css; charset=utf-8'],
    ['level.json', 'application/json; charset=utf-8'],
    ['game.js.map', 'application/json; charset=utf-8'],
    ['app.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['hero.svg', 'image/svg+xml'],
    ['game.pck', 'application/octet-stream'],
    ['LICENSE', 'application/octet-stream'],
    ['json', 'application/octet-stream'],
  ] as const
  const { ask } = await serveSite(await folderOf(Object.fromEntries(types.map(([name]) => [name, 'content']))))
  for (const [name, type] of types) {
    const { status, headers, text } = await ask(`/${name}`)
    expect([status, headers['content-type'], text], name).toEqual([200, type, 'content'])
  }
})

describe('headers', () => {
  test('no answer may be taken for another type, read or framed by another origin, or kept without asking', async () => {
    const { ask } = await serveSite(await folderOf({ 'index.html': PAGE, 'a.js': '1' }))
    for (const path of ['/', '/a.js', '/missing']) {
      const { headers } = await ask(path)
      expect(headers, path).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'same-origin',
        'x-frame-options': path === '/missing' ? 'DENY' : 'SAMEORIGIN',
      })
      expect(headers['cache-control'], path).toMatch(/^no-(cache|store)$/)
      expect(headers['cross-origin-opener-policy'], path).toBeUndefined()
      expect(headers['access-control-allow-origin'], path).toBeUndefined()
    }
  })

  test('isolate: pages and the scripts of workers are isolated, so that there is a SharedArrayBuffer', async () => {
    const { ask } = await serveSite(await folderOf({ 'index.html': PAGE, 'worker.js': '1' }), { isolate: true })
    for (const path of ['/', '/worker.js']) {
      expect((await ask(path)).headers, path).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-origin',
      })
    }
  })
})

describe('conditional requests', () => {
  test.each(['/', '/a.bin'])('%s is sent once, and again when it has changed', async (path) => {
    const folder = await folderOf({ 'index.html': PAGE, 'a.bin': 'first' })
    const { ask } = await serveSite(folder)
    const { headers } = await ask(path)
    const etag = headers.etag!
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`]) {
      const again = await ask(path, { 'if-none-match': known })
      expect([again.status, again.text, again.headers.etag], known).toEqual([304, '', etag])
    }
    await writeFile(join(folder, path === '/' ? 'index.html' : 'a.bin'), 'second, and longer')
    const changed = await ask(path, { 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.text).toContain('second, and longer')
    expect(changed.headers.etag).not.toBe(etag)
  })

  test.each(['/', '/a.bin', '/missing'])('HEAD of %s tells what GET would, without its body', async (path) => {
    const { ask } = await serveSite(await folderOf({ 'index.html': PAGE, 'a.bin': '0123456789' }))
    const { date: _date, ...get } = (await ask(path)).headers
    const {
      headers: { date: _later, ...head },
      body,
    } = await ask(path, {}, 'HEAD')
    expect(head).toEqual(get)
    expect(body.byteLength).toBe(0)
  })

  test('methods other than GET and HEAD are refused', async () => {
    const { ask } = await serveSite(await folderOf({ 'a.js': '1' }))
    for (const method of ['POST', 'OPTIONS', 'PROPFIND']) {
      const { status, headers, text } = await ask('/a.js', {}, method)
      expect([status, headers.allow], method).toEqual([405, 'GET, HEAD'])
      expect(text).toMatch(/can only be read/)
    }
  })

  test('a file that became shorter while it was sent is cut off, and not taken for a whole one', async () => {
    const whole = Buffer.alloc(64 * 1024 * 1024, 'x')
    const folder = await folderOf({ 'a.bin': whole })
    const { port } = await serveSite(folder)
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n')
    let received = 0
    await new Promise<void>((first) => socket.once('readable', first))
    // It waits for the reader by now, with most of the file unread.
    await truncate(join(folder, 'a.bin'), 1024)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => (received += chunk.byteLength))
    await new Promise((closed) => socket.once('close', closed))
    expect(received).toBeLessThan(whole.byteLength)
  })
})

describe('a part of a file', () => {
  test('is sent with its place, and a part that the file has not is refused', async () => {
    const { ask } = await serveSite(await folderOf({ 'a.bin': '0123456789' }))
    const part = await ask('/a.bin', { range: 'bytes=2-4' })
    expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10'])
    expect(part.headers['content-length']).toBe('3')
    const none = await ask('/a.bin', { range: 'bytes=10-' })
    expect([none.status, none.headers['content-range']]).toEqual([416, 'bytes */10'])
    expect(none.text).toMatch(/no such range/)
    const { headers } = await ask('/a.bin')
    for (const [known, status] of [
      ['"old"', 200],
      [headers.etag!, 206],
    ] as const) {
      expect((await ask('/a.bin', { range: 'bytes=2-4', 'if-range': known })).status, known).toBe(status)
    }
  })

  test.each([
    ['bytes=7-', 206, '789'],
    ['bytes=7-99', 206, '789'],
    ['bytes=-3', 206, '789'],
    ['bytes=-99999999999999999999', 206, '0123456789'],
    ['bytes=-0', 416, ''],
    ['bytes=0-1,3-4', 200, '0123456789'],
    ['bytes=-', 200, '0123456789'],
  ] as const)('asked for as %s is answered %i', async (range, status, text) => {
    const { ask } = await serveSite(await folderOf({ 'a.bin': '0123456789', 'empty.bin': '' }))
    const part = await ask('/a.bin', { range })
    expect([part.status, status === 416 ? '' : part.text]).toEqual([status, text])
    if (status === 206) expect(part.headers['content-range']).toBe(`bytes ${10 - text.length}-9/10`)
    expect(await ask('/empty.bin', { range })).toMatchObject({ status: 200, text: '' })
  })
})

describe('folders and routes', () => {
  const site = {
    'index.html': PAGE,
    'levels/index.html': '<h1>Levels</h1>',
    'assets/a.png': 'png',
    'a b/index.html': 'x',
  }
  const asPage = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  test('a folder is its index.html', async () => {
    const { ask } = await serveSite(await folderOf(site))
    expect((await ask('/levels/')).text).toContain('<h1>Levels</h1>')
    expect((await ask('//')).text).toContain('<title>Game</title>')
  })

  test.each([
    ['/levels', '/levels/'],
    ['/levels?a=1&b=%2F', '/levels/?a=1&b=%2F'],
    ['//levels', '/levels/'],
    ['/a%20b', '/a%20b/'],
  ])('%s leads to %s, on this site', async (path, location) => {
    const { ask } = await serveSite(await folderOf(site))
    const { status, headers } = await ask(path)
    expect([status, headers.location]).toEqual([302, location])
  })

  test.each(['/assets', '/assets/'])('%s, without index.html, is not listed', async (path) => {
    const { ask } = await serveSite(await folderOf(site))
    const { status, text } = await ask(path)
    expect([status, text.includes('a.png')]).toEqual([404, false])
    expect(text).toBe('/assets is not in the folder that is served.\n')
  })

  test('the path of a file with a slash at its end is 404', async () => {
    const { ask } = await serveSite(await folderOf(site))
    expect((await ask('/assets/a.png/')).status).toBe(404)
  })

  test('spa: a navigation to a route gets the page; a missing file stays missing', async () => {
    const { ask } = await serveSite(await folderOf(site), { spa: true })
    for (const path of ['/lobby/42', '/lobby/', '/assets/', '/v1.2/play']) {
      const { status, text } = await ask(path, { ...asPage, 'sec-fetch-mode': 'navigate' })
      expect([status, text.includes(TAG)], path).toEqual([200, true])
    }
    expect((await ask('/lobby', asPage)).status).toBe(200)
    expect((await ask('/lobby', asPage, 'HEAD')).status).toBe(200)
    expect((await ask('/missing.png', asPage)).status).toBe(404)
    expect((await ask('/lobby', { accept: '*/*' })).status).toBe(404)
    expect((await ask('/lobby', { ...asPage, 'sec-fetch-mode': 'cors' })).status).toBe(404)
  })

  test('without spa, a route is not found and the answer is plain text', async () => {
    const { ask } = await serveSite(await folderOf(site))
    const { status, headers, text } = await ask('/lobby/%3Cimg%20src=x%3E', asPage)
    expect([status, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
    expect(text).toBe('/lobby/<img src=x> is not in the folder that is served.\n')
  })
})

describe('what is served at all', () => {
  test.each(['nowhere', 'a.js'])('%s, which is no folder, is refused at the start', async (name) => {
    const folder = await folderOf({ 'a.js': '1' })
    await expect(serveSite(join(folder, name))).rejects.toThrow(`There is no folder ${join(folder, name)} to serve`)
  })

  test('a build that is replaced under the same name is served anew', async () => {
    const folder = await folderOf({ 'one/a.js': 'one', 'two/a.js': 'two' })
    execFileSync('ln', ['-s', 'one', join(folder, 'current')])
    const { ask } = await serveSite(join(folder, 'current'))
    expect((await ask('/a.js')).text).toBe('one')
    execFileSync('ln', ['-sfn', 'two', join(folder, 'current')])
    expect((await ask('/a.js')).text).toBe('two')
  })
})

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
    ['gzip', 'gzip', 'game.js.gz'],
    ['br;q=0, gzip', 'gzip', 'game.js.gz'],
    ['br;q=0, *', 'gzip', 'game.js.gz'],
    ['GZIP', 'gzip', 'game.js.gz'],
    ['*', 'br', 'game.js.br'],
    ['identity', undefined, 'game.js'],
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
    ['game.js.gz', 'identity', js, 'text/javascript; charset=utf-8'],
  ] as const)('%s is unpacked for a browser that takes only %s', async (name, accepted, content, type) => {
    const { ask } = await serveBuild()
    const asked = { 'accept-encoding': accepted }
    const { headers, text } = await ask(`/${name}`, asked)
    expect([headers['content-encoding'], headers['content-type'], text]).toEqual([undefined, type, content])
    expect((await ask(`/${name}`, { ...asked, 'if-none-match': headers.etag! })).status).toBe(304)
    const packed = await ask(`/${name}`, { 'accept-encoding': 'gzip, br' })
    expect(packed.headers.etag).not.toBe(headers.etag)
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

test('the gateway closes a file when its client leaves in the middle', async () => {
  const folder = await realpath(await folderOf({ 'a.bin': Buffer.alloc(64 * 1024 * 1024) }))
  const { port } = await serveSite(folder)
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'readable')
  socket.destroy()
  await vi.waitFor(async () => expect(await openIn(folder)).toEqual([]), 20_000)
})

/** The files of a folder that are open; where no system tells, none. */
async function openIn(folder: string): Promise<string[]> {
  const fds = await readdir('/proc/self/fd').catch(() => [])
  const links = await Promise.all(fds.map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => '')))
  return links.filter((link) => link.startsWith(folder))
}
