import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { install, pack, runNode, temporaryFolder, type Packed, type TemporaryFolder } from '../support/packed.js'

let folder: TemporaryFolder
let packed: Packed
const installed = (): string => join(folder.path, 'node_modules', 'gameserver-sidecar')
const load = (path: string): Promise<string> => readFile(join(installed(), path), 'utf8')

beforeAll(async () => {
  folder = await temporaryFolder()
  packed = await pack(folder.path)
  await install(folder.path, packed.tarball)
}, 120_000)

afterAll(() => folder.remove())

/**
 * The scripts that a page loads as they are, the page of the dashboard, which is one text, and the client and the sidecar
 * once more, for test runners that load CommonJS.
 */
const isMinified = (path: string): boolean => /\.(umd|player)\.js$|dashboard-page|(index|mock)\.cjs$/.test(path)
const isVendored = (path: string): boolean => path.includes('/vendor-')

test('every build but the minified scripts and bundled libraries has one statement a line and the names of its functions', async () => {
  const readable = packed.files
    .map(({ path }) => path)
    .filter((path) => /^dist\/.*\.c?js$/.test(path) && !isMinified(path) && !isVendored(path))
  expect(readable).toEqual(expect.arrayContaining(['dist/frames.js', 'dist/index.js', 'dist/cli.js']))
  for (const path of readable) {
    const lines = (await load(path)).split('\n').map((line) => line.length)
    // The median, since a page or a template is one long text. The build ends a line by the 160th character where it can.
    expect(lines.sort((a, b) => a - b)[lines.length >> 1], path).toBeLessThan(160)
  }
  expect(await load('dist/chunks/client.js')).toContain('function buildClient(')
  // The name of a function that is a constant.
  expect(await load('dist/chunks/client.js')).toContain('const createStreamDecode=')
  expect(await load('dist/chunks/create-sidecar.js')).toContain('function createSidecar(')
})

test('no line of the client that an error could print has 300 characters', async () => {
  for (const path of ['dist/chunks/client.js', 'dist/index.js', 'dist/index.browser.js']) {
    // A list of exports throws nothing, nor does the program of a worker, which is one text.
    const lines = (await load(path)).split('\n').filter((line) => !/^export\{|^const [\w$]+='/.test(line))
    expect(Math.max(...lines.map((line) => line.length)), path).toBeLessThan(300)
  }
})

test('every source map leads to TypeScript files that are packed', async () => {
  const maps = packed.files.map(({ path }) => path).filter((path) => path.endsWith('.map'))
  expect(maps).toContain('dist/gameserver-sidecar.umd.js.map')
  for (const path of maps) {
    const { sources } = JSON.parse(await load(path)) as { sources: string[] }
    const ours = sources.map((source) => join(dirname(path), source)).filter((name) => !name.includes('node_modules/'))
    expect(
      packed.files.map((file) => file.path),
      path,
    ).toEqual(expect.arrayContaining(ours))
  }
})

describe('an error that nobody catches', () => {
  const uses = {
    import: "import { createClient } from 'gameserver-sidecar'",
    require: "const { createClient } = require('gameserver-sidecar')",
    script: "const { createClient } = require('./node_modules/gameserver-sidecar/dist/index.cjs')",
  }
  const failWith = (how: keyof typeof uses, ...flags: string[]): Promise<string> => {
    const code = `${uses[how]}\ncreateClient()`
    const type = how === 'import' ? 'module' : 'commonjs'
    return runNode(folder.path, [...flags, `--input-type=${type}`, '--eval', code]).then(({ stderr }) => stderr)
  }

  test.each(['import', 'require'] as const)(
    'by %s prints a short line of code and the name of its class',
    async (how) => {
      const printed = await failWith(how)
      expect(printed).toContain('SidecarError: ')
      expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThan(300)
    },
  )

  test.each(['import', 'require', 'script'] as const)(
    'by %s names the TypeScript file that refuses, with source maps',
    async (how) => {
      const printed = await failWith(how, '--enable-source-maps')
      expect(printed).toMatch(/gameserver-sidecar[\\/]src[\\/]client[\\/]address\.ts:\d+/)
    },
  )
})
