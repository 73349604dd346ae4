import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pack, temporaryFolder, type Packed, type TemporaryFolder } from '../support/packed.js'
import { read, root } from '../support/source.js'

interface Manifest {
  [field: string]: unknown
  exports: Record<string, unknown>
  bin: Record<string, string>
}

const manifest = JSON.parse(read('package.json')) as Manifest

let folder: TemporaryFolder
let packed: Packed
const paths = (): string[] => packed.files.map(({ path }) => path)

beforeAll(async () => {
  folder = await temporaryFolder()
  packed = await pack(folder.path)
})

afterAll(() => folder.remove())

test('publint finds nothing', async () => {
  const tarball = await readFile(packed.tarball)
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) },
  })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('the types are right in every resolution mode', async () => {
  const attw = join(root, 'node_modules', '.bin', 'attw')
  const { stdout } = await promisify(execFile)(attw, [
    packed.tarball,
    '--format',
    'json',
    '--no-definitely-typed',
  ]).catch((error: { stdout: string }) => error)
  const { analysis } = JSON.parse(stdout) as { analysis: { problems: unknown[]; entrypoints: object } }
  expect(analysis.problems).toEqual([])
  expect(Object.keys(analysis.entrypoints)).toEqual(Object.keys(manifest.exports))
})

test('every file that package.json names is there', () => {
  const named = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string') named.add(value.replace(/^\.\//, ''))
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  for (const field of ['main', 'module', 'types', 'unpkg', 'jsdelivr', 'bin', 'exports']) collect(manifest[field])
  expect([...named].filter((path) => !paths().includes(path))).toEqual([])
})

test('no tests, tools or sources of the server are packed', () => {
  const wanted =
    /^dist\/(?!src\/)|^docs\/|^dist\/src\/(client|watch|health|protocol|frames|adapters|index)\b|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/
  expect(paths().filter((path) => !wanted.test(path))).toEqual([])
  expect(paths()).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']))
})

test('whatever a page or engine loads is readable or has a source map, and the sources that it leads to are packed', () => {
  const server = /^dist\/(cli|node|vite|chunks\/(?!client))/
  for (const path of paths().filter((name) => /^dist\/.*\.c?js$/.test(name) && !server.test(name))) {
    if (isReadable(read(path))) continue
    const map = /\n\/\/# sourceMappingURL=(\S+\.map)$/.exec(read(path).trimEnd())?.[1]
    expect(map, path).toBeDefined()
    const { sources, mappings } = JSON.parse(read(join(dirname(path), map!))) as { sources: string[]; mappings: string }
    const ours = sources
      .map((source) => join(dirname(path), source))
      .filter((source) => !source.includes('node_modules/'))
    expect(
      ours.filter((source) => !paths().includes(source)),
      path,
    ).toEqual([])
    expect(mappings.length, path).toBeGreaterThan(0)
  }
})

/** Whether it is laid out in lines, as nothing is that was minified. */
const isReadable = (code: string): boolean => code.length / code.split('\n').length < 60

test('the packed sources are on the lines on which they were written', () => {
  const sources = paths().filter((path) => path.startsWith('dist/src/'))
  expect(sources.length).toBeGreaterThan(20)
  for (const path of sources) {
    const written = read(path.replace('dist/', '')).split('\n')
    const differing = read(path)
      .split('\n')
      .filter((line, i) => line !== '' && !written[i]?.startsWith(line))
    expect(differing, path).toEqual([])
  }
})

test('only what an installation must bring is a dependency', () => {
  expect(Object.keys(manifest['dependencies'] as object)).toEqual(['isomorphic-ws', 'mitt', 'ws'])
})

test('specific conditions come first, and types first in each', () => {
  const client = manifest.exports['.'] as Record<string, Record<string, string>>
  expect(Object.keys(client)).toEqual(['browser', 'deno', 'bun', 'import', 'require'])
  for (const [entry, conditions] of Object.entries(manifest.exports)) {
    if (typeof conditions === 'string') continue
    for (const targets of Object.values(conditions as Record<string, object>)) {
      expect(Object.keys(targets), entry).toEqual(['types', 'default'])
    }
  }
})
