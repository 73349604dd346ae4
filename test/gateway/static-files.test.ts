import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readlink, realpath, truncate, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createStaticFiles } from '../../src/local/gateway/files/static-files.js'
import { CONFIG, folderOf, serveSite, TAG } from './static-support.js'

const PAGE = '<!doctype html><html><head><title>Game</title></head></html>'

test('each file that engines build has the type that a page needs', async () => {
  const types = [
    ['game.js', 'text/javascript; charset=utf-8'],
    ['game.mjs', 'text/javascript; charset=utf-8'],
    ['game.cjs', 'text/javascript; charset=utf-8'],
    ['game.wasm', 'application/wasm'],
    ['game.css', 'text/css; charset=utf-8'],
    ['level.json', 'application/json; charset=utf-8'],
    ['game.js.map', 'application/json; charset=utf-8'],
    ['app.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['hero.png', 'image/png'],
    ['hero.avif', 'image/avif'],
    ['hero.svg', 'image/svg+xml'],
    ['level.xml', 'text/xml'],
    ['theme.ogg', 'audio/ogg'],
    ['theme.mp3', 'audio/mpeg'],
    ['intro.webm', 'video/webm'],
    ['ship.glb', 'model/gltf-binary'],
    ['ship.gltf', 'model/gltf+json'],
    ['font.woff2', 'font/woff2'],
    ['game.pck', 'application/octet-stream'],
    ['game.data', 'application/octet-stream'],
    ['game.unityweb', 'application/octet-stream'],
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
        'x-frame-options': 'SAMEORIGIN',
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
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
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
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND']) {
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
      [headers['last-modified']!, 206],
    ] as const) {
      expect((await ask('/a.bin', { range: 'bytes=2-4', 'if-range': known })).status, known).toBe(status)
    }
  })

  test.each([
    ['bytes=7-', 206, '789'],
    ['bytes=7-99', 206, '789'],
    ['bytes=-3', 206, '789'],
    ['bytes=-11', 206, '0123456789'],
    ['bytes=-99999999999999999999', 206, '0123456789'],
    ['bytes= -11', 206, '0123456789'],
    ['bytes=-0', 416, ''],
    ['bytes=0-1,3-4', 200, '0123456789'],
    ['bytes=--11', 200, '0123456789'],
    ['bytes=-', 200, '0123456789'],
    ['lines=1-2', 200, '0123456789'],
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
    expect(text).toMatch(/^\/assets is a folder without index\.html/)
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
  test.each([
    ['a folder that is not there', 'nowhere', /^There is no folder \S+nowhere to serve$/],
    ['a file', 'a.js', /a\.js is not a folder: name the one that holds index\.html$/],
    ['an empty folder', 'empty', /holds nothing to serve: was the game built\?$/],
    ['a folder of hidden files', 'hidden', /holds nothing to serve/],
  ])('%s is refused at the start', async (_what, name, message) => {
    const folder = await folderOf({ 'a.js': '1', 'hidden/.env': 'secret' })
    execFileSync('mkdir', [join(folder, 'empty')])
    expect(() => createStaticFiles({ dir: join(folder, name), configScript: CONFIG })).toThrow(message)
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
