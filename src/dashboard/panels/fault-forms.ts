import { operations } from '../../protocol/operations.js'
import type { ControlCommand } from '../../sidecar/index.js'

type Fields = Readonly<Record<string, string>>

/** A field of a fault's line: a number, or a choice. */
export interface FaultField {
  readonly name: string
  /** The words in front of it, and behind. */
  readonly label?: string
  readonly unit?: string
  readonly value?: string
  readonly choices?: readonly (readonly [value: string, text: string])[]
}

/** A line of the form: a sentence that begins with the button. */
export interface FaultForm {
  readonly title: string
  readonly fields: readonly FaultField[]
  command(fields: Fields): ControlCommand
}

const operation: FaultField = {
  name: 'operation',
  choices: [['', 'all calls'], ...Object.keys(operations).map((name) => [name, name] as const)],
}

const when: FaultField = {
  name: 'when',
  choices: [
    ['before', 'before'],
    ['after', 'after'],
  ],
  unit: 'it takes effect',
}

/** A command as it is sent, in which what is undefined is left to the sidecar's defaults. */
const commandOf = (type: ControlCommand['type'], fields: Readonly<Record<string, unknown>>): ControlCommand =>
  ({ type, ...fields }) as ControlCommand

const number = (text: string | undefined, factor = 1): number | undefined =>
  text === undefined ? undefined : Number(text) * factor

const targets = ({ operation }: Fields): string[] | undefined => (operation ? [operation] : undefined)

/** Each takes what its line says and gives the command. The sidecar checks the values, and says what is wrong. */
export const faultForms: readonly FaultForm[] = [
  {
    title: 'Delay',
    fields: [
      operation,
      { name: 'ms', label: 'by', value: '500', unit: 'ms' },
      { name: 'jitterMs', label: '+ up to', unit: 'ms' },
      when,
    ],
    command: (fields) =>
      commandOf('delayCalls', {
        ms: number(fields.ms ?? '0'),
        jitterMs: number(fields.jitterMs),
        operations: targets(fields),
        when: fields.when === 'after' ? 'after' : undefined,
      }),
  },
  {
    title: 'Fail',
    fields: [
      { name: 'share', value: '50', unit: '%' },
      { name: 'count', label: 'of the next' },
      operation,
      { name: 'status', label: 'with', value: '503' },
      { name: 'retryAfter', label: 'retry after', unit: 's' },
    ],
    command: (fields) =>
      commandOf('failCalls', {
        share: number(fields.share, 1 / 100),
        count: number(fields.count),
        operations: targets(fields),
        status: number(fields.status),
        retryAfter: number(fields.retryAfter),
      }),
  },
  {
    title: 'Cut off',
    fields: [{ name: 'count', label: 'the next', value: '1' }, operation],
    command: (fields) =>
      commandOf('failCalls', { drop: true, count: number(fields.count), operations: targets(fields) }),
  },
  {
    title: 'Lose',
    fields: [{ name: 'count', label: 'the next', value: '1', unit: 'writes, answered 200' }],
    command: ({ count }) => commandOf('loseWrites', { count: number(count) }),
  },
  {
    title: 'Ignore',
    fields: [{ name: 'count', label: 'the next', value: '3', unit: 'beats' }],
    command: ({ count }) => commandOf('ignoreBeats', { on: true, count: number(count) }),
  },
  {
    title: 'Drop',
    fields: [{ name: 'every', label: 'watchers every', value: '10', unit: 's' }],
    command: ({ every }) => commandOf('dropWatchers', { everyMs: number(every, 1000) }),
  },
  {
    title: 'API server',
    fields: [{ name: 'away', label: 'away for', value: '10', unit: 's' }],
    command: ({ away }) => commandOf('apiServer', { away: true, ms: number(away, 1000) }),
  },
  {
    title: 'Pad',
    fields: [{ name: 'bytes', label: 'the object by', value: '70000', unit: 'bytes' }],
    command: ({ bytes }) => commandOf('padObject', { bytes: number(bytes ?? '0') }),
  },
  {
    title: 'Restart',
    fields: [{ name: 'down', label: 'down for', value: '3', unit: 's' }],
    command: ({ down }) => commandOf('restart', { downMs: number(down, 1000) }),
  },
]
