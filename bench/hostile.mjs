/**
 * The cost of hostile input: request bodies of 4 MiB in many shapes for the local sidecar, and response heads of 16 KiB
 * for the frames, each compared with half the size. Quadratic time shows as a ratio of 4.
 */
import { request } from 'node:http'
import { MessageDecoder } from '../dist/frames.js'
import { answered, freePort, startLocalSidecar } from './support/processes.mjs'
import { median, round } from './support/statistics.mjs'

export const title = 'Hostile bytes'

const MIB = 1024 * 1024
/** The longest time for the response to a body of 4 MiB, in ms. */
const LONGEST = 200

const fill = (before, unit, after) => (size) =>
  before + unit.repeat(Math.floor((size - before.length - after.length) / unit.length)) + after
const number = (before, unit, after) => (size) => {
  const { length } = unit('0000000')
  return (
    before +
    Array.from({ length: (size - 40) / (length + 1) }, (_, i) => unit(String(i).padStart(7, 'k'))).join() +
    after
  )
}

const bodies = {
  'digits behind a point': ['POST', '/reserve', fill('{"seconds":1.', '0', '1}')],
  'digits of a counter': ['PATCH', '/v1beta1/counters/rooms', fill('{"count":"', '9', '"}')],
  'form pairs': ['POST', '/reserve', fill('seconds=1', '&seconds=1', '')],
  'opening brackets': ['POST', '/ready', fill('{"a":', '[', '')],
  escapes: ['POST', '/ready', fill('{"a":"', '\\u0041', '"}')],
  'different fields': ['POST', '/ready', number('{', (n) => `"${n}":1`, '}')],
  beats: ['POST', '/health', fill('', '{}', '')],
  'a label key of dashes': ['PUT', '/metadata/label', fill('{"key":"a', '-', '!"}')],
  'equal values of a list': ['PATCH', '/v1beta1/lists/players', fill('{"values":["a"', ',"a"', ']}')],
  'different values of a list': ['PATCH', '/v1beta1/lists/players', number('{"values":[', (n) => `"${n}"`, ']}')],
}

const heads = {
  'spaces in a header': fill('HTTP/1.1 403 No\r\nSec-WebSocket-Protocol:', ' ', '\nx\r\n\r\n'),
  'tabs in a header': fill('HTTP/1.1 101 Yes\r\nUpgrade: x', '\t', 'y\r\n\r\n'),
  commas: fill('HTTP/1.1 101 Yes\r\nConnection: ', ', ', 'x\r\n\r\n'),
  'many headers': fill('HTTP/1.1 101 Yes\r\n', 'A:\r\n', '\r\n'),
}

export async function measure({ quick }) {
  const rounds = quick ? 3 : 9
  const port = await freePort()
  const sidecar = startLocalSidecar(port)
  const rows = []
  try {
    await answered(sidecar.url, sidecar)
    for (const [shape, [method, path, body]] of Object.entries(bodies)) {
      const texts = [body(2 * MIB - 100), body(4 * MIB - 100)]
      const times = await inTurns(texts, rounds, (text) => timeOf(port, method, path, text))
      rows.push(row(`body: ${shape}`, times, '4 MiB'))
    }
  } finally {
    await sidecar.end()
  }
  for (const [shape, head] of Object.entries(heads)) {
    const texts = [head(8_000), head(16_000)].map((text) => Buffer.from(text))
    rows.push(row(`head: ${shape}`, await inTurns(texts, 20 * rounds, timeOfHead), '16 KiB'))
  }
  const slowest = Math.max(...rows.map((one) => one['whole, ms']))
  if (slowest > LONGEST) {
    console.error(`The slowest takes ${slowest} ms, more than ${LONGEST}`)
    process.exitCode = 1
  }
  return rows
}

async function inTurns(texts, rounds, measureOne) {
  const times = texts.map(() => [])
  for (let round = -1; round < rounds; round++) {
    for (const [at, text] of texts.entries()) {
      const time = await measureOne(text)
      if (round >= 0) times[at].push(time)
    }
  }
  return times.map(median)
}

const row = (what, [half, whole], size) => ({
  what,
  size,
  'half, ms': round(half, 2),
  'whole, ms': round(whole, 2),
  ratio: round(whole / half),
})

const timeOf = (port, method, path, body) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const outgoing = request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - began))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

const timeOfHead = (bytes) => {
  const began = performance.now()
  let refused = false
  const decoder = new MessageDecoder({ handshake: () => 'measured', error: () => (refused = true) })
  decoder.push(bytes)
  if (!refused) throw new Error('The head was not read to its end')
  return performance.now() - began
}
