/**
 * Measures and prints tables; bench/results/results.json keeps the last result of each. Exits with 1 if one failed.
 *
 *   npm run bench [-- [--quick] [name]...]     names: bytes command start connect watch local-sidecar frames hostile health mock gateway page-command page-heartbeat dashboard host metrics players fleet edge side-by-side soak
 *
 * Absolute figures are this machine's at this moment; the ratios are from one run, measured in turns.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { saveResults } from './support/results.mjs'

const folder = import.meta.dirname
const quick = process.argv.includes('--quick')
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const all = [
  'bytes',
  'command',
  'start',
  'connect',
  'watch',
  'local-sidecar',
  'frames',
  'hostile',
  'health',
  'mock',
  'gateway',
  'page-command',
  'page-heartbeat',
  'dashboard',
  'host',
  'metrics',
  'players',
  'fleet',
  'edge',
  'side-by-side',
  'soak',
]
const unknown = asked.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no measure called ${unknown.join(', ')}; there are ${all.join(', ')}.`)
  process.exit(1)
}

/** What needs a process of its own, for the flags it needs or sets, or prints several tables. */
const apart = {
  frames: { title: 'Frames beside ws, received and sent', flags: [] },
  host: { title: 'A hosted page', flags: [] },
  soak: { title: 'Long runs', flags: ['--expose-gc'] },
}

const resultsFile = join(folder, 'results', 'results.json')
for (const name of asked.length > 0 ? asked : all) {
  const measured = apart[name] ? measureApart(name) : await measureOne(name)
  const circumstances = { node: process.version, cpu: `${cpus().length} x ${cpus()[0]?.model}`, quick }
  saveResults(resultsFile, { [name]: { ...measured, ...circumstances } })
}
console.log('\nAll of it: bench/results/results.json')

async function measureOne(name) {
  const { title, measure } = await import(`./${name}.mjs`)
  console.log(`\n${title}`)
  const rows = await measure({ quick })
  console.table(rows)
  return { title, rows }
}

/** Prints its own table. One that misses its figures says so by its exit code; what it measured counts all the same. */
function measureApart(name) {
  const { title, flags } = apart[name]
  console.log(`\n${title}`)
  const module = join(folder, `${name}.mjs`)
  const rowsFile = join(folder, 'results', `${name}.json`)
  // The rows of an earlier run must not pass for those of one that broke off.
  rmSync(rowsFile, { force: true })
  const { status } = spawnSync(process.execPath, [...flags, module, ...(quick ? ['--quick'] : [])], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
  if (!existsSync(rowsFile)) throw new Error(`${name} broke off with ${status}`)
  return { title, rows: JSON.parse(readFileSync(rowsFile, 'utf8')).rows }
}
