/** The set-ups of a client: by a clock and a network of the test, by a clock alone, and in real time. */
import { expect, onTestFinished, vi } from 'vitest'
import { createClient, type ClientOptions } from '../../src/index.js'
import { observe } from '../faults/observe.js'
import { type Rule, startScripted } from '../support/fault-server.js'
import { gameServer, type Changes } from '../support/game-server.js'
import { turns } from '../support/until.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { connectClient } from '../support/with-sidecar.js'

/** How a request of the host ends: with this answer, or with nobody there, or never. */
type Ending = { status: number; body?: string } | 'refused' | 'never'

export const good: Ending = { status: 200, body: JSON.stringify(gameServer(1)) }

/** A client by a clock that stands still, of a network that takes no time: dials that fail are seen by no server. */
export function searching(options: ClientOptions = {}) {
  const clock = new VirtualClock()
  /** The ms at which requests were made, and their paths. */
  const asked: number[] = []
  const paths: string[] = []
  const signals: { aborted: boolean }[] = []
  const warn = vi.fn()
  let ending: Ending | ((path: string) => Ending) = 'refused'
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    ...clock.options,
    random: () => 1,
    retry: { initialDelay: 1000, factor: 2, maxDelay: 4000, timeout: 1e6 },
    logger: { warn },
    fetch: async (url, { signal }) => {
      const path = new URL(url).pathname
      paths.push(path)
      asked.push(clock.now())
      signals.push(signal as never)
      const now = typeof ending === 'function' ? ending(path) : ending
      if (now === 'never') return new Promise(() => {})
      if (now === 'refused') throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
      return { status: now.status, headers: { get: () => null }, text: async () => now.body ?? '' }
    },
    ...options,
  })
  onTestFinished(() => client.close())
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      await turns()
      clock.advance(50)
    }
    await turns()
  }
  /** Says what each request from now on comes to. */
  const answer = (next: typeof ending): void => void (ending = next)
  return { client, asked, paths, signals, answer, pass, warn }
}

export const ignore = (call: Promise<unknown>): void => void call.catch(() => {})

export type Watching = Awaited<ReturnType<typeof watching>>

/** A client that watches, by a clock that stands still while nobody moves it on. */
export async function watching(rules: readonly Rule[], options: ClientOptions = {}) {
  const sidecar = await startScripted(rules)
  const clock = new VirtualClock()
  const { url: baseUrl } = sidecar
  const observed = observe({ baseUrl, verifyInterval: 0, random: () => 0, ...clock.options, ...options })
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
    /** Lets time pass in steps of 20 ms, with time for the network after each. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 20) {
        clock.advance(20)
        await settle()
      }
      await settle(200)
    },
    /** Lets time pass until the condition holds. */
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
    /** The watches that were asked for so far: `w` over WebSocket, `s` over the stream. */
    watches: () =>
      asked('/watch/gameserver')
        .map(({ isUpgrade }) => (isUpgrade ? 'w' : 's'))
        .join(''),
    /** The number of reads that were answered so far. */
    reads: () => asked('/gameserver').length,
  }
}

/** A client in real time whose watch has shown this GameServer, and is at rest. */
export async function connected(options: ClientOptions = {}, changes: Changes = {}) {
  const sidecar = await startScripted()
  sidecar.publish(gameServer(1, changes))
  const client = connectClient(sidecar, { verifyInterval: 0, ...options })
  await client.waitFor(() => true)
  while (client.status.transport === undefined) await client.once('connection')
  await sidecar.until(() => sidecar.followers === 1, 'the watch')
  /** Has every listener told of a change. */
  const show = async (version: number, changed?: Changes): Promise<void> => {
    sidecar.publish(gameServer(version, changed))
    await client.waitFor(({ object_meta }) => object_meta.resource_version === String(version))
    await turns()
  }
  return { client, sidecar, show }
}
