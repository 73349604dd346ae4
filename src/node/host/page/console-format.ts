import { describeValue, type RemoteObject } from './remote-object.js'

/** Placeholders after the format's first part that is shown aren't looked for. */
const LONGEST_FORMAT = 2_000

/** The text of a console call's arguments: placeholders of the first one are filled in, the others follow it. */
export function formatArguments(values: readonly RemoteObject[]): string {
  const [first, ...rest] = values
  if (first === undefined) return ''
  if (first.type !== 'string') return values.map(describeValue).join(' ')
  const format = String(first.value)
  const used = format.slice(0, LONGEST_FORMAT).replace(/%([sdifoOc%])/g, (placeholder, kind: string) => {
    if (kind === '%') return '%'
    const value = rest.shift()
    return value === undefined ? placeholder : fill(kind, value)
  })
  return [used + format.slice(LONGEST_FORMAT), ...rest.map(describeValue)].join(' ')
}

function fill(kind: string, value: RemoteObject): string {
  switch (kind) {
    case 'd':
    case 'i':
      return toNumber(value, Math.trunc)
    case 'f':
      return toNumber(value, (number) => number)
    case 'c':
      // A style, which a log has not.
      return ''
    default:
      return describeValue(value)
  }
}

function toNumber(value: RemoteObject, round: (value: number) => number): string {
  if (value.type === 'bigint') return describeValue(value)
  const text = value.type === 'number' || value.type === 'string' ? describeValue(value) : ''
  return String(round(Number.parseFloat(text)))
}
