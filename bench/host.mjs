/**
 * What a hosted page costs beside the same page in a browser alone, and beside a bare WebSocket server with the same
 * players: its start and end, memory, CPU, players' round trips, and how many of them and of itself a machine holds.
 * Prints the table of docs/deploy.md as well. Needs Linux, which tells what processes take, and Chromium.
 *
 * Others must not be busy on the machine: with two cores, its players compete with the browser.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { makeBuild } from './support/host/host-process.mjs'
import { measureLife, measureRemains } from './support/host/life.mjs'
import { sizingTable } from './support/host/sizing.mjs'
import { kinds, measureCost, measureIdle, measureMost, measureRelay, mostOf } from './support/host/traffic.mjs'
import { measureAlone, measureProgram, measureSideBySide, measureWebgl } from './support/host/weight.mjs'

const full = {
  rounds: 9,
  seconds: 10,
  traffic: { rounds: 5, seconds: 3 },
  idle: 1_000,
  costs: [50, 200, 1_000],
  rates: [10, 30],
  most: 3_200,
  sideBySide: [1, 4, 8],
  killed: 5,
  tries: 4,
}
const short = {
  rounds: 1,
  seconds: 1,
  traffic: { rounds: 1, seconds: 0.5 },
  idle: 100,
  costs: [50],
  rates: [30],
  most: 50,
  sideBySide: [2],
  killed: 1,
  tries: 1,
}

async function measure({ rounds, seconds, traffic, idle, costs, rates, most, sideBySide, killed, tries }) {
  const { dir, remove } = await makeBuild()
  const tables = {}
  const tell = (name, rows) => {
    console.log(`\n${name}`)
    console.table(rows)
    tables[name] = rows
  }
  try {
    const alone = await measureAlone(dir, seconds)
    const webgl = await measureWebgl(dir, seconds)
    const program = await measureProgram(dir, seconds)
    tell('One host', [
      ...(await measureLife(dir, rounds)),
      ...alone.rows,
      ...webgl.rows,
      ...program.rows,
      ...(await measureRelay(dir, traffic.rounds, traffic.seconds)),
      ...(await measureIdle(dir, idle, traffic.rounds, traffic.seconds)),
      ...(await measureRemains(dir, killed)),
    ])
    const cost = await measureCost(dir, costs, rates, traffic.seconds)
    tell(`Players who are all echoed; ${availableParallelism()} cores for them and the host`, cost)
    const mosts = {}
    for (const kind of kinds) mosts[kind] = await measureMost(dir, kind, { most, seconds: traffic.seconds, tries })
    tell('Players until p99 passes 20 ms', Object.values(mosts).flat())
    const many = []
    for (const count of sideBySide) many.push(await measureSideBySide(dir, count, seconds))
    tell('Hosts side by side', many)
    const reached = ([kind, found]) => {
      const players = mostOf(found, 'host')
      return [kind, { reached: players, isMost: players === found.at(-1).players }]
    }
    const markdown = sizingTable({
      alone: alone.figures,
      webgl: webgl.figures,
      program: program.figures,
      costs: cost,
      most: Object.fromEntries(Object.entries(mosts).map(reached)),
    })
    console.log(`\nFor docs/deploy.md:\n\n${markdown}\n`)
    return { tables, markdown }
  } finally {
    await remove()
  }
}

const rows = await measure(process.argv.includes('--quick') ? short : full)
mkdirSync(new URL('results/', import.meta.url), { recursive: true })
writeFileSync(new URL('results/host.json', import.meta.url), JSON.stringify({ rows }, null, 2) + '\n')
for (const { measure, host, goal } of rows.tables['One host']) {
  if (goal !== 0 || host === 0) continue
  console.error(`${measure}: ${host}`)
  process.exitCode = 1
}
