import { describe, expect, test } from 'vitest'
import { affordable, gather } from './support/crowd.js'
import { expectRefusal, expectServing, startGateway, targets } from './support/targets.js'
import { annotate, askUntil, openWatch, WATCH_HEADERS, watchRequest } from './support/watch.js'
import { ask, dial } from './support/wire.js'

const MIB = 1024 * 1024
const CONTINUATION = 0x0
const TEXT = 0x1
const CLOSE = 0x8
const PING = 0x9
const PONG = 0xa
const FIN = 0x80

/** A client's frame, its mask all zeros. */
function frame(first: number, payload = '', masked = true): string {
  const size = payload.length
  const bytes = [24, 16, 8, 0].map((shift) => (size >> shift) & 0xff)
  const long = size < 65_536 ? [126, ...bytes.slice(2)] : [127, 0, 0, 0, 0, ...bytes]
  const [first7 = 0, ...rest] = size < 126 ? [size] : long
  const mask = masked ? '\0\0\0\0' : ''
  return String.fromCharCode(first, first7 | (masked ? 0x80 : 0), ...rest) + mask + payload
}

/** Only the head of a frame that would be this long. */
const giant = (first: number, ...length: readonly number[]): string =>
  String.fromCharCode(first, 0xff, ...length, 0, 0, 0, 0)

/** What is passed over, and what ends the connection. */
const floods: [what: string, frames: string | (() => string), times: number, ends?: 'ends'][] = [
  ['pings, whose pongs are not read', frame(FIN | PING, 'x'.repeat(125)), 50_000],
  ['pongs that nobody asked for', frame(FIN | PONG, 'x'.repeat(125)), 50_000],
  ['messages', frame(FIN | TEXT, '{"anything":1}'), 50_000],
  ['empty messages', frame(FIN | TEXT), 50_000],
  ['a message of 64 MiB', () => frame(FIN | TEXT, 'x'.repeat(64 * MIB)), 1, 'ends'],
  ['messages of 1 MiB', () => frame(FIN | TEXT, 'x'.repeat(MIB)), 64, 'ends'],
  ['a frame of 2^63 bytes', giant(FIN | TEXT, 0x80, 0, 0, 0, 0, 0, 0, 0) + 'x'.repeat(MIB), 1, 'ends'],
  ['a frame of 2^53 bytes', giant(FIN | TEXT, 0, 0x20, 0, 0, 0, 0, 0, 0) + 'x'.repeat(MIB), 1, 'ends'],
  ['a message in fragments of one byte without end', frame(CONTINUATION, 'x'), 400_000, 'ends'],
  ['a message in empty fragments without end', frame(CONTINUATION), 400_000, 'ends'],
  ['frames without a mask', frame(FIN | TEXT, 'x', false), 1_000, 'ends'],
  ['frames of an opcode that there is not', frame(FIN | 0x3, 'x'), 1_000, 'ends'],
  ['frames with reserved bits', frame(FIN | 0x70 | TEXT, 'x'), 1_000, 'ends'],
  ['a control frame in fragments', frame(PING, 'x') + frame(FIN | CONTINUATION, 'x'), 1_000, 'ends'],
  ['a control frame that is too long', frame(FIN | PING, 'x'.repeat(126)), 1_000, 'ends'],
  ['text that is no UTF-8', frame(FIN | TEXT, '\xff\xfe\xc0\x80'), 1_000, 'ends'],
  ['close frames', frame(FIN | CLOSE, '\x03\xe8bye'), 1_000, 'ends'],
  ['a close frame with half a code', frame(FIN | CLOSE, '\x03'), 1_000, 'ends'],
  ['a close frame with a code that there is not', frame(FIN | CLOSE, '\x00\x00'), 1_000, 'ends'],
  ['another request', 'POST /shutdown HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n', 1_000, 'ends'],
  ['garbage', '\x00\xff\x7f\x80garbage', 10_000, 'ends'],
]

test('the gateway opens no more watches than its sidecar can bear, and says so', async () => {
  const victim = await startGateway()
  const watch = await openWatch(victim, 'stream')
  const text = watchRequest(victim, 'websocket')
  await gather({ port: victim.port, count: affordable(2_100), text }).there
  await askUntil(victim, () => victim.watchers() >= 2_048)
  expect(victim.watchers()).toBe(2_048)
  for (const headers of Object.values(WATCH_HEADERS)) {
    const answer = await ask(victim.port, `GET ${victim.at('/watch/gameserver')}`, ['Host: localhost', ...headers])
    expectRefusal(answer, 503, 'Too many watches are open')
  }
  await annotate(victim, 'still served')
  await watch.saw(/"still served"/)
})

describe.each(targets)('$name', ({ start }) => {
  test.each(floods)('a watch whose client sends %s harms no other', async (_what, made, times, ends) => {
    const frames = typeof made === 'string' ? made : made()
    const victim = await start()
    const other = await openWatch(victim, 'websocket')
    const wire = await dial(victim.port, watchRequest(victim, 'websocket'))
    await wire.saw(/"state":"Ready"/)
    wire.socket.pause()
    const before = process.memoryUsage.rss()
    const batch = Buffer.from(frames.repeat(Math.min(times, 1_000)), 'latin1')
    if (frames.startsWith(String.fromCharCode(CONTINUATION))) wire.send(frame(TEXT))
    for (let sent = 0; sent < times && !wire.socket.destroyed; sent += 1_000) {
      if (!wire.socket.write(batch)) await expectServing(victim)
    }
    await annotate(victim, 'still served')
    await other.saw(/"still served"/)
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * MIB)
    wire.socket.resume()
    if (ends !== undefined) await wire.ended
    wire.socket.destroy()
    await askUntil(victim, () => victim.watchers() === 1)
    expect(victim.reached().filter((event) => /refused|shutdown/.test(event))).toEqual([])
  })

  test('3,000 upgrades keep nobody out and end no watch that was there', async () => {
    const victim = await start()
    const watches = [await openWatch(victim, 'stream'), await openWatch(victim, 'websocket')]
    const text = watchRequest(victim, 'websocket')
    const crowd = gather({ port: victim.port, count: affordable(3_000), text })
    let isThere = false
    void crowd.there.then(() => (isThere = true))
    await askUntil(victim, () => isThere)
    expect(victim.watchers()).toBeLessThanOrEqual(4_096)
    await annotate(victim, 'still served')
    for (const watch of watches) await watch.saw(/"still served"/)
  })
})
