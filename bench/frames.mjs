/**
 * Decoding beside `ws`'s Receiver, on the same bytes:
 * `node bench/frames.mjs [--quick] [--only 'text, 1 KiB'] [--entry path]`.
 *
 * Both are given the same buffers and must hand on the same thing: a string for text (ws hands on a Buffer,
 * from which its own WebSocket makes the string, as is done here), bytes for binary. Rounds alternate between
 * the two, and time is that of the processor, so that a busy machine slows neither; a ratio is the median
 * over the pairs.
 * `ws` runs without its native add-ons; it still has what Node itself has built in.
 *
 * Most of what a copied message of 1 MiB costs either of them is the kernel's: fresh pages for a buffer or a
 * string, up to seven times the time of decoding. Whom that hits is chance, so those rows have more rounds,
 * and a tenth more or less there says nothing.
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
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const option = (name) => {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}
const quick = process.argv.includes('--quick')
const ROUNDS = quick ? 7 : 21
const ROUND_MS = quick ? 15 : 40
const SLICE = 1460
const FRAGMENTS = 4
const SIZES = { '16 B': 16, '1 KiB': 1024, '64 KiB': 65536, '1 MiB': 1 << 20 }

const root = resolve(import.meta.dirname, '..')
const entry = resolve(option('--entry') ?? `${root}/dist/frames.js`)
const { MessageDecoder } = await import(pathToFileURL(entry).href)
const Receiver = createRequire(import.meta.url)(`${root}/node_modules/ws/lib/receiver.js`)
const { version } = createRequire(import.meta.url)('ws/package.json')
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const frame = (opcode, fin, payload) => {
  const { length } = payload
  const header = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10)
  header[0] = (fin ? 0x80 : 0) | opcode
  header[1] = length < 126 ? length : length < 65536 ? 126 : 127
  if (header.length === 4) header.writeUInt16BE(length, 2)
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, payload])
}

/** JSON like a sidecar's, with a few characters beyond ASCII in `unicode`. */
const ASCII = '{"name":"simple-game-server","port":7000}'
const BEYOND = '{"name":"spel-värd-日本","players":["Zoë","Łukasz"],"port":7000}'
const payloads = {
  text: (size) => Buffer.from(ASCII.repeat(size / 40 + 1)).subarray(0, size),
  unicode: (size) => {
    const text = Buffer.from(BEYOND.repeat(size / 40 + 1))
    let end = size
    while ((text[end] & 0xc0) === 0x80) end--
    return Buffer.concat([text.subarray(0, end), Buffer.alloc(size - end, '.')])
  },
  binary: (size) => Buffer.from(Uint8Array.from({ length: size }, (_, i) => i * 31)),
}

const framesOf = {
  whole: (opcode, payload) => [frame(opcode, true, payload)],
  fragmented: (opcode, payload) =>
    Array.from({ length: FRAGMENTS }, (_, i) =>
      frame(
        i ? 0 : opcode,
        i === FRAGMENTS - 1,
        payload.subarray((i * payload.length) / FRAGMENTS, ((i + 1) * payload.length) / FRAGMENTS),
      ),
    ),
  // As TCP gives them: segments end where they end, with many small messages in one, or one in many.
  sliced: (opcode, payload) => {
    const messages = Math.max(1, Math.round((16 * SLICE) / payload.length))
    const stream = Buffer.concat(Array(messages).fill(frame(opcode, true, payload)))
    return Array.from({ length: Math.ceil(stream.length / SLICE) }, (_, i) =>
      stream.subarray(i * SLICE, (i + 1) * SLICE),
    )
  },
}

/** Reading the last unit makes a string whole, as any reader of it would. */
const lastOf = (data) => (typeof data === 'string' ? data.charCodeAt(data.length - 1) : data[data.length - 1])

/** Both count what they were handed. */
const sinks = {
  ours: (count) => {
    const decoder = new MessageDecoder({
      message: (data) => count(lastOf(data)),
      error: (error) => {
        throw error
      },
    })
    return (bytes) => decoder.push(bytes)
  },
  ws: (count) => {
    const receiver = new Receiver({ maxPayload: 16 << 20, maxFragments: 131072 })
    receiver.on('message', (data, isBinary) => {
      count(lastOf(isBinary ? data : data.toString()))
    })
    receiver.on('error', (error) => {
      throw error
    })
    return (bytes) => receiver.write(bytes)
  },
}

/** Nanoseconds of processor time, collection of garbage included: what else runs here doesn't count. */
const now = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/** One runner lives through all rounds of a row, as one connection would. */
const createRunner = (name, chunks) => {
  let messages = 0
  let last = 0
  const write = sinks[name]((value) => {
    messages++
    last = value
  })
  const once = () => {
    for (const chunk of chunks) write(chunk)
  }
  return {
    /** Nanoseconds a message. */
    round: (passes) => {
      messages = 0
      const start = now()
      for (let i = 0; i < passes; i++) once()
      const spent = now() - start
      if (!messages) throw new Error(`${name} decoded nothing`)
      return spent / messages
    },
    last: () => last,
  }
}

/** Bytes held while a message is one byte short of whole; of the host's buffers, those still needed. */
const held = (name, chunks) => {
  // Copies that nothing here refers to afterwards, not even a variable that is out of use.
  const feed = (write) => {
    const copies = chunks.map((chunk) => Buffer.from(Uint8Array.from(chunk)))
    const last = copies.pop()
    for (const copy of copies) write(copy)
    write(last.subarray(0, -1))
    return Buffer.from(last.subarray(-1))
  }
  const used = () => {
    for (let i = 0; i < 3; i++) collectGarbage()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const write = sinks[name](() => {})
  const before = used()
  const lastByte = feed(write)
  const after = used()
  write(lastByte)
  return Math.max(0, after - before)
}

const measure = (kind, sizeName, shape) => {
  const size = SIZES[sizeName]
  const chunks = framesOf[shape](kind === 'binary' ? 2 : 1, payloads[kind](size))
  const runners = { ours: createRunner('ours', chunks), ws: createRunner('ws', chunks) }
  const passes = {}
  for (const [name, runner] of Object.entries(runners)) {
    // Warm until it is optimised, then as many passes as fill a round.
    const until = now() + (quick ? 3e7 : 1e8)
    while (now() < until) runner.round(1)
    let count = 1
    for (;;) {
      const start = now()
      runner.round(count)
      const spent = now() - start
      passes[name] = Math.max(1, Math.round((count * ROUND_MS * 1e6) / spent))
      if (spent > (ROUND_MS * 1e6) / 4) break
      count *= 2
    }
  }
  const times = { ours: [], ws: [] }
  for (let round = 0; round < (size < 1 << 20 ? ROUNDS : 3 * ROUNDS); round++) {
    // Whoever goes second may pay for the other's garbage: they take turns.
    for (const name of round % 2 ? ['ws', 'ours'] : ['ours', 'ws']) {
      times[name].push(runners[name].round(passes[name]))
    }
  }
  if (runners.ours.last() !== runners.ws.last()) throw new Error('The two decoded different things')
  const rate = (name) => {
    const nanoseconds = median(times[name])
    return { messagesPerSecond: 1e9 / nanoseconds, megabytesPerSecond: (size * 1e3) / nanoseconds }
  }
  const single = shape === 'sliced' ? chunks.slice(0, Math.ceil((size + 10) / SLICE)) : chunks
  return {
    kind,
    size: sizeName,
    shape,
    ours: { ...rate('ours'), heldBytes: size < 65536 ? null : held('ours', single) },
    ws: { ...rate('ws'), heldBytes: size < 65536 ? null : held('ws', single) },
    ratio: median(times.ours.map((time, i) => times.ws[i] / time)),
  }
}

const format = (number) => (number >= 100 ? Math.round(number).toLocaleString('en') : number.toPrecision(3))
const kib = (bytes) => (bytes === null ? '-' : format(bytes / 1024))
const rows = []
console.log(`MessageDecoder beside ws ${version}'s Receiver (no native add-ons), Node ${process.version}`)
console.log(
  ['kind', 'size', 'shape', 'msg/s', 'ws', 'MB/s', 'ws', 'held KiB', 'ws', 'ratio']
    .map((name, i) => (i < 3 ? name.padEnd(11) : name.padStart(11)))
    .join(''),
)
for (const kind of Object.keys(payloads)) {
  for (const size of Object.keys(SIZES)) {
    for (const shape of Object.keys(framesOf)) {
      if (!`${kind}, ${size}, ${shape}`.includes(option('--only') ?? '')) continue
      const row = measure(kind, size, shape)
      rows.push(row)
      console.log(
        [
          ...[kind, size, shape].map((text) => text.padEnd(11)),
          ...[
            format(row.ours.messagesPerSecond),
            format(row.ws.messagesPerSecond),
            format(row.ours.megabytesPerSecond),
            format(row.ws.megabytesPerSecond),
            kib(row.ours.heldBytes),
            kib(row.ws.heldBytes),
            row.ratio.toFixed(2),
          ].map((text) => text.padStart(11)),
        ].join(''),
      )
    }
  }
}
const worst = rows.reduce((a, b) => (a.ratio < b.ratio ? a : b))
console.log(`lowest ratio: ${worst.ratio.toFixed(2)} (${worst.kind}, ${worst.size}, ${worst.shape})`)

mkdirSync(`${root}/bench/results`, { recursive: true })
writeFileSync(
  `${root}/bench/results/frames.json`,
  JSON.stringify(
    {
      node: process.version,
      ws: version,
      cpu: cpus()[0]?.model,
      rounds: ROUNDS,
      rows,
    },
    null,
    2,
  ),
)
