/**
 * Measures and prints tables; writes everything to bench/results/results.json.
 *
 *   npm run bench [-- [--quick] [name]...]     names: bytes command watch local-sidecar frames health soak
 *
 * Absolute figures are this machine's at this moment; the ratios are from one run, measured in turns.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

const folder = import.meta.dirname
const quick = process.argv.includes('--quick')
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const all = ['bytes', 'command', 'watch', 'local-sidecar', 'frames', 'health', 'soak']
const unknown = asked.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no measure called ${unknown.join(', ')}; there are ${all.join(', ')}.`)
  process.exit(1)
}

/** What needs a process of its own, for the flags it needs or sets. */
const apart = {
  frames: { title: "Decoding frames beside ws's receiver", flags: [] },
  soak: { title: 'Long runs', flags: ['--expose-gc'] },
}

const results = {
  node: process.version,
  cpu: `${cpus().length} x ${cpus()[0]?.model}`,
  quick,
  measures: {},
}
for (const name of asked.length > 0 ? asked : all) {
  const { title, rows } = apart[name] ? measureApart(name) : await measureOne(name)
  results.measures[name] = { title, rows }
}

mkdirSync(join(folder, 'results'), { recursive: true })
writeFileSync(join(folder, 'results', 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
console.log('\nAll of it: bench/results/results.json')

async function measureOne(name) {
  const { title, measure } = await import(`./${name}.mjs`)
  console.log(`\n${title}`)
  const rows = await measure({ quick })
  console.table(rows)
  return { title, rows }
}

/** Prints its own table. */
function measureApart(name) {
  const { title, flags } = apart[name]
  console.log(`\n${title}`)
  const module = join(folder, `${name}.mjs`)
  execFileSync(process.execPath, [...flags, module, ...quick ? ['--quick'] : []], { stdio: 'inherit' })
  return { title, rows: JSON.parse(readFileSync(join(folder, 'results', `${name}.json`), 'utf8')).rows }
}
