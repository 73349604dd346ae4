import { expect, onTestFinished } from 'vitest'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import { observe, type Observed } from '../faults/observe.js'
import { type Rule, type ScriptedSidecar, startScripted } from '../support/fault-server.js'
import { gameServer, type Changes } from '../support/game-server.js'
import { turns } from '../support/until.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { connectClient } from '../support/with-sidecar.js'

export interface Watching extends Observed {
  clock: VirtualClock
  sidecar: ScriptedSidecar
  /** Lets time pass in steps of 20 ms, with time for the network after each. */
  pass(ms: number): Promise<void>
  /** Lets time pass until the condition holds. */
  passUntil(condition: () => boolean): Promise<void>
  /** Whether a watch is established. */
  isConnected(): boolean
  /** The watches that were asked for so far: `w` over WebSocket, `s` over the stream. */
  watches(): string
  /** The reads that were answered so far. */
  reads(): number
}

/** A client that watches, by a clock that stands still while nobody moves it on. */
export async function watching(rules: readonly Rule[], options: ClientOptions = {}): Promise<Watching> {
  const sidecar = await startScripted(rules)
  const clock = new VirtualClock()
  const observed = observe({
    baseUrl: sidecar.url,
    verifyInterval: 0,
    random: () => 0,
    now: clock.now,
    scheduler: clock,
    ...options,
  })
  onTestFinished(() => observed.client.close())
  // Both ends of the network are in this process, so turns of its loop are what they need, however busy the machine is.
  const settle = async (count = 15): Promise<void> => {
    await turns(count)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const asked = (path: string) => sidecar.requests.filter((request) => request.path === path)
  return {
    ...observed,
    clock,
    sidecar,
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 20) {
        clock.advance(20)
        await settle()
      }
      await settle(200)
    },
    async passUntil(condition: () => boolean) {
      const start = clock.now()
      for (;;) {
        await settle()
        if (condition()) return
        if (clock.now() - start > 10_000) expect.fail('10 s have passed in vain')
        clock.advance(20)
      }
    },
    isConnected: () => observed.client.status.transport !== undefined,
    watches: () =>
      asked('/watch/gameserver')
        .map(({ isUpgrade }) => (isUpgrade ? 'w' : 's'))
        .join(''),
    reads: () => asked('/gameserver').length,
  }
}

export interface Connected {
  client: SidecarClient
  sidecar: ScriptedSidecar
  /** Has every listener told of a change. */
  show(version: number, changes?: Changes): Promise<void>
}

/** A client in real time whose watch has shown this GameServer, and is at rest. */
export async function connected(options: ClientOptions = {}, changes: Changes = {}): Promise<Connected> {
  const sidecar = await startScripted()
  sidecar.publish(gameServer(1, changes))
  const client = connectClient(sidecar, { verifyInterval: 0, ...options })
  await client.waitFor(() => true)
  while (client.status.transport === undefined) await client.once('connection')
  await sidecar.until(() => sidecar.followers === 1, 'the watch')
  return {
    client,
    sidecar,
    async show(version, changes) {
      sidecar.publish(gameServer(version, changes))
      await client.waitFor(({ object_meta }) => object_meta.resource_version === String(version))
      await turns()
    },
  }
}
