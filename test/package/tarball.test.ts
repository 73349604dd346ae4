import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  ]).catch((error: unknown) => error as { stdout: string })
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
    /^dist\/(?!\.)|^src\/(client|protocol)\/|^src\/index[.\w]*\.ts$|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/
  expect(paths().filter((path) => !wanted.test(path))).toEqual([])
  expect(paths()).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']))
})

test('only what an installation must bring is a dependency', () => {
  expect(Object.keys(manifest['dependencies'] as object)).toEqual(['isomorphic-ws', 'ws'])
})

test('specific conditions come first, and types first in each', () => {
  const client = manifest.exports['.'] as Record<string, Record<string, string>>
  expect(Object.keys(client)).toEqual(['browser', 'deno', 'bun', 'module-sync', 'require', 'worker', 'node', 'default'])
  for (const [entry, conditions] of Object.entries(manifest.exports)) {
    if (typeof conditions === 'string') continue
    for (const targets of Object.values(conditions as Record<string, object>)) {
      expect(Object.keys(targets), entry).toEqual(['types', 'default'])
    }
  }
})
