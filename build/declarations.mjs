import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/**
 * Copies the declarations that entries lead to, as the compiler has written them, from `compiled` into `dist/types`, and
 * writes one line beside each entry's module that leads there.
 *
 * TypeScript takes declarations for CommonJS or ESM by the nearest package.json. Those in `types` count as CommonJS, since
 * a CommonJS module may import only such, and an ES module both.
 */
export function writeDeclarations(compiled, dist, entries) {
  const types = join(dist, 'types')
  const texts = reachable(Object.values(entries).map((entry) => resolve(compiled, `${entry}.d.ts`)))
  for (const [path, text] of texts) {
    const target = join(types, relative(compiled, path))
    mkdirSync(dirname(target), { recursive: true })
    const disposables = `/// <reference path="${relative(dirname(target), join(types, 'disposables.d.ts'))}" />\n`
    const start = /\[Symbol\.(d|asyncD)ispose\]/.test(text) ? disposables : ''
    writeFileSync(target, start + text + importsOfLinks(path, texts))
  }
  writeFileSync(join(types, 'package.json'), '{ "type": "commonjs" }\n')
  writeFileSync(join(types, 'disposables.d.ts'), DISPOSABLES)
  for (const [name, path] of Object.entries(entries)) writeFileSync(join(dist, `${name}.d.ts`), all(path))
  writeFileSync(join(dist, 'index.d.cts'), all(entries.index))
  const sdk = entries['agones-sdk']
  writeFileSync(join(dist, 'agones-sdk.d.ts'), `${all(sdk)}export { AgonesSDK as default } from './types/${sdk}.js'\n`)
  writeFileSync(join(dist, 'agones-sdk.d.cts'), classItself(sdk))
  writeFileSync(join(dist, 'agones-sdk.cjs'), "module.exports = require('./agones-sdk.js').AgonesSDK\n")
  mkdirSync(join(dist, 'cjs'), { recursive: true })
  writeFileSync(
    join(dist, 'cjs/agones-sdk.d.cts'),
    "import AgonesSDK = require('../agones-sdk.cjs')\nexport = AgonesSDK\n",
  )
  for (const name of ['mock', 'player', 'players'])
    writeFileSync(join(dist, `cjs/${name}.d.cts`), `export * from '../types/${entries[name]}.js'\n`)
}

const all = (path) => `export * from './types/${path}.js'\n`

/** Compilers before 5.2 have no library with these names. Beside that library they are the same symbols. */
const DISPOSABLES = `interface SymbolConstructor {
  readonly dispose: unique symbol
  readonly asyncDispose: unique symbol
}
`

/** `require()` of the official SDK's names gives the class itself, which carries the other exports. */
const classItself = (path) => `import * as sdk from './types/${path}.js'
declare class AgonesSDK extends sdk.AgonesSDK {}
declare namespace AgonesSDK {
  export { AgonesSDK, AgonesSDK as default }
  export type AgonesSDKError = sdk.AgonesSDKError
  export type AgonesSDKOptions = sdk.AgonesSDKOptions
  export type Beta = sdk.Beta
  export type GameServer = sdk.GameServer
}
export = AgonesSDK
`

/** What only a comment's `{@link …}` names is imported for it, since the compiler keeps no such import. */
function importsOfLinks(path, texts) {
  const names = new Set([...texts.get(path).matchAll(/\{@link ([A-Z]\w+)/g)].map(([, name]) => name))
  const imports = [...names].map((name) => {
    if (new RegExp(`^(export|import) .*\\b${name}\\b`, 'm').test(texts.get(path))) return ''
    const [from] = [...texts].find(([, text]) => text.match(new RegExp(`^export interface ${name}\\b`, 'm'))) ?? []
    if (!from) throw new Error(`${path}: {@link ${name}} leads to no exported interface`)
    return `import type { ${name} } from './${relative(dirname(path), from).replace(/d\.ts$/, 'js')}'\n`
  })
  return imports.join('')
}

/** `import type { A, B as C } from './x.js'`, or the same as an export. */
const NAMED = /^(import|export)( type)? \{([^}]*)\} from (['"])(\.[^'"]+)\.js\4;$/gm
/** A whole module, or one name of it. */
const WHOLE = /^export(?: type)? \* from ['"](\.[^'"]+)\.js['"];$/gm
const INLINE = /import\(['"](\.[^'"]+)\.js['"]\)\.(\w+)/g
const ALL = '*'

/**
 * The texts of declarations and of all that they use, by their paths. Of a module that exports others' declarations, only
 * the names that somebody imports are kept, since a room's face has more than an entry shows.
 */
function reachable(entries) {
  const wanted = new Map()
  const isWanted = (path, item) => wanted.get(path).has(ALL) || wanted.get(path).has(item.split(' ').at(-1))
  const want = (path, name) => {
    const names = wanted.get(path) ?? new Set()
    if (names.has(name) || names.has(ALL)) return
    wanted.set(path, names.add(name))
    const text = readFileSync(path, 'utf8')
    const from = (module) => resolve(dirname(path), `${module}.d.ts`)
    for (const [, keyword, , list, , module] of text.matchAll(NAMED))
      for (const item of itemsOf(list))
        if (keyword === 'import' || isWanted(path, item)) want(from(module), item.replace(/^type /, '').split(' ')[0])
    for (const [, module] of text.matchAll(WHOLE)) want(from(module), name)
    for (const [, module, name] of text.matchAll(INLINE)) want(from(module), name)
  }
  for (const path of entries) want(path, ALL)

  const kept = (path) => (statement, keyword, type, list, quote, module) => {
    const items = itemsOf(list).filter((item) => keyword === 'import' || isWanted(path, item))
    return items.length > 0 ? `${keyword}${type ?? ''} { ${items.join(', ')} } from ${quote}${module}.js${quote};` : ''
  }
  return new Map([...wanted.keys()].map((path) => [path, readFileSync(path, 'utf8').replace(NAMED, kept(path))]))
}

const itemsOf = (list) =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
