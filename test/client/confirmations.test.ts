import { expect, test } from 'vitest'
import type { SidecarClient, SidecarError } from '../../src/index.js'
import type { ScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

interface Watching {
  client: SidecarClient
  sidecar: ScriptedSidecar
  clock: VirtualClock
  errors: SidecarError[]
}

/** A client whose watch has come to rest, by a clock that stands still, beside a sidecar that accepts and forgets. */
async function watching(): Promise<Watching> {
  const sidecar = await startScripted()
  const clock = new VirtualClock()
  const client = connectClient(sidecar, { now: clock.now, scheduler: clock, verifyInterval: 0 })
  const errors: SidecarError[] = []
  client.on('error', (error) => void errors.push(error))
  await client.waitFor(() => true)
  while (client.status.transport === undefined) await client.once('connection')
  const reads = (): number => sidecar.requests.filter(({ path }) => path === '/gameserver').length
  clock.advance(200)
  await sidecar.until(() => reads() === 2 && sidecar.openSockets === 1, 'the check of the watch')
  return { client, sidecar, clock, errors }
}

const label = (key: string, value: string): Record<string, string> => ({ [`agones.dev/sdk-${key}`]: value })

/** Lets the sidecar write what it shows from now on. */
async function show({ client, sidecar }: Watching, version: number, labels: Record<string, string>): Promise<void> {
  sidecar.publish(gameServer(version, 'Ready', labels))
  await client.waitFor(({ object_meta }) => object_meta.resource_version === String(version))
}

test('a label that was accepted and does not show is an error after 10 s, once', async () => {
  const { client, clock, errors } = await watching()
  await client.setLabel('mode', 'duel')
  clock.advance(9_990)
  expect(errors).toEqual([])
  clock.advance(10)
  expect(errors).toMatchObject([{ code: 'UNKNOWN_OUTCOME', operation: 'setLabel' }])
  expect(errors[0]).toMatchObject({ summary: expect.stringContaining('10 s'), hint: expect.stringMatching(/queue/) })
  clock.advance(10_000)
  expect(errors).toHaveLength(1)
})

test('a label that shows in time is none', async () => {
  const all = await watching()
  await all.client.setLabel('mode', 'duel')
  await show(all, 2, label('mode', 'duel'))
  all.clock.advance(20_000)
  expect(all.errors).toEqual([])
})

test('a label that a later write has replaced need not show, but the later one must', async () => {
  const all = await watching()
  await all.client.setLabel('mode', 'duel')
  all.clock.advance(5_000)
  await all.client.setLabel('mode', 'ctf')
  all.clock.advance(5_000)
  expect(all.errors).toEqual([])
  all.clock.advance(5_000)
  expect(all.errors).toHaveLength(1)
})

test('a label that is written anew after 10 s is looked for anew', async () => {
  const all = await watching()
  await all.client.setLabel('mode', 'duel')
  await show(all, 2, label('mode', 'duel'))
  all.clock.advance(10_000)
  await all.client.setLabel('mode', 'ctf')
  all.clock.advance(10_000)
  expect(all.errors).toHaveLength(1)
})

test('a label, another label and an annotation of the same name are looked for apart', async () => {
  const { client, clock, errors } = await watching()
  await client.setLabel('mode', 'duel')
  await client.setLabel('map', 'b')
  await client.setAnnotation('mode', 'duel')
  clock.advance(10_000)
  expect(errors.map(({ operation }) => operation)).toEqual(['setLabel', 'setLabel', 'setAnnotation'])
})

test('nothing is said while the watch is lost: nobody can know', async () => {
  const { client, sidecar, clock, errors } = await watching()
  await client.setLabel('mode', 'duel')
  const lost = client.once('connection')
  await sidecar.stop()
  await lost
  clock.advance(10_000)
  expect(errors).toEqual([])
})

test('nothing is said later of a label whose call has waited for it', async () => {
  const all = await watching()
  const confirmed = all.client.setLabel('mode', 'duel', { confirm: true })
  await all.sidecar.until(() => all.sidecar.requests.some(({ method }) => method === 'PUT'), 'the write')
  await show(all, 2, label('mode', 'duel'))
  expect(await confirmed).toBe('confirmed')
  await show(all, 3, {})
  all.clock.advance(20_000)
  expect(all.errors).toEqual([])
})
