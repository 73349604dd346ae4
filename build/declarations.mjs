import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Copies the declarations that entries lead to, as the compiler has written them, from `compiled` into `dist/types`, and
 * writes one line beside each entry's module that leads there.
 *
 * TypeScript takes declarations for CommonJS or ESM by the nearest package.json. Those in `types` count as CommonJS, since
 * a CommonJS module may import only such, and an ES module both.
 */
export function writeDeclarations(compiled, dist, entries) {
  const types = join(dist, 'types')
  for (const path of reachable(Object.values(entries).map((entry) => join(compiled, `${entry}.d.ts`)))) {
    const target = join(types, path.slice(resolve(compiled).length))
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(path, target)
  }
  writeFileSync(join(types, 'package.json'), '{ "type": "commonjs" }\n')
  for (const [name, path] of Object.entries(entries)) {
    for (const extension of name === 'index' ? ['d.ts', 'd.cts'] : ['d.ts'])
      writeFileSync(join(dist, `${name}.${extension}`), `export * from './types/${path}.js'\n`)
  }
}

const RELATIVE = /(?:from|import\()\s*'(\.[^']+)\.js'/g

function reachable(entries) {
  const found = new Set()
  const visit = (path) => {
    if (found.has(path)) return
    found.add(path)
    for (const [, name] of readFileSync(path, 'utf8').matchAll(RELATIVE)) visit(resolve(dirname(path), `${name}.d.ts`))
  }
  for (const path of entries) visit(resolve(path))
  return found
}
