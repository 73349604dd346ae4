import { operations } from '../../protocol/operations.js'
import type { ControlCommand, FaultInfo } from '../../platform/sidecar.js'
import { countedTime, plural, span } from '../common/format.js'
import type { FieldProps } from './panel.js'

/**
 * A field of a fault's line: a number of its command, or a choice. Its name is the command's property; `operation` stands
 * for `operations` of one.
 */
interface FaultField extends FieldProps {
  /** Converts the field's unit into the command's. */
  readonly factor?: number
  /** The value of an empty field. Without it, the sidecar's default applies. */
  readonly empty?: number
}

/** A line of the form, which reads as a sentence that begins with its button. */
export interface FaultForm {
  readonly title: string
  readonly fields: readonly FaultField[]
  readonly type: ControlCommand['type']
  /** Further properties of the command. */
  readonly fixed?: object
}

const operation: FaultField = {
  name: 'operation',
  choices: [['', 'all calls'], ...Object.keys(operations).map((name) => [name, name] as const)],
}
const times = ['before', 'after'].map((time) => [time, time] as const)
const when: FaultField = { name: 'when', choices: times, unit: 'it takes effect' }
const next = (value: string, unit = ''): FaultField => ({ name: 'count', label: 'the next', value, unit })
const seconds = (name: string, label: string, value = ''): FaultField => ({
  name,
  label,
  value,
  unit: 's',
  factor: 1000,
})

export const faultForms: readonly FaultForm[] = [
  {
    title: 'Delay',
    type: 'delayCalls',
    fields: [
      operation,
      { name: 'ms', label: 'by', value: '500', unit: 'ms', empty: 0 },
      { name: 'jitterMs', label: '+ up to', unit: 'ms' },
      when,
    ],
  },
  {
    title: 'Fail',
    type: 'failCalls',
    fields: [
      { name: 'share', value: '50', unit: '%', factor: 0.01 },
      { name: 'count', label: 'of the next' },
      operation,
      { name: 'status', label: 'with', value: '503' },
      { name: 'retryAfter', label: 'retry after', unit: 's' },
    ],
  },
  { title: 'Cut off', type: 'failCalls', fixed: { drop: true }, fields: [next('1'), operation] },
  { title: 'Lose', type: 'loseWrites', fields: [next('1', 'writes, answered 200')] },
  { title: 'Ignore', type: 'ignoreBeats', fixed: { on: true }, fields: [next('3', 'beats')] },
  { title: 'Drop', type: 'dropWatchers', fields: [seconds('everyMs', 'watchers every', '10')] },
  { title: 'API server', type: 'apiServer', fixed: { away: true }, fields: [seconds('ms', 'away for', '10')] },
  {
    title: 'Pad',
    type: 'padObject',
    fields: [{ name: 'bytes', label: 'the object by', value: '70000', unit: 'bytes', empty: 0 }],
  },
  { title: 'Restart', type: 'restart', fields: [seconds('downMs', 'down for', '3')] },
]

/** The command of a line. The sidecar checks the values. */
export function commandOf(form: FaultForm, values: Readonly<Record<string, string>>): ControlCommand {
  const command: Record<string, unknown> = { type: form.type, ...form.fixed }
  for (const { name, choices, factor = 1, empty } of form.fields) {
    const value = values[name]
    if (value === undefined) {
      if (empty !== undefined) command[name] = empty
    } else if (name === 'operation') command['operations'] = [value]
    else command[name] = choices ? value : Number(value) * factor
  }
  return command as unknown as ControlCommand
}

const calls = (operations: readonly string[] | undefined): string =>
  operations?.length ? operations.join(', ') : 'all calls'

/** The remaining time of a fault that ends by itself. */
const left = (until: true | number, now: number): string =>
  until === true ? '' : ` for ${countedTime(Math.max(1, until - now))}`

/** The active faults in words. */
export function presentFaults(faults: FaultInfo, now: number): string[] {
  const { writesToLose, beatsToIgnore, watchersStalled, watchersDropped, apiServerAway, padding } = faults
  const delays = faults.delays.map(({ operations, ms, jitterMs }) => {
    const more = jitterMs > 0 ? ` + up to ${span(jitterMs)}` : ''
    return `delay ${calls(operations)} by ${span(ms)}${more}`
  })
  const failures = faults.failures.map(({ operations, remaining, share, drop, status }) => {
    const part = share < 1 ? `${Math.round(share * 100)} % of ` : ''
    const next = remaining === undefined ? '' : `the next ${remaining} of `
    const what = `${part}${next}${calls(operations)}`
    return drop ? `cut off ${what}` : `fail ${what} with ${status}`
  })
  const beats = beatsToIgnore === undefined ? 'beats' : `the next ${plural(beatsToIgnore, 'beat')}`
  return [
    ...delays,
    ...failures,
    writesToLose > 0 && `lose the next ${plural(writesToLose, 'write')}`,
    faults.ignoreBeats && `${beats} ignored`,
    watchersStalled !== false && `watchers stalled${left(watchersStalled, now)}`,
    watchersDropped && `watchers dropped every ${span(watchersDropped.everyMs)}`,
    apiServerAway !== false && `API server away${left(apiServerAway, now)}`,
    padding > 0 && `object larger by ${padding} bytes`,
  ].filter((text) => typeof text === 'string')
}
