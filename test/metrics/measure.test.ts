import { expect, test } from 'vitest'
import { measure } from '../../src/metrics.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

test('measure() counts calls by operation and code, with the seconds that they took', async () => {
  const client = connectClient(await startSidecar())
  const read = measure(client)
  await client.ready()
  await client.ready({ force: true })
  await expect(client.getCounter('none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const { calls } = read()
  expect(calls.ready).toEqual({ OK: { count: 2, seconds: expect.any(Number) as number } })
  expect(calls.getCounter?.NOT_FOUND?.count).toBe(1)
  expect(calls.ready?.OK?.seconds).toBeGreaterThan(0)
  await client.ready({ force: true })
  expect([calls.ready?.OK?.count, read().calls.ready?.OK?.count], 'a copy').toEqual([2, 3])
})

test('measure() counts beats that were taken, apart from beats that the game held back', async () => {
  let isWell = true
  const clock = new VirtualClock()
  const autoHealth = { interval: 1000, check: () => isWell }
  const client = connectClient(await startSidecar(), { autoHealth, scheduler: clock, now: clock.now })
  const read = measure(client)
  await client.once('health')
  isWell = false
  clock.advance(1000)
  await client.once('health')
  expect(read().heartbeats).toEqual({
    ok: 1,
    failed: 1,
    age: expect.any(Number) as number,
    limit: 15,
  })
})

test('measure() counts no beats and has no limit once spec.health.disabled is known', async () => {
  const sidecar = await startSidecar({ gameServer: { spec: { health: { disabled: true } } } })
  const clock = new VirtualClock()
  const client = connectClient(sidecar, { autoHealth: { interval: 1000 }, scheduler: clock, now: clock.now })
  const read = measure(client)
  await client.once('health')
  await client.connect()
  const told = client.once('health')
  clock.advance(1000)
  await told
  expect(read().heartbeats).toMatchObject({ ok: 1, failed: 0, limit: 0 })
})

test('measure() counts a watch that was connected again after its sidecar had restarted', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const read = measure(client)
  expect(read()).toMatchObject({ state: undefined, stateAge: undefined, heartbeats: { age: undefined } })
  await client.ready({ confirm: true })
  expect(read().watch).toEqual({ connections: 1, reconnects: 0 })
  const states: string[] = []
  const isBack = new Promise<void>((resolve) => {
    client.on('connection', ({ state }) => {
      if (states.push(state) > 1 && state === 'connected') resolve()
    })
  })
  await sidecar.restart()
  await isBack
  expect(read().watch).toEqual({ connections: 1, reconnects: 1 })
  expect(read()).toMatchObject({ state: 'Ready', stateAge: expect.any(Number) as number })
})
