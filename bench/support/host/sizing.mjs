/** The table of docs/deploy.md, from figures alone. */
import { round } from '../statistics.mjs'

/** A node, less a tenth for what the cluster runs on each. */
const NODE = { cores: 4, gib: 16 }
const FREE = 0.9
const GIB = 2 ** 30

/** Markdown, ready to paste between the marks. */
export function sizingTable({ alone, webgl, program, costs, most }) {
  const rows = [
    line('without a player', alone),
    ...costs.map((cost) =>
      line(`${count(cost.players)} players, ${cost['messages/s each']} messages a second each`, {
        mb: cost['memory, MB'],
        cpu: cost['runner, %'] + cost['browser, %'],
        players: cost.players,
      }),
    ),
    line('without a player, with `--webgl`', webgl),
  ]
  return `| a page with 50 bodies, 60 steps a second | memory | CPU of a core | fit on a node of ${NODE.cores} cores and ${NODE.gib} GiB | 1,000 players cost |
|---|---|---|---|---|
${rows.join('\n')}

Beside a program for Node the host itself takes ${round(program.mb, 0)} MB.

| one server, until 1 message in 100 takes longer than 20 ms | players |
|---|---|
${Object.entries(most)
  .map(([kind, { reached, isMost }]) => `| ${SHAPES[kind]} | ${isMost ? 'at least ' : ''}${count(reached)} |`)
  .join('\n')}`
}

const SHAPES = {
  'echo, 30/s': 'each sends 30 messages of 64 bytes a second and gets an answer to each',
  '1 KiB, 20/s': 'each gets a snapshot of 1 KiB 20 times a second',
}

function line(what, { mb, cpu, players }) {
  const byMemory = (NODE.gib * GIB * FREE) / (mb * 1e6)
  const byCpu = (NODE.cores * 100 * FREE) / cpu
  const fit = Math.floor(Math.min(byMemory, byCpu))
  const servers = players && 1000 / players
  const thousand = players ? `${round((servers * cpu) / 100, 1)} cores, ${round((servers * mb) / 1000, 1)} GB` : ''
  return `| ${what} | ${round(mb, 0)} MB | ${round(cpu, 0)} % | ${fit} (${byCpu < byMemory ? 'CPU' : 'memory'} is full) | ${thousand} |`
}

const count = (number) => number.toLocaleString('en-US')
