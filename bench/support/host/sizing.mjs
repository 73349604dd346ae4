/** The table of docs/deploy.md, from figures alone. */
import { round } from '../statistics.mjs'

/** A node, less 10 % for the cluster's own pods. */
const NODE = { cores: 4, gib: 16 }
const FREE = 0.9
const GIB = 2 ** 30

/** Markdown, ready to paste between the marks. */
export function sizingTable({ alone, webgl, costs, most }) {
  const rows = [
    line('none', '', alone),
    ...costs.map((cost) =>
      line(count(cost.players), cost['messages/s each'], {
        mb: cost['memory, MB'],
        cpu: cost['runner, %'] + cost['browser, %'],
      }),
    ),
    line('none, `--webgl`', '', webgl),
  ]
  return `| players | messages/s each | memory | CPU of a core | servers a node of ${NODE.cores} cores and ${NODE.gib} GiB |
|---|---|---|---|---|
${rows.join('\n')}

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

function line(players, rate, { mb, cpu }) {
  const byMemory = (NODE.gib * GIB * FREE) / (mb * 1e6)
  const byCpu = (NODE.cores * 100 * FREE) / cpu
  const fit = Math.floor(Math.min(byMemory, byCpu))
  return `| ${players} | ${rate} | ${round(mb, 0)} MB | ${round(cpu, 0)} % | ${fit} |`
}

const count = (number) => number.toLocaleString('en-US')
