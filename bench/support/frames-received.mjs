/**
 * Compares receiving with `ws`'s Receiver. Both get the same buffers and must return the same messages: a string for
 * text (this module makes it from the Receiver's Buffer, as ws's WebSocket does), and bytes for binary.
 */
import { createRequire } from 'node:module'
import { usedBytes } from './cpu-turns.mjs'
import { payloads, SIZES } from './frame-payloads.mjs'

const Receiver = createRequire(import.meta.url)(`${import.meta.dirname}/../../node_modules/ws/lib/receiver.js`)
const SLICE = 1460
const FRAGMENTS = 4

const frame = (opcode, fin, payload) => {
  const { length } = payload
  const header = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10)
  header[0] = (fin ? 0x80 : 0) | opcode
  header[1] = length < 126 ? length : length < 65536 ? 126 : 127
  if (header.length === 4) header.writeUInt16BE(length, 2)
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, payload])
}

export const shapes = {
  whole: (opcode, payload) => [frame(opcode, true, payload)],
  fragmented: (opcode, payload) =>
    Array.from({ length: FRAGMENTS }, (_, i) =>
      frame(
        i ? 0 : opcode,
        i === FRAGMENTS - 1,
        payload.subarray((i * payload.length) / FRAGMENTS, ((i + 1) * payload.length) / FRAGMENTS),
      ),
    ),
  // As TCP segments, which hold many small messages or a part of a large one.
  sliced: (opcode, payload) => {
    const messages = Math.max(1, Math.round((16 * SLICE) / payload.length))
    const stream = Buffer.concat(Array(messages).fill(frame(opcode, true, payload)))
    return Array.from({ length: Math.ceil(stream.length / SLICE) }, (_, i) =>
      stream.subarray(i * SLICE, (i + 1) * SLICE),
    )
  },
}

/** Reads the last unit, which makes V8 flatten the string. */
const lastOf = (data) => (typeof data === 'string' ? data.charCodeAt(data.length - 1) : data[data.length - 1])

const fail = (error) => {
  throw error
}
const sinks = (MessageDecoder) => ({
  ours: (count) => {
    const decoder = new MessageDecoder({ message: (data) => count(lastOf(data)), error: fail })
    return (bytes) => decoder.push(bytes)
  },
  ws: (count) => {
    const receiver = new Receiver({ maxPayload: 16 << 20, maxFragments: 131072 })
    receiver.on('message', (data, isBinary) => {
      count(lastOf(isBinary ? data : data.toString()))
    })
    receiver.on('error', fail)
    return (bytes) => receiver.write(bytes)
  },
})

/** One sink lives for all rounds of a row, like one connection. */
const createRunner = (sink, chunks) => {
  let messages = 0
  let last = 0
  const write = sink((value) => {
    messages++
    last = value
  })
  const run = (passes) => {
    messages = 0
    for (let i = 0; i < passes; i++) for (const chunk of chunks) write(chunk)
    return messages
  }
  return Object.assign(run, { last: () => last })
}

/** Bytes held while one byte of a message is missing, with the host's buffers that are still needed. */
const heldBytes = (sink, chunks) => {
  // Copies that nothing here refers to afterwards, not even a variable that is out of use.
  const feed = (write) => {
    const copies = chunks.map((chunk) => Buffer.from(Uint8Array.from(chunk)))
    const last = copies.pop()
    for (const copy of copies) write(copy)
    write(last.subarray(0, -1))
    return Buffer.from(last.subarray(-1))
  }
  const write = sink(() => {})
  const before = usedBytes()
  const lastByte = feed(write)
  const after = usedBytes()
  write(lastByte)
  return Math.max(0, after - before)
}

export function receivingRow({ MessageDecoder }, kind, sizeName, shape) {
  const size = SIZES[sizeName]
  const chunks = shapes[shape](kind === 'binary' ? 2 : 1, payloads[kind](size))
  const both = sinks(MessageDecoder)
  const runners = { ours: createRunner(both.ours, chunks), ws: createRunner(both.ws, chunks) }
  const single = shape === 'sliced' ? chunks.slice(0, Math.ceil((size + 10) / SLICE)) : chunks
  return {
    runners,
    check: () => {
      if (runners.ours.last() !== runners.ws.last()) throw new Error('The two decoded different things')
    },
    held: () => (size < 65536 ? {} : { ours: heldBytes(both.ours, single), ws: heldBytes(both.ws, single) }),
  }
}
