import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { read, root } from '../support/source.js'

/** What the package is made of, by programs that import all the rest. Pages are scripts of their own. */
const PROGRAMS = [
  'src/cli/bin.ts',
  'src/index.ts',
  'src/node.ts',
  'src/dashboard/main.tsx',
  'demo/star-arena/page/page.mjs',
  'demo/fleet/page/lobby-page.mjs',
]

test('third-party-licenses.txt lists every library that is bundled anywhere, with its version and its terms', async () => {
  const { metafile } = await build({
    entryPoints: PROGRAMS.map((path) => `${root}/${path}`),
    ...{ bundle: true, write: false, metafile: true, outdir: 'out', platform: 'node', format: 'esm', jsx: 'automatic' },
    external: ['ws', 'isomorphic-ws', 'node-datachannel', '*&page', '*?script', '*?text'],
    jsxImportSource: 'preact',
  })
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  const names = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))
  expect([...names]).toEqual(expect.arrayContaining(['preact', 'yaml']))
  const text = read('dist/third-party-licenses.txt')
  const listed = Object.fromEntries(
    [...text.matchAll(/^pkg:npm\/(.+)@(.+)$/gm)].map(([, name, version]) => [name!, version!]),
  )
  expect(Object.keys(listed)).toEqual(expect.arrayContaining([...names]))
  for (const [name, version] of Object.entries(listed)) {
    const { version: installed } = JSON.parse(read(`node_modules/${name}/package.json`)) as { version: string }
    expect(`${name} ${version}`).toBe(`${name} ${installed}`)
    expect(text).toMatch(new RegExp(`^${name} ${version.replaceAll('.', '\\.')}, .+$`, 'm'))
  }
})
