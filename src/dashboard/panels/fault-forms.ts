import { operations } from '../../protocol/operations.js'
import type { ControlCommand } from '../../sidecar/index.js'

type Fields = Readonly<Record<string, string>>

/** A field of a fault's line: a number, or a choice. */
export interface FaultField {
  readonly name: string
  /** The words in front of it. */
  readonly label: string
  readonly value?: string
  /** The word behind it. */
  readonly unit?: string
  readonly choices?: readonly (readonly [value: string, text: string])[]
}

/** A line of the form. */
export interface FaultForm {
  readonly title: string
  readonly fields: readonly FaultField[]
  command(fields: Fields): ControlCommand
}

const operation: FaultField = {
  name: 'operation',
  label: 'of',
  choices: [['', 'all calls'], ...Object.keys(operations).map((name) => [name, name] as const)],
}

const when: FaultField = {
  name: 'when',
  label: 'and',
  choices: [
    ['before', 'then act'],
    ['after', 'act first'],
  ],
}

/** A field as a number; left out where it is empty, so that the sidecar's default counts. */
function number<Name extends string>(name: Name, text: string | undefined, factor = 1): { [name in Name]?: number } {
  return text === undefined ? {} : ({ [name]: Number(text) * factor } as { [name in Name]?: number })
}

/** Each takes the words of its line and gives the command; the sidecar checks the values. */
export const faultForms: readonly FaultForm[] = [
  {
    title: 'Delay',
    fields: [
      { name: 'ms', label: 'by', value: '500', unit: 'ms' },
      { name: 'jitterMs', label: '+ up to', unit: 'ms' },
      when,
      operation,
    ],
    command: ({ ms, jitterMs, when, operation }) =>
      ({
        type: 'delayCalls',
        ...number('ms', ms ?? '0'),
        ...number('jitterMs', jitterMs),
        ...(when === 'after' && { when }),
        ...(operation && { operations: [operation] }),
      }) as ControlCommand,
  },
  {
    title: 'Fail',
    fields: [
      { name: 'share', label: '', value: '50', unit: '%' },
      { name: 'count', label: 'of the next', unit: '' },
      operation,
      { name: 'status', label: 'with', value: '503' },
      { name: 'retryAfter', label: 'retry after', unit: 's' },
    ],
    command: ({ share, count, status, retryAfter, operation }) =>
      ({
        type: 'failCalls',
        ...number('share', share, 1 / 100),
        ...number('count', count),
        ...number('status', status),
        ...number('retryAfter', retryAfter),
        ...(operation && { operations: [operation] }),
      }) as ControlCommand,
  },
  {
    title: 'Cut',
    fields: [{ name: 'count', label: 'the connection of the next', value: '1' }, operation],
    command: ({ count, operation }) =>
      ({
        type: 'failCalls',
        drop: true,
        ...number('count', count),
        ...(operation && { operations: [operation] }),
      }) as ControlCommand,
  },
  {
    title: 'Lose',
    fields: [{ name: 'count', label: 'the next', value: '1', unit: 'writes, answered 200' }],
    command: ({ count }) => ({ type: 'loseWrites', ...number('count', count) }),
  },
  {
    title: 'Ignore',
    fields: [{ name: 'count', label: 'the next', value: '3', unit: 'beats' }],
    command: ({ count }) => ({ type: 'ignoreBeats', on: true, ...number('count', count) }),
  },
  {
    title: 'Drop',
    fields: [{ name: 'every', label: 'every watcher each', value: '10', unit: 's' }],
    command: ({ every }) => ({ type: 'dropWatchers', ...number('everyMs', every, 1000) }),
  },
  {
    title: 'API server',
    fields: [{ name: 'ms', label: 'away for', value: '10', unit: 's' }],
    command: ({ ms }) => ({ type: 'apiServer', away: true, ...number('ms', ms, 1000) }),
  },
  {
    title: 'Pad',
    fields: [{ name: 'bytes', label: 'the object by', value: '70000', unit: 'bytes' }],
    command: ({ bytes }) => ({ type: 'padObject', bytes: Number(bytes ?? 0) }),
  },
  {
    title: 'Restart',
    fields: [{ name: 'down', label: 'down for', value: '3', unit: 's' }],
    command: ({ down }) => ({ type: 'restart', ...number('downMs', down, 1000) }),
  },
]
