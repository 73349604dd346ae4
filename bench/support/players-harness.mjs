/**
 * The harness of the soak in the tests, for the built package: of what it tries, it imports nothing but types, so that a
 * bundle of it takes whatever it is given.
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
  const files = ['soak', 'sidecar-world', 'real-world', 'world']
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
