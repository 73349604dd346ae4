/**
 * The harness of the tests' soak, for the built package. The harness imports only types of the code under test, so its
 * bundle works with any build.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..')

/** @returns what is exported by these files of `test/players/support` */
export async function loadHarness() {
  const folder = join(root, 'bench', 'results')
  const outfile = join(folder, 'players-harness.mjs')
  mkdirSync(folder, { recursive: true })
  const files = ['soak', 'world']
  await build({
    stdin: {
      contents: files.map((name) => `export * from './${name}.ts'`).join('\n'),
      resolveDir: join(root, 'test', 'players', 'support'),
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  return import(pathToFileURL(outfile).href)
}
