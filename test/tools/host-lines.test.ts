import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import { createHostLines } from '../../src/cli/commands/host.js'
import { createFleetLines } from '../../src/cli/commands/fleet.js'
import type { HostEvent } from '../../src/host/host-events.js'
import type { FleetRunEvent } from '../../src/local/fleet.js'

const player = (id: number, reason = ''): HostEvent => ({
  event: 'connection',
  id,
  state: 'closed',
  remoteAddress: '127.0.0.1',
  code: 1000,
  reason,
})

test('lines about players who connect in a loop are limited, and the rest is counted', () => {
  let time = 0
  const lines = createHostLines('json', picocolors.createColors(false), () => time)
  let written: string[] = []
  for (let id = 1; id <= 5_000; id += 1) written.push(...lines(player(id)))
  expect(written.length).toBe(1_000)
  // What else happens is told all the same.
  expect(lines({ event: 'warning', text: 'something else' }).length).toBe(1)
  written = []
  for (; time < 60_000; time += 1) written.push(...lines(player(time)))
  const objects = written.map((line) => JSON.parse(line) as { event: string; text?: string })
  expect(objects.length).toBeLessThan(60 * 102)
  expect(objects[0]!.text).toMatch(/^\d+ more times players have come or left/)
  const counted = objects.flatMap(({ text }) => (text === undefined ? [] : [Number(text.split(' ')[0])]))
  const told = objects.filter(({ event }) => event === 'connection').length
  const rest = lines({ event: 'exit', code: 0, reason: 'over' })
  const left = rest.length === 2 ? Number((JSON.parse(rest[0]!) as { text: string }).text.split(' ')[0]) : 0
  expect(counted.reduce((sum, count) => sum + count, 0) + told + left).toBe(4_000 + 60_000)
})

const NASTY = '\u001b[31mred\u0007\u009b\r\u202e'

test.each<HostEvent | FleetRunEvent>([
  { event: 'listening', players: NASTY, address: '127.0.0.1', page: NASTY, sidecar: NASTY },
  { event: 'metrics', url: NASTY, address: '127.0.0.1' },
  { event: 'browser', pid: 1, version: NASTY, sandbox: true },
  { event: 'console', level: 'error', text: NASTY },
  { event: 'connection', id: 1, state: 'closed', remoteAddress: NASTY, code: 1000, reason: NASTY },
  { event: 'warning', text: NASTY },
  { event: 'crash', reason: NASTY },
  { event: 'hang', reason: NASTY, stack: NASTY },
  { event: 'shutdown', signal: NASTY },
  { event: 'state', state: NASTY },
  { event: 'replaced', text: NASTY },
  { event: 'exit', code: 70, reason: NASTY },
  { event: 'output', server: NASTY, level: 'error', text: NASTY },
  { event: 'entry', entry: { sequence: 1, at: 0, type: 'warning', server: NASTY, text: NASTY } },
])('lines of a $event event have no control characters of what came from elsewhere', (event) => {
  const colors = picocolors.createColors(false)
  for (const format of ['pretty', 'json'] as const) {
    const isOfFleet = event.event === 'output' || event.event === 'entry'
    const lines = isOfFleet
      ? createFleetLines(format, colors)(event)
      : createHostLines(format, colors)(event as HostEvent)
    expect(lines.join('')).toMatch(/^[ -~│…]+$/)
  }
})

test('a line about a player escapes the control characters of its close reason', () => {
  const lines = createHostLines('pretty', picocolors.createColors(false))
  const [line, ...more] = lines(player(1, 'bye\n\u001b[31m12:00:00.000  crash \u2028'))
  expect(more).toEqual([])
  expect(line).toMatch(/^[ -~\u00a0-\u2027\u202a-\uffff]+$/)
})

test.each([
  ['127.0.0.1', ''],
  ['0.0.0.0', ' and all addresses of this machine (0.0.0.0)'],
])('the listening line for %s names the address if it is a wildcard', (address, all) => {
  const lines = createHostLines('pretty', picocolors.createColors(false))
  const urls = { players: 'ws://127.0.0.1:7777', page: 'http://127.0.0.1:1/', sidecar: 'http://127.0.0.1:2' }
  const [line] = lines({ event: 'listening', address, ...urls })
  expect(line).toContain(`players at ws://127.0.0.1:7777${all}, the page at`)
})
