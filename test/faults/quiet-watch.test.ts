import { describe, expect, test } from 'vitest'
import type { ClientOptions } from '../../src/index.js'
import { createScriptedSidecar, type Rule, type ScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { createManualClock, type ManualClock } from './manual-clock.js'
import { observe, type Observed } from './observe.js'

const minute = 60_000

/** A client whose watch has come to rest: connected, checked once, and with nothing under way. */
async function quiet(
  options: ClientOptions,
  rules: readonly Rule[] = [],
): Promise<Observed & { sidecar: ScriptedSidecar; clock: ManualClock }> {
  const clock = createManualClock()
  const sidecar = await createScriptedSidecar(rules)
  const observed = observe({ verifyInterval: 0, ...options, ...clock.options, baseUrl: sidecar.url })
  // The first dials wait for their turns.
  while (sidecar.followers === 0) {
    clock.advance(20)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await observed.seen(1)
  await observed.until(() => observed.client.status.connection === 'connected', 'a connection')
  const reads = (): number => sidecar.requests.filter(({ path }) => path === '/gameserver').length
  const before = reads()
  clock.advance(150)
  await sidecar.until(() => reads() > before, 'the check after the first object')
  await sidecar.until(() => sidecar.openSockets === 1, 'the answer to it')
  return { ...observed, sidecar, clock }
}

const upgrades = (sidecar: ScriptedSidecar): number => sidecar.requests.filter(({ isUpgrade }) => isUpgrade).length

/** A sidecar whose WebSocket ends before each object while `broken()`. */
const endingUpgrades = (broken: () => boolean): readonly Rule[] => [
  {
    on: 'watch',
    step: async (exchange) => {
      await exchange.open()
      if (exchange.request.isUpgrade && broken()) exchange.connection.finish()
      else await exchange.follow()
    },
  },
]

describe.concurrent('a watch that is quiet for long', () => {
  test.each([
    ['websocket', 0, 5],
    ['websocket', 0.9999, 10],
    ['stream', 0, 5],
    ['stream', 0.9999, 10],
  ] as const)(
    'a quiet watch over %s, with a random number of %d, is opened anew after %i minutes, before the old one ends',
    async (watch, random, minutes) => {
      const observed = await quiet({ watch, random: () => random })
      const { sidecar, clock, client, connections, errors } = observed
      const events = connections.length
      let most = sidecar.followers
      const watches = (): number => sidecar.requests.filter(({ path }) => path === '/watch/gameserver').length

      clock.advance(minutes * minute - 2000)
      await new Promise(setImmediate)
      expect(watches(), 'too early').toBe(1)
      clock.advance(3000)
      await sidecar.until(() => (most = Math.max(most, sidecar.followers)) === 2, 'the new watch beside the old one')
      await sidecar.until(() => sidecar.followers === 1, 'the end of the old one')
      sidecar.publish(gameServer(2))
      await observed.seen(2)
      expect(observed.versions).toEqual(['1', '2'])
      expect(connections.length).toBe(events)
      expect(errors).toEqual([])
      client.close()
      await sidecar.close()
    },
  )

  test('a quiet stream gives way to a WebSocket that works again', async () => {
    let broken = true
    const observed = await quiet(
      { random: () => 0 },
      endingUpgrades(() => broken),
    )
    const { sidecar, clock, client } = observed
    expect(client.status.transport).toBe('stream')
    broken = false
    clock.advance(5 * minute)
    await observed.until(() => client.status.transport === 'websocket', 'the WebSocket')
    sidecar.publish(gameServer(2))
    await observed.seen(2)
    expect(observed.versions).toEqual(['1', '2'])
    client.close()
    await sidecar.close()
  })

  test('a quiet stream stays without a gap where the WebSocket still fails', async () => {
    const observed = await quiet(
      { random: () => 0 },
      endingUpgrades(() => true),
    )
    const { sidecar, clock, client, connections } = observed
    const events = connections.length
    const before = upgrades(sidecar)
    clock.advance(5 * minute)
    await sidecar.until(() => upgrades(sidecar) > before, 'another try')
    sidecar.publish(gameServer(2))
    await observed.seen(2)
    expect(connections.slice(events)).toEqual([])
    expect(client.status.transport).toBe('stream')
    expect(observed.versions).toEqual(['1', '2'])
    client.close()
    await sidecar.close()
  })
})
