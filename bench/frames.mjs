/**
 * Frames beside `ws`, received and sent, in one run:
 * `node bench/frames.mjs [--quick] [--only 'sent, text, 1 KiB'] [--entry path]`.
 *
 * Rounds alternate between the two, and time is that of the processor, so that a busy machine slows neither; a ratio is
 * the median over the pairs. `ws` runs without its native add-ons; it still has what Node itself has built in.
 *
 * A copied message of 1 MiB mostly costs kernel time for both: fresh memory pages for a buffer or a string take up to
 * seven times as long as decoding. Chance decides which of the two pays, so those rows have more rounds, and a
 * difference of 10 % there means nothing.
 *
 * Prints a table; writes bench/results/frames.json.
 */
process.env.WS_NO_BUFFER_UTIL = '1'
process.env.WS_NO_UTF_8_VALIDATE = '1'

import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { measureInTurns } from './support/cpu-turns.mjs'
import { payloads, SIZES } from './support/frame-payloads.mjs'

const option = (name) => {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}
const quick = process.argv.includes('--quick')
const ROUNDS = quick ? 7 : 21

const root = resolve(import.meta.dirname, '..')
const entry = await import(pathToFileURL(resolve(option('--entry') ?? `${root}/dist/frames.js`)).href)
// `ws` reads this variable when it is loaded.
const { receivingRow, shapes } = await import('./support/frames-received.mjs')
const { sendingRow } = await import('./support/frames-sent.mjs')
const { version } = createRequire(import.meta.url)('ws/package.json')

const format = (number) => (number >= 100 ? Math.round(number).toLocaleString('en') : number.toPrecision(3))
const kib = (bytes) => (bytes === undefined ? '-' : format(bytes / 1024))
const NAMES = ['way', 'kind', 'size', 'shape']
const FIGURES = ['msg/s', 'ws', 'MB/s', 'ws', 'held KiB', 'ws', 'ratio']

const rows = []
async function measure(way, kind, size, shape, prepare) {
  const names = [way, kind, size, shape]
  if (!names.join(', ').includes(option('--only') ?? '')) return
  const { runners, check, held } = await prepare()
  const isLarge = SIZES[size] >= 1 << 20
  const { ours, ws, ratio } = measureInTurns(runners, {
    rounds: isLarge ? 3 * ROUNDS : ROUNDS,
    roundMs: quick ? 15 : 40,
    warmMs: quick ? 30 : 100,
  })
  check()
  const rate = (nanoseconds) => ({
    messagesPerSecond: 1e9 / nanoseconds,
    megabytesPerSecond: (SIZES[size] * 1e3) / nanoseconds,
  })
  const kept = held()
  const row = {
    way,
    kind,
    size,
    shape,
    ours: { ...rate(ours), heldBytes: kept.ours },
    ws: { ...rate(ws), heldBytes: kept.ws },
    ratio,
  }
  rows.push(row)
  console.log(
    [
      ...names.map((text) => text.padEnd(11)),
      ...[
        format(row.ours.messagesPerSecond),
        format(row.ws.messagesPerSecond),
        format(row.ours.megabytesPerSecond),
        format(row.ws.megabytesPerSecond),
        kib(kept.ours),
        kib(kept.ws),
        ratio.toFixed(2),
      ].map((text) => text.padStart(11)),
    ].join(''),
  )
}

console.log(`Frames beside ws ${version} (no native add-ons), Node ${process.version}`)
console.log([...NAMES.map((name) => name.padEnd(11)), ...FIGURES.map((name) => name.padStart(11))].join(''))
for (const kind of Object.keys(payloads)) {
  for (const size of Object.keys(SIZES)) {
    await measure('sent', kind, size, 'whole', () => sendingRow(entry, kind, size))
    for (const shape of Object.keys(shapes)) {
      await measure('received', kind, size, shape, () => receivingRow(entry, kind, size, shape))
    }
  }
}
for (const way of ['sent', 'received']) {
  const ofWay = rows.filter((row) => row.way === way)
  if (ofWay.length === 0) continue
  const worst = ofWay.reduce((a, b) => (a.ratio < b.ratio ? a : b))
  console.log(`lowest ratio ${way}: ${worst.ratio.toFixed(2)} (${worst.kind}, ${worst.size}, ${worst.shape})`)
}

mkdirSync(`${root}/bench/results`, { recursive: true })
writeFileSync(
  `${root}/bench/results/frames.json`,
  JSON.stringify({ node: process.version, ws: version, cpu: cpus()[0]?.model, rounds: ROUNDS, rows }, null, 2),
)
