import { onTestFinished } from 'vitest'
import { createHost, type Host } from '../../../src/host/create-host.js'
import type { HostEvent } from '../../../src/host/host-events.js'
import type { HostOptions } from '../../../src/host/host-options.js'
import { pageOf, waitForEvents, type Named } from './run-host.js'

/** The script of a game that runs steps. */
export const TICKS = `setInterval(() => gameServerHost.tick(), 16)`

/** A host within this process. */
export interface HostHere extends Host {
  readonly events: readonly HostEvent[]
  /** Lines of the console, such as `warn slow`. */
  lines(): string[]
  /** The process of its last browser. */
  browser(): number
  until<Name extends HostEvent['event']>(name: Name, matches?: (event: Named<Name>) => boolean): Promise<Named<Name>>
  /** Resolves when a matching line was written. */
  line(text: string | RegExp): Promise<unknown>
}

/** Hosts a page with this script, or the build of `dir`, until the test ends. */
export async function hostHere(script: string, options: Partial<HostOptions> = {}): Promise<HostHere> {
  const events: HostEvent[] = []
  const { until, look } = waitForEvents(events)
  const host = await createHost({
    dir: options.dir ?? (await pageOf(script)),
    local: { mode: 'local' },
    playersPort: 0,
    restarts: 0,
    // Catches a hang only: a browser may start slowly on a busy machine.
    bootTimeout: 120_000,
    onEvent: (event) => {
      events.push(event)
      look(event.event === 'exit')
    },
    ...options,
  })
  onTestFinished(async () => void (await host.close()))
  return {
    ...host,
    events,
    until,
    lines: () => events.flatMap((event) => (event.event === 'console' ? [`${event.level} ${event.text}`] : [])),
    browser: () => events.filter((event) => event.event === 'browser').at(-1)!.pid,
    line: (text) =>
      until('console', (event) => (typeof text === 'string' ? event.text === text : text.test(event.text))),
  }
}
