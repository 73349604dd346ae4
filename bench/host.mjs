/**
 * Compares a hosted page with the same page in a plain browser, and with a bare WebSocket server for the same players:
 * start, end, memory, CPU, players' round trips, and the numbers of players and of hosts that a machine holds. Also
 * prints the table of docs/deploy.md. Needs Linux, for the figures of processes, and Chromium.
 *
 * Run it on an idle machine: with two cores, the players compete with the browser.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { makeBuild } from './support/host/host-process.mjs'
import { measureLife, measureRemains } from './support/host/life.mjs'
import { sizingTable } from './support/host/sizing.mjs'
import { kinds, measureCost, measureIdle, measureMost, measureRelay, mostOf } from './support/host/traffic.mjs'
import { measureAlone, measureSideBySide, measureWebgl } from './support/host/weight.mjs'

const full = {
  rounds: 9,
  seconds: 10,
  traffic: { rounds: 5, seconds: 3 },
  idle: 1_000,
  costs: [50, 200, 1_000],
  rates: [10, 30],
  most: 3_200,
  sideBySide: [1, 4, 8],
  // The host starts a page again twice.
  killed: 2,
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
    tell('One host', [
      ...(await measureLife(dir, rounds)),
      ...alone.rows,
      ...webgl.rows,
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
