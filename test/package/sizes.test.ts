import { gzipSync } from 'node:zlib'
import resolve from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
import { minify } from 'terser'
import { expect, test } from 'vitest'
import { read, root } from '../support/source.js'

const gzipped = (code: string): number => gzipSync(code, { level: 9 }).length

/** What an application that uses only `names` of a module ships: bundled and minified with no special settings. */
async function shipped(path: string, names: string): Promise<number> {
  const application = 'application.js'
  const bundle = await rollup({
    input: application,
    external: ['gameserver-sidecar', 'isomorphic-ws', /^node:/],
    plugins: [
      {
        name: 'application',
        resolveId: (id) => (id === application ? id : null),
        load: (id) =>
          id === application ? `import { ${names} } from '${root}/${path}'\nexport const used = [${names}]` : null,
      },
      resolve({ browser: true }),
    ],
  })
  const { output } = await bundle.generate({ format: 'es' })
  const { code } = await minify(output[0].code, { module: true, ecma: 2020, compress: { passes: 2 } })
  return gzipped(code!)
}

/**
 * The goals are 10,800, 10,400 and 8,000, and they are not met. Of the script's 38 kB minified, commands and their checks are
 * 5.8, the watch and both transports 5.1, the connection, one request and what its answer means 4.0, direct mode 3.0, events
 * derived from objects 2.4, beats and a worker's clock 2.2, what else only a page has 1.3, and hosts without fetch 1.2.
 */
test('the client as a script is 15,700 bytes at most', () => {
  expect(gzipped(read('dist/gameserver-sidecar.umd.js'))).toBeLessThanOrEqual(15_700)
})

test('the client in a bundle for pages is 14,850 bytes at most', async () => {
  expect(await shipped('dist/index.browser.js', 'createClient')).toBeLessThanOrEqual(14_850)
})

test('the client in a bundle for Node is 13,950 bytes at most, without ws', async () => {
  expect(await shipped('dist/index.js', 'createClient')).toBeLessThanOrEqual(13_950)
})

/**
 * The goal is 2,560 for all of it, and it is not met. Beside reading frames and text the decoder has the head in front of
 * them, masks and a bound on its answers; the class has the handshake, with the SHA-1 that checks Sec-WebSocket-Accept,
 * the encoder and the W3C's shape.
 */
test('the frame decoder in an application bundle is 3,500 bytes at most', async () => {
  expect(await shipped('dist/frames.js', 'MessageDecoder')).toBeLessThanOrEqual(3500)
})

test('the connection in a player’s page is 3,000 bytes at most', async () => {
  expect(await shipped('dist/player.js', 'connect')).toBeLessThanOrEqual(3000)
  expect(gzipped(read('dist/gameserver-sidecar.player.js'))).toBeLessThanOrEqual(3000)
})

/**
 * The goal is 4,000 as a script, and it is not met. Of 15.8 kB minified, the states of players and of sessions are 3.5 each, the
 * engine for lost writes and its facts 2.9, and what runs them beside a client 5. A search of small histories guards all of it.
 */
test('players and sessions beside the client are 5,790 bytes at most, 5,900 as a script', async () => {
  expect(await shipped('dist/players.js', 'trackPlayers, trackSessions')).toBeLessThanOrEqual(5790)
  expect(gzipped(read('dist/gameserver-sidecar.players.umd.js'))).toBeLessThanOrEqual(5900)
})

test('all of frames in an application bundle is 6,900 bytes at most', async () => {
  expect(await shipped('dist/frames.js', 'MessageDecoder, createWebSocketClass')).toBeLessThanOrEqual(6900)
})

/**
 * The goal is 25,000, and it is not met: 30,000 are the sidecar itself, whose checks and answers a test has to meet.
 * Without the requests' reading and answers it would be 5,500 less, without control commands 4,900, without allocation by a
 * manifest 3,300, without the log, recordings and kept requests 1,700, without local mode 600.
 */
test('the mock in an application bundle is 28,800 bytes at most', async () => {
  expect(await shipped('dist/mock.js', 'createMock')).toBeLessThanOrEqual(28_800)
})

/** Each beside the client, in an application bundle; the servers' share seats over all connections and the end in order. */
test.each([
  ['phaser', 1024],
  ['cocos', 1024],
  ['playcanvas', 1024],
  ['babylon', 1024],
  ['chunks/attached-server', 2200],
  ['ws', 1150],
  ['socket.io', 750],
  ['colyseus', 1810],
  ['agones-sdk', 1700],
])('the adapter %s is %i bytes at most', async (name, limit) => {
  const { code } = await minify(read(`dist/${name}.js`), { module: true, ecma: 2020, compress: { passes: 2 } })
  expect(gzipped(code!)).toBeLessThanOrEqual(limit)
})

test('the script of Phaser’s plugin is 1,200 bytes at most, readable as it is', () => {
  expect(gzipped(read('dist/gameserver-sidecar.phaser.js'))).toBeLessThanOrEqual(1200)
})
