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
 * The goal is 7,168 for the script, with the heartbeat's worker and direct mode in it: it is not met. What it does is what
 * weighs: of 11,700, the commands and their checks are 1,860, the heartbeat is 1,370 (its worker 840), the watch 1,010,
 * direct mode 600, where the sidecar is 580, all texts in errors together 740, XMLHttpRequest 210. Neither another order
 * of the compressor's options nor other names for what is mangled is worth 10. These limits keep it from growing unnoticed.
 */
test('the whole client as a script is 11,750 bytes at most', () => {
  expect(gzipped(read('dist/gameserver-sidecar.umd.min.js'))).toBeLessThanOrEqual(11_750)
  expect(gzipped(read('dist/gameserver-sidecar.iife.js'))).toBeLessThanOrEqual(11_750)
})

test('the client in an application bundle is 11,600 bytes at most', async () => {
  expect(await shipped('dist/index.web.js', 'createClient')).toBeLessThanOrEqual(11_600)
})

test('the frame decoder in an application bundle is 2.5 kB at most', async () => {
  expect(await shipped('dist/frames.js', 'MessageDecoder')).toBeLessThanOrEqual(2.5 * 1024)
})

/**
 * The goal is 2,560 for all of it, as for the decoder alone: it is not met. Beside the decoder's 2,180 there are the
 * handshake, with the SHA-1 that checks Sec-WebSocket-Accept, and the class of the W3C's shape.
 */
test('all of frames in an application bundle is 4,100 bytes at most', async () => {
  expect(await shipped('dist/frames.js', 'MessageDecoder, createWebSocketClass')).toBeLessThanOrEqual(4100)
})
