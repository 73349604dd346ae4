import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { minifySync } from 'vite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type * as Node from '../../src/node.js'
import { read, root } from '../support/source.js'

type Limits = Readonly<Record<string, number>>

/** `build/budgets.json`: `build/check-budgets.mjs` lets a number rise only with its reason. */
const budgets = JSON.parse(read('build/budgets.json')) as Readonly<
  Record<'bundledGzipBytes' | 'minifiedGzipBytes' | 'gzipBytes' | 'brotliBytes', Limits>
>

const gzipped = (code: string | Uint8Array): number => gzipSync(code, { level: 9 }).length

/** What an application that uses only `names` of a module ships: bundled and minified with no special settings. */
async function shipped(path: string, names: string): Promise<number> {
  const code = `import { ${names} } from ${JSON.stringify(join(root, path))}\nexport const used = [${names}]`
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    external: ['gameserver-sidecar', 'isomorphic-ws', 'node-datachannel', 'ws', 'node:*'],
    bundle: true,
    format: 'esm',
    write: false,
  })
  return gzipped(minifySync('bundle.js', outputFiles[0]!.text).code)
}

describe('build/budgets.json', () => {
  test.each(Object.entries(budgets.bundledGzipBytes))(
    'an application that bundles %s ships at most %i bytes by gzip',
    async (what, limit) => {
      const [entry, names] = what.split(': ') as [string, string]
      expect(await shipped(`dist/${entry}.js`, names)).toBeLessThanOrEqual(limit)
    },
  )

  test.each(Object.entries(budgets.minifiedGzipBytes))(
    'dist/%s has at most %i bytes, minified, by gzip',
    (file, limit) => {
      const { code } = minifySync(file, read(`dist/${file}`), { module: true })
      expect(gzipped(code)).toBeLessThanOrEqual(limit)
    },
  )

  test.each(Object.entries(budgets.gzipBytes))('the script dist/%s has at most %i bytes by gzip', (file, limit) => {
    expect(gzipped(read(`dist/${file}`))).toBeLessThanOrEqual(limit)
  })

  test.each(Object.entries(budgets.brotliBytes))('the page of %s has at most %i bytes by Brotli', async (_, limit) => {
    const { createLocalSidecar } = (await import(join(root, 'dist/node.js'))) as typeof Node
    const local = await createLocalSidecar({ port: 0 })
    onTestFinished(() => local.close())
    const page = await (await fetch(`${local.url}/_/`)).arrayBuffer()
    expect(brotliCompressSync(page).length).toBeLessThanOrEqual(limit)
  })
})
