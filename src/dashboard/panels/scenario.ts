import type { ControlCommand, LogEntry } from '../../sidecar/index.js'
import { writeYaml } from './write-yaml.js'

/** Commands that look at nothing and change only what the page shows. */
const ownCommands: ReadonlySet<ControlCommand['type']> = new Set(['setClock'])

/** All that was done to the sidecar from outside, at its time, as steps that can be done again. */
export function scenarioOf(entries: readonly LogEntry[]): string {
  let last: number | undefined
  const steps: object[] = []
  for (const { at, event } of entries) {
    if (event.type !== 'control' || ownCommands.has(event.command.type)) continue
    if (last !== undefined && at - last >= 100) steps.push({ wait: `${((at - last) / 1000).toFixed(1)}s` })
    last = at
    steps.push({ control: event.command })
  }
  return writeYaml({ name: 'from the dashboard', steps })
}
