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
        resolveId: (id) => id === application ? id : null,
        load: (id) => id === application
          ? `import { ${names} } from '${root}/${path}'\nexport const used = [${names}]`
          : null,
      },
      resolve({ browser: true }),
    ],
  })
  const { output } = await bundle.generate({ format: 'es' })
  const { code } = await minify(output[0].code, { module: true, ecma: 2020, compress: { passes: 2 } })
  return gzipped(code!)
}

test('the whole client as a script is 6 kB at most', () => {
  expect(gzipped(read('dist/gameserver-sidecar.umd.min.js'))).toBeLessThanOrEqual(6 * 1024)
  expect(gzipped(read('dist/gameserver-sidecar.iife.js'))).toBeLessThanOrEqual(6 * 1024)
})

test('the client in an application bundle is 5 kB at most', async () => {
  expect(await shipped('dist/index.web.js', 'createClient')).toBeLessThanOrEqual(5 * 1024)
})

test('the frame decoder in an application bundle is 2.5 kB at most', async () => {
  expect(await shipped('dist/frames.js', 'MessageDecoder')).toBeLessThanOrEqual(2.5 * 1024)
})
