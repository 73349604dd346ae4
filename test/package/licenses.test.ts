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

/** The versions of the bundled packages by name, from `third-party-licenses.txt`. */
const bundledLibraries = (): Record<string, string> =>
  Object.fromEntries(
    [...read('dist/third-party-licenses.txt').matchAll(/^pkg:npm\/(.+)@(.+)$/gm)].map(([, name, version]) => [
      name!,
      version!,
    ]),
  )

test('third-party-licenses.txt lists every library that is bundled anywhere, with its version', async () => {
  const { metafile } = await build({
    entryPoints: PROGRAMS.map((path) => `${root}/${path}`),
    ...{ bundle: true, write: false, metafile: true, outdir: 'out', platform: 'node', format: 'esm', jsx: 'automatic' },
    external: ['ws', 'isomorphic-ws', 'node-datachannel', '*&page', '*?script', '*?text'],
    jsxImportSource: 'preact',
  })
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  const names = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))
  expect([...names]).toEqual(expect.arrayContaining(['preact', 'yaml']))
  const listed = bundledLibraries()
  expect(Object.keys(listed)).toEqual(expect.arrayContaining([...names]))
  for (const [name, version] of Object.entries(listed)) {
    const { version: installed } = JSON.parse(read(`node_modules/${name}/package.json`)) as { version: string }
    expect(`${name} ${version}`).toBe(`${name} ${installed}`)
  }
})

test('dist/third-party-licenses.txt has the terms of each bundled library', () => {
  const text = read('dist/third-party-licenses.txt')
  for (const [name, version] of Object.entries(bundledLibraries())) {
    expect(text).toMatch(new RegExp(`^${name} ${version.replaceAll('.', '\\.')}, .+$`, 'm'))
  }
})
