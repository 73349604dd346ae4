import { operations } from '../../protocol/operations.js'
import type { ControlCommand, FaultInfo } from '../../sidecar/index.js'
import { countedTime, span } from '../common/format.js'

/** A field of a fault's line: a number of its command, or a choice. */
export interface FaultField {
  /** The command's property; `operation` stands for `operations` of one. */
  readonly name: string
  /** The words in front of it, and behind. */
  readonly label?: string
  readonly unit?: string
  readonly value?: string
  /** What the command counts in, by what the field does. */
  readonly factor?: number
  /** What is sent where nothing is given; otherwise that is left to the sidecar. */
  readonly empty?: number
  readonly choices?: readonly (readonly [value: string, text: string])[]
}

/** A line of the form: a sentence that begins with the button. */
export interface FaultForm {
  readonly title: string
  readonly fields: readonly FaultField[]
  readonly type: ControlCommand['type']
  /** What else its command has. */
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

/** The command of a line that says so. The sidecar checks the values, and says what is wrong. */
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

/** A fault that is on. */
interface PresentFault {
  readonly text: string
  /** What sets it as it is now. */
  readonly command: ControlCommand
  /** What ends it and nothing else; there isn't one for each. */
  readonly end?: ControlCommand
}

const calls = (operations: readonly string[] | undefined): string =>
  operations?.length ? operations.join(', ') : 'all calls'

export function presentFaults(faults: FaultInfo, now: number): PresentFault[] {
  const list: PresentFault[] = []
  const add = (text: string, command: ControlCommand, end?: ControlCommand): void =>
    void list.push({ text, command, ...(end && { end }) })
  for (const { operations, ...delay } of faults.delays) {
    const target = operations && { operations }
    const more = delay.jitterMs > 0 ? ` + up to ${span(delay.jitterMs)}` : ''
    const command = { type: 'delayCalls', ...delay, ...target } as const
    add(`delay ${calls(operations)} by ${span(delay.ms)}${more}`, command, { type: 'delayCalls', ms: 0, ...target })
  }
  for (const { operations, remaining, retryAfter, ...failure } of faults.failures) {
    const part = failure.share < 1 ? `${Math.round(failure.share * 100)} % of ` : ''
    const next = remaining === undefined ? '' : `the next ${remaining} of `
    const how = failure.drop ? ['cut off', ''] : ['fail', ` with ${failure.status}`]
    add(`${how[0]} ${part}${next}${calls(operations)}${how[1]}`, {
      type: 'failCalls',
      ...failure,
      ...(operations && { operations }),
      ...(remaining === undefined ? {} : { count: remaining }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })
  }
  if (faults.writesToLose > 0) {
    add(`lose the next ${faults.writesToLose} writes`, { type: 'loseWrites', count: faults.writesToLose })
  }
  if (faults.ignoreBeats) {
    const count = faults.beatsToIgnore
    add(
      count === undefined ? 'beats ignored' : `the next ${count === 1 ? 'beat' : `${count} beats`} ignored`,
      { type: 'ignoreBeats', on: true, ...(count === undefined ? {} : { count }) },
      { type: 'ignoreBeats', on: false },
    )
  }
  if (faults.watchersStalled !== false) {
    const left = timed(faults.watchersStalled, now)
    add(`watchers stalled${left.text}`, { type: 'stallWatchers', ...left.ms }, { type: 'releaseWatchers' })
  }
  if (faults.watchersDropped) {
    const { everyMs } = faults.watchersDropped
    add(`watchers dropped every ${span(everyMs)}`, { type: 'dropWatchers', everyMs })
  }
  const { apiServerAway } = faults
  if (apiServerAway !== false) {
    const left = timed(apiServerAway, now)
    add(
      `API server away${left.text}`,
      { type: 'apiServer', away: true, ...left.ms },
      { type: 'apiServer', away: false },
    )
  }
  if (faults.padding > 0) {
    const bytes = faults.padding
    add(`object larger by ${bytes} bytes`, { type: 'padObject', bytes }, { type: 'padObject', bytes: 0 })
  }
  return list
}

/** What is left of a fault that ends by itself. */
function timed(until: true | number, now: number): { readonly text: string; readonly ms: { ms?: number } } {
  if (until === true) return { text: '', ms: {} }
  const ms = Math.max(1, until - now)
  return { text: ` for ${countedTime(ms)}`, ms: { ms } }
}

/** The commands that end one fault and leave the others on. */
export function clearing(fault: PresentFault, all: readonly PresentFault[]): readonly ControlCommand[] {
  if (fault.end) return [fault.end]
  return [{ type: 'clearFaults' }, ...all.filter((other) => other !== fault).map(({ command }) => command)]
}
