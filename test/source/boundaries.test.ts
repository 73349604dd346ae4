import { describe, expect, test } from 'vitest'
import { filesIn, importsOf, type Import } from '../support/source.js'

/**
 * Which folders of `src` a folder's files may import from, besides itself, and which packages. A folder that isn't
 * listed fails: whoever adds one says here where it stands.
 */
interface Boundary {
  folders: readonly string[]
  packages?: readonly string[]
  /** What may be imported as a type only. */
  types?: readonly string[]
}

const PAGE = ['protocol', 'client', 'watch', 'health']
const ANY_OF_NODE = /^node:/

const boundaries: Record<string, Boundary> = {
  protocol: { folders: [] },
  client: { folders: PAGE, packages: ['mitt'] },
  watch: { folders: PAGE },
  health: { folders: PAGE },
  frames: { folders: [] },
  sidecar: { folders: ['protocol'] },
  adapters: { folders: ['index.ts'] },
  dashboard: { folders: ['protocol', 'sidecar'] },
  mock: { folders: ['protocol', 'sidecar'], types: [...PAGE, 'index.ts'] },
  node: {
    folders: ['protocol', 'sidecar', 'client', 'index.ts', 'index.node.ts'],
    packages: ['httpxy', 'mrmime', 'send', 'ws', 'yaml'],
  },
  vite: { folders: ['node'] },
  cli: {
    folders: [...PAGE, 'sidecar', 'node', 'frames', 'index.ts', 'index.node.ts'],
    packages: ['commander', 'picocolors', 'yaml'],
  },
  'index.ts': { folders: PAGE },
  'index.node.ts': { folders: [...PAGE, 'index.ts'], packages: ['isomorphic-ws'] },
}

const USES_NODE = ['node', 'vite', 'cli']

const imports = filesIn('src', ['.ts']).flatMap(importsOf)

/** The folder of `src` that a file is in, or its own name where it is in none. */
const areaOf = (path: string): string => path.replace(/^src\//, '').split('/')[0]!
const describeImport = ({ from, to }: Import): string => `${from} imports ${to}`
const isOurs = ({ to }: Import): boolean => to.startsWith('src/')

const isAllowed = (found: Import): boolean => {
  const area = areaOf(found.from)
  const boundary = boundaries[area]
  if (boundary === undefined) return false
  if (!isOurs(found)) {
    return (ANY_OF_NODE.test(found.to) && USES_NODE.includes(area)) || (boundary.packages ?? []).includes(found.to)
  }
  const target = areaOf(found.to)
  return (
    target === area || boundary.folders.includes(target) || (found.typeOnly && (boundary.types ?? []).includes(target))
  )
}

describe('imports point one way', () => {
  test('every folder of src says what it may import', () => {
    const unknown = new Set(
      filesIn('src', ['.ts'])
        .map(areaOf)
        .filter((area) => !(area in boundaries)),
    )
    expect([...unknown]).toEqual([])
  })

  test('nothing imports what its folder may not', () => {
    expect(imports.filter((found) => !isAllowed(found)).map(describeImport)).toEqual([])
  })

  test.each([
    ['node/http', ['node/local', 'node/gateway']],
    ['node/local', ['node/gateway']],
    ['sidecar/model/state', ['sidecar/model/calls', 'sidecar/model/time', 'sidecar/control', 'sidecar/wire']],
    ['sidecar/model/calls', ['sidecar/model/time', 'sidecar/control', 'sidecar/wire']],
    ['sidecar/model/time', ['sidecar/control', 'sidecar/wire']],
    ['sidecar/control', ['sidecar/wire']],
    ['sidecar/wire', ['sidecar/model/calls', 'sidecar/model/time', 'sidecar/control']],
  ])('%s imports nothing of %j', (folder, above) => {
    const isIn = (path: string, folders: readonly string[]): boolean =>
      folders.some((name) => path.startsWith(`src/${name}/`))
    const wrong = imports.filter(({ from, to }) => isIn(from, [folder]) && isIn(to, above))
    expect(wrong.map(describeImport)).toEqual([])
  })

  test('no import leaves src', () => {
    expect(
      imports.filter(({ to }) => to.startsWith('..') || /^(test|demo|bench)\//.test(to)).map(describeImport),
    ).toEqual([])
  })
})

describe('what a page loads, followed from its entry', () => {
  const loadedBy = (file: string): Import[] => imports.filter(({ from, typeOnly }) => from === file && !typeOnly)

  const reachable = (entry: string): Import[] => {
    const files = new Set([entry])
    // A set is walked in the order of insertion, what is added on the way included.
    for (const file of files) for (const { to } of loadedBy(file).filter(isOurs)) files.add(to)
    return [...files].flatMap(loadedBy)
  }

  const pageEntries = ['src/index.ts', 'src/frames/index.ts', ...filesIn('src/adapters', ['.ts'])]

  test.each(pageEntries)('%s reaches neither node/ nor a Node module', (entry) => {
    const wrong = reachable(entry).filter(({ to }) => ANY_OF_NODE.test(to) || /^src\/(node|vite|cli)\//.test(to))
    expect(wrong.map(describeImport)).toEqual([])
  })

  test('the sidecar core runs in a page too', () => {
    const wrong = reachable('src/sidecar/index.ts').filter((found) => !isOurs(found))
    expect(wrong.map(describeImport)).toEqual([])
  })
})
