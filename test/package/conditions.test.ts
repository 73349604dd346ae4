import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type BuildOptions } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { node } from '../support/packed.js'
import { root } from '../support/source.js'
import { sharedFolder, type TemporaryFolder } from '../support/temporary-folder.js'

const PACKAGE = 'gameserver-sidecar'
const PAGE = 'index.browser.js'
const CORE = 'index.core.js'
const NODE = 'index.js'
const SCRIPT = 'index.cjs'

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await sharedFolder('conditions')
  await mkdir(join(folder.path, 'node_modules'))
  await symlink(root, join(folder.path, 'node_modules', PACKAGE))
})

afterAll(() => folder.remove())

/** Of several, the one that imports the others. */
const fileIn = (paths: string[]): string | undefined =>
  paths.map((path) => /dist[\\/]([^\\/]+)$/.exec(path)?.[1]).find((name) => name !== undefined)

/** Node before 20.19 can't require an ES module, and doesn't know the condition `module-sync`. */
const OLD = '--no-experimental-require-module'

describe('Node', () => {
  test.concurrent.each([
    [[], NODE, NODE],
    [[OLD], NODE, SCRIPT],
    [['--conditions=browser'], PAGE, PAGE],
    [['--conditions=deno'], CORE, CORE],
    [['--conditions=bun'], CORE, CORE],
    [[OLD, '--conditions=worker'], CORE, SCRIPT],
  ])('with %j: import gives %s, require %s', async (flags, imported, required) => {
    const code = `import { createRequire } from 'node:module'
      console.log(import.meta.resolve('${PACKAGE}'))
      console.log(createRequire(process.cwd() + '/').resolve('${PACKAGE}'))`
    const out = await node(folder.path, ...flags, '--input-type=module', '--eval', code)
    expect(out.split('\n').map((path) => fileIn([path]))).toEqual([imported, required])
  })
})

// As Jest does, in the environments node and jsdom.
test.each([[OLD], [OLD, '--conditions=browser']])(
  'where nothing can require an ES module, with %j, client, players, mock, player and agones-sdk share one SidecarError',
  async (...flags) => {
    const code = `const { createClient, SidecarError } = require('${PACKAGE}')
      const AgonesSDK = require('${PACKAGE}/agones-sdk')
      const found = [AgonesSDK.name, AgonesSDK.default === AgonesSDK]
      found.push(typeof require('${PACKAGE}/mock').createMock, typeof require('${PACKAGE}/player').connect)
      const client = createClient({ baseUrl: 'http://127.0.0.1:1' })
      for (const run of [() => require('${PACKAGE}/players').trackPlayers(client, { lisst: 'players' }), () => new AgonesSDK({ baseUrl: 'x:y' })])
        try { run() } catch (error) { found.push(error instanceof SidecarError) }
      console.log(JSON.stringify(found))`
    const out = await node(folder.path, ...flags, '--eval', code)
    expect(JSON.parse(out)).toEqual(['AgonesSDK', true, 'function', 'function', true, true])
  },
)

describe('a bundler', () => {
  const neutral = (...conditions: string[]): BuildOptions => ({ platform: 'neutral', conditions })

  test.each<[name: string, how: 'import' | 'require', options: BuildOptions, expected: string]>([
    ['esbuild for browsers', 'import', { platform: 'browser' }, PAGE],
    ['esbuild for browsers', 'require', { platform: 'browser' }, PAGE],
    ['esbuild for Node', 'import', { platform: 'node' }, NODE],
    ['esbuild for Node', 'require', { platform: 'node' }, SCRIPT],
    ['esbuild for no platform', 'import', neutral(), CORE],
    ['the conditions of webpack for pages', 'import', neutral('webpack', 'production', 'browser', 'module'), PAGE],
    ['the conditions of webpack for Node', 'import', neutral('webpack', 'production', 'node', 'module'), NODE],
    ['the conditions of webpack for Node', 'require', neutral('webpack', 'production', 'node', 'module'), SCRIPT],
    ['the conditions of a worker at the edge', 'import', neutral('workerd', 'worker'), CORE],
    ['the conditions of Jest', 'require', neutral('node', 'node-addons'), SCRIPT],
    ['the conditions of Jest', 'import', neutral('node', 'node-addons'), NODE],
  ])('%s, %s: %s', async (_name, how, options, expected) => {
    const contents = how === 'import' ? `import '${PACKAGE}'` : `require('${PACKAGE}')`
    const { metafile } = await build({
      ...options,
      stdin: { contents, resolveDir: folder.path },
      bundle: true,
      packages: 'bundle',
      external: ['node:*', 'isomorphic-ws'],
      ignoreAnnotations: true,
      write: false,
      metafile: true,
      logLevel: 'silent',
    })
    expect(fileIn(Object.keys(metafile.inputs))).toBe(expected)
  })
})
