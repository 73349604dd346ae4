import { expect, test } from 'vitest'
import { createClient } from '../../src/index.js'
import type { SidecarClient } from '../../src/index.js'
import { VirtualClock } from '../support/virtual-clock.js'

type WithAfter = SidecarClient & { after(ms: number, run: () => void): unknown }

test('client.after() runs once, by the clock of the client, and not after close()', () => {
  const clock = new VirtualClock()
  const options = { baseUrl: 'http://127.0.0.1:1', now: clock.now, scheduler: clock }
  const client = createClient(options) as WithAfter
  const ran: string[] = []
  client.after(1000, () => ran.push('first'))
  client.after(5000, () => ran.push('never'))
  clock.advance(999)
  expect(ran).toEqual([])
  clock.advance(1)
  expect(ran).toEqual(['first'])
  clock.advance(2000)
  client.close()
  clock.advance(10_000)
  client.after(1, () => ran.push('too late'))
  clock.advance(10_000)
  expect(ran).toEqual(['first'])
  expect(clock.pending).toBe(0)
})

test('client.after() is driven by tick() where the host has no timers', () => {
  let time = 0
  const options = { baseUrl: 'http://127.0.0.1:1', now: () => time, scheduler: false } as const
  const client = createClient(options) as WithAfter
  let runs = 0
  client.after(1000, () => runs++)
  time = 999
  client.tick()
  expect(runs).toBe(0)
  time = 1000
  client.tick()
  client.tick()
  expect(runs).toBe(1)
  client.close()
})
