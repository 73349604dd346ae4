import { operations } from '../../protocol/operations.js'
import type { ControlCommand, FaultInfo } from '../../platform/sidecar.js'
import { countedTime, plural, span } from '../common/format.js'
import type { FieldProps } from './panel.js'

/** A line of the form, which reads as a sentence that begins with its button. */
export interface FaultForm {
  readonly title: string
  readonly type: ControlCommand['type']
  /** Words and fields. A field has the name and the value of the command's property. */
  readonly sentence: readonly (string | FieldProps)[]
  /** Further properties of the command. */
  readonly fixed: object
}

const choices: Readonly<Record<string, FieldProps['choices']>> = {
  operation: [['', 'all calls'], ...Object.keys(operations).map((name) => [name, name] as const)],
  when: ['before', 'after'].map((time) => [time, time] as const),
}

/** @param text a sentence in which `{name=value}` is a field */
function line(title: string, type: ControlCommand['type'], text: string, fixed: object = {}): FaultForm {
  const parts = text.split(/ ?({.*?}) ?/).filter(Boolean)
  const sentence = parts.map((part, i) => {
    const [, name, value] = /^{(\w+)=?(.*)}$/.exec(part) ?? []
    if (name === undefined) return part
    const full = [`${title}:`, parts[i - 1], name, parts[i + 1]].filter((word) => word && !word.startsWith('{'))
    return { name, value, full: full.join(' '), choices: choices[name] }
  })
  return { title, type, sentence, fixed }
}

export const faultForms: readonly FaultForm[] = [
  line('Delay', 'delayCalls', '{operation} by {ms=500} ms + up to {jitterMs} ms {when} it takes effect'),
  line(
    'Fail',
    'failCalls',
    '{share=50} % of the next {count} {operation} with {status=503} retry after {retryAfter} s',
  ),
  line('Cut off', 'failCalls', 'the next {count=1} {operation}', { drop: true }),
  line('Lose', 'loseWrites', 'the next {count=1} writes, answered 200'),
  line('Ignore', 'ignoreBeats', 'the next {count=3} beats', { on: true }),
  line('Drop', 'dropWatchers', 'watchers every {everyMs=10} s'),
  line('API server', 'apiServer', 'away for {ms=10} s', { away: true }),
  line('Pad', 'padObject', 'the object by {bytes=70000} bytes'),
  line('Restart', 'restart', 'down for {downMs=3} s'),
]

/** The command of a line. The sidecar checks the values. */
export function commandOf(
  { type, sentence, fixed }: FaultForm,
  values: Readonly<Record<string, string>>,
): ControlCommand {
  const command: Record<string, unknown> = { type, ...fixed }
  sentence.forEach((field, i) => {
    const value = typeof field === 'object' && values[field.name]
    if (!value) return
    const { name } = field
    const isSeconds = sentence[i + 1] === 's' && /ms$/i.test(name)
    const factor = isSeconds ? 1000 : name === 'share' ? 0.01 : 1
    if (name === 'operation') command['operations'] = [value]
    else command[name] = field.choices ? value : Number(value) * factor
  })
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
