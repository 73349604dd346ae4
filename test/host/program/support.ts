import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { HostEvent } from '../../../src/host/host-events.js'
import { createProgramHost, type ProgramHost } from '../../../src/host/program/program-host.js'
import type { ProgramHostOptions } from '../../../src/host/program/program-options.js'

export const guest = fileURLToPath(new URL('guest.mjs', import.meta.url))

export interface Hosted extends ProgramHost {
  readonly events: readonly HostEvent[]
  /** Lines of the console, with their level. */
  readonly lines: () => string[]
  /** Resolves with the first event that passes the test, past events included. */
  until(test: (event: HostEvent) => boolean): Promise<HostEvent>
  /** Resolves with the rest of the line once the program has printed a line with that start. */
  printed(start: string): Promise<string>
}

/** Hosts the guest with these deeds, for one test. */
export async function hostGuest(deeds: readonly string[], options: Partial<ProgramHostOptions> = {}): Promise<Hosted> {
  const events: HostEvent[] = []
  const looks = new Set<() => void>()
  const where = options.sidecar === undefined && options.local === undefined ? { local: true } : {}
  const host = await createProgramHost({
    file: guest,
    args: deeds,
    ...where,
    onEvent: (event) => {
      events.push(event)
      looks.forEach((look) => look())
    },
    ...options,
  })
  onTestFinished(async () => {
    for (const event of events) if (event.event === 'program') killIfThere(event.pid)
    await host.close()
  })
  const until: Hosted['until'] = (test) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = events.find(test)
        if (found === undefined) return
        looks.delete(look)
        resolve(found)
      }
      looks.add(look)
      look()
    })
  return {
    ...host,
    events,
    lines: () => events.flatMap((event) => (event.event === 'console' ? [`${event.level}: ${event.text}`] : [])),
    until,
    printed: async (start) => {
      const line = await until((event) => event.event === 'console' && event.text.startsWith(start))
      return line.event === 'console' ? line.text.slice(start.length).trim() : ''
    },
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended, as it should.
  }
}

/** Whether a process runs. A zombie doesn't. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
