import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHost } from '../../src/node/host/create-host.js'
import type { Host } from '../../src/node/host/create-host.js'
import type { HostEvent } from '../../src/node/host/host-events.js'
import type { HostOptions } from '../../src/node/host/host-options.js'
import { browserProcesses, eventually, noBrowser, rendererOf } from './support/processes.js'
import { pageOf } from './support/run-host.js'

if (noBrowser !== undefined) console.error(`The tests of createHost() are SKIPPED: ${noBrowser}`)

const TICKS = `setInterval(() => gameServerHost.tick(), 16)`

interface Hosted {
  readonly host: Host
  readonly events: readonly HostEvent[]
  readonly browser: number
}

async function host(script: string, options: Partial<HostOptions> = {}): Promise<Hosted> {
  const events: HostEvent[] = []
  const created = await createHost({
    dir: await pageOf(script),
    local: true,
    playersPort: 0,
    onEvent: (event) => void events.push(event),
    ...options,
  })
  onTestFinished(async () => void (await created.close()))
  const found = events.find(({ event }) => event === 'browser') as { readonly pid: number } | undefined
  return { host: created, events, browser: found?.pid ?? 0 }
}

describe.skipIf(noBrowser !== undefined)('createHost()', () => {
  test('runs two pages at once, which end each for itself', async () => {
    const [one, other] = await Promise.all([host(TICKS), host(TICKS)])
    expect(await one.host.close()).toMatchObject({ code: 0 })
    await eventually(() => other.events.some(({ event }) => event === 'booted'))
    await eventually(() => browserProcesses(one.browser).length === 0)
    expect(await other.host.close('SIGINT')).toEqual({ code: 0, reason: 'It was told to stop by SIGINT' })
  })

  test('can be closed before its page was loaded, and several times', async () => {
    const { host: created, browser, events } = await host(TICKS)
    const ends = await Promise.all([created.close(), created.close(), created.exited])
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(events.filter(({ event }) => event === 'exit')).toHaveLength(1)
    const warnings = events.flatMap((event) => (event.event === 'warning' ? [event.text] : []))
    expect(warnings.filter((text) => !text.includes('sandbox'))).toEqual([])
    await eventually(() => browserProcesses(browser).length === 0)
  })

  test('outlives a listener that throws, and ends in order', async () => {
    const warnings: string[] = []
    const onWarning = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const onEvent = ({ event }: HostEvent): void => {
      if (event !== 'browser') throw new Error(`no ${event}`)
    }
    const { host: created } = await host(`${TICKS}; console.log(1)`, { onEvent })
    await eventually(() => warnings.some((text) => text.includes('no console')))
    expect(await created.close()).toMatchObject({ code: 0 })
    await eventually(() => warnings.some((text) => text.includes('onEvent threw: Error: no exit')))
  })

  test('can be given up while it starts', async () => {
    const stop = new AbortController()
    const started = host(TICKS, { signal: stop.signal })
    stop.abort(new Error('changed my mind'))
    await expect(started).rejects.toThrow('changed my mind')
    await expect(host(TICKS, { signal: stop.signal })).rejects.toThrow('changed my mind')
  })

  test('ends also a renderer that is stopped, which notices nothing of the end of its browser', async () => {
    const { host: created, browser, events } = await host(TICKS, { grace: 3_000 })
    await eventually(() => events.some(({ event }) => event === 'booted'))
    process.kill(rendererOf(browser), 'SIGSTOP')
    expect(await created.close()).toMatchObject({ code: 0 })
    await eventually(() => browserProcesses(browser).length === 0)
  })

  test('leaves nothing behind: descriptors, listeners, timers', async () => {
    const round = async (): Promise<void> => {
      const { host: created } = await host(TICKS)
      await created.close()
    }
    const listeners = (): number[] =>
      ['exit', 'SIGTERM', 'SIGINT', 'warning', 'uncaughtException'].map((name) => process.listenerCount(name))
    // What is loaded once stays.
    await round()
    await sleep(1_500)
    const before = { files: readdirSync('/proc/self/fd').length, listeners: listeners() }
    const resources = process.getActiveResourcesInfo().length
    for (let i = 0; i < 20; i += 1) await round()
    await sleep(1_500)
    expect(listeners()).toEqual(before.listeners)
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(before.files + 10)
    expect(process.getActiveResourcesInfo().length).toBeLessThan(resources + 10)
  })
})
