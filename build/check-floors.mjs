/** Counts the floors of the client, from its entries down to `src/protocol`: the most modules on a path of imports. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const IMPORT = /^(?:import|export) ([^'"]*?) ?from '(\.[^']+)'/gm

/** Imports of values; types leave no trace in what runs. */
const importsOf = (path) =>
  [...readFileSync(path, 'utf8').matchAll(IMPORT)]
    .filter(([, names]) => !/^type |^\{( *type [^,}]+,?)+ *\}$/.test(names.replaceAll('\n', ' ')))
    .map(([, , name]) => join(dirname(path), name.replace(/\.js$/, '.ts')))

/** @returns the longest path of imports from each entry, from top to bottom */
export function towersOf(root) {
  const src = join(root, 'src')
  const known = new Map()
  const below = (path) => {
    if (!known.has(path)) {
      const towers = importsOf(path)
        .filter((other) => /src.(client|protocol|exports)/.test(other))
        .map(below)
      known.set(path, [path, ...towers.reduce((best, tower) => (tower.length > best.length ? tower : best), [])])
    }
    return known.get(path)
  }
  return readdirSync(src)
    .filter((name) => /^index\b.*\.ts$/.test(name))
    .map((name) => below(join(src, name)).map((path) => path.slice(src.length + 1)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const most = Number(process.argv[2])
  for (const tower of towersOf(fileURLToPath(new URL('..', import.meta.url)))) {
    console.log(`${tower.length} floors: ${tower.join(' > ')}`)
    if (tower.length > most) process.exitCode = 1
  }
}
