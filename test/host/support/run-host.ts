import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { HostEvent } from '../../../src/host/host-events.js'
import { folderOf } from '../../support/temporary-folder.js'

const CLI = join(import.meta.dirname, '../../../dist/cli.js')

export type Named<Name> = Extract<HostEvent, { readonly event: Name }>

/** `gameserver-sidecar host` in its own process. */
export interface HostProcess {
  readonly pid: number
  readonly events: readonly HostEvent[]
  readonly stderr: () => string
  /**
   * Resolves with the first event of that name that `matches`, past events included. Rejects if the process ends first.
   */
  until<Name extends HostEvent['event']>(name: Name, matches?: (event: Named<Name>) => boolean): Promise<Named<Name>>
  signal(signal: NodeJS.Signals): void
  /** Resolves with the exit code, or the name of the signal that ended the process. */
  readonly exited: Promise<number | string>
}

/** A page with this script, and without a request for an icon. */
export const pageOf = (script: string): Promise<string> =>
  folderOf({ 'index.html': `<!doctype html><link rel="icon" href="data:,"><script>\n${script}\n</script>\n` })

/** Starts the command, and ends it with the test if it still runs. */
export function runHost(args: readonly string[], env: NodeJS.ProcessEnv = {}): HostProcess {
  const child = spawn(process.execPath, [CLI, 'host', '--log-format', 'json', '--players-port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const events: HostEvent[] = []
  let stderr = ''
  let hasEnded = false
  const { until, look } = waitForEvents(events, () => stderr)
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  createInterface({ input: child.stdout }).on('line', (line) => {
    events.push(JSON.parse(line) as HostEvent)
    look(false)
  })
  const exited = once(child, 'close').then(([code, signal]) => {
    hasEnded = true
    look(true)
    return (code ?? signal) as number | string
  })
  onTestFinished(async () => {
    if (!hasEnded) child.kill('SIGKILL')
    await exited
  })

  return {
    pid: child.pid!,
    events,
    stderr: () => stderr,
    until,
    signal: (signal) => void child.kill(signal),
    exited,
  }
}

/** Waits for events of a list. Call `look` after each new event, and when no more will come. */
export function waitForEvents(
  events: readonly HostEvent[],
  stderr = () => '',
): Pick<HostProcess, 'until'> & { look(hasEnded: boolean): void } {
  const waits = new Set<() => void>()
  let isOver = false
  return {
    look(hasEnded) {
      isOver = hasEnded
      for (const look of waits) look()
    },
    until: (name, matches = () => true) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = events.find((event) => event.event === name && matches(event as Named<typeof name>))
          if (found === undefined && !isOver) return
          waits.delete(look)
          if (found !== undefined) resolve(found as Named<typeof name>)
          else reject(new Error(`There was no ${name}: ${JSON.stringify(events)} ${stderr()}`))
        }
        waits.add(look)
        look()
      }),
  }
}
