import { format, inspect } from 'node:util'

/** A value of the page, as the DevTools protocol describes it. */
export interface RemoteObject {
  readonly type: string
  readonly subtype?: string
  readonly value?: unknown
  /** Numbers that JSON lacks, and bigints. */
  readonly unserializableValue?: string
  readonly description?: string
  readonly preview?: ObjectPreview
}

interface ObjectPreview {
  readonly type: string
  readonly subtype?: string
  readonly description?: string
  readonly overflow: boolean
  readonly properties: readonly PropertyPreview[]
  readonly entries?: readonly { readonly key?: ObjectPreview; readonly value: ObjectPreview }[]
}

interface PropertyPreview {
  readonly name: string
  readonly type: string
  readonly subtype?: string
  readonly value?: string
  readonly valuePreview?: ObjectPreview
}

/** Most characters of a text that are looked at for placeholders, and written. */
const MAX_TEXT = 10_000
/** Longest text of one value inside another one. */
const INNER = 120

/** The text of a console call's arguments: fills in the placeholders of the first argument, and appends the others. */
export const formatArguments = (values: readonly RemoteObject[]): string => format(...values.map(toArgument))

/** Text of a value as an argument of `console.log`: a string as it is, an object with its contents. */
export function describeRemote({
  type,
  subtype,
  value,
  unserializableValue,
  description,
  preview,
}: RemoteObject): string {
  if (type === 'function') return describeFunction(description)
  // The description of an error is its stack.
  if (preview !== undefined && subtype !== 'error') return describePreview(preview)
  return unserializableValue ?? description ?? String(value)
}

/** What `format` takes: numbers and texts may fill any placeholder, and everything else is a text. */
function toArgument(value: RemoteObject): unknown {
  if (value.type === 'string') return String(value.value).slice(0, MAX_TEXT)
  if (value.type === 'number' && 'value' in value) return value.value
  if (value.type === 'bigint') return BigInt(value.unserializableValue!.slice(0, -1))
  const text = describeRemote(value)
  return { toString: () => text, toJSON: () => text, [inspect.custom]: () => text }
}

function describePreview({ subtype, description = '', overflow, properties, entries = [] }: ObjectPreview): string {
  const list = (items: readonly string[]): string => [...items, ...(overflow ? ['…'] : [])].join(', ')
  switch (subtype) {
    case 'array':
      return `[${list(properties.map(describeInner))}]`
    case 'typedarray':
      return `${description} [${list(properties.filter(({ name }) => /^\d+$/.test(name)).map(describeInner))}]`
    case 'map':
    case 'set':
      return `${description} {${list(entries.map(({ key, value }) => (key ? `${describeEntry(key)} => ` : '') + describeEntry(value)))}}`
    case undefined:
    case 'proxy': {
      const name = description === 'Object' ? '' : `${short(description)} `
      return `${name}{${list(properties.map((property) => `${short(property.name)}: ${describeInner(property)}`))}}`
    }
    default:
      return short(description)
  }
}

/** A key or a value of a map, whose preview isn't that of a property. */
const describeEntry = (preview: ObjectPreview): string =>
  describeInner({
    ...preview,
    name: '',
    value: preview.description ?? '',
    ...(preview.type === 'object' && { valuePreview: preview }),
  })

function describeInner({ type, subtype, value = '', valuePreview }: PropertyPreview): string {
  if (valuePreview !== undefined) return describePreview(valuePreview)
  if (type === 'string') return `'${short(value)}'`
  if (type === 'function') return describeFunction(value)
  if (type === 'accessor') return '(getter)'
  return type === 'object' && subtype === undefined && value === 'Object' ? '{…}' : short(value)
}

/** Shows a function's name without its source. */
function describeFunction(source = ''): string {
  const [, kind = '', name] =
    /^(?:async\s+)?(class|function)?\*?\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)?/u.exec(source) ?? []
  const label = kind === 'class' ? 'class' : 'function'
  return `[${label}${name === undefined || name === 'async' || name === 'extends' ? '' : ` ${name}`}]`
}

const short = (text: string): string => (text.length > INNER ? `${text.slice(0, INNER - 1)}…` : text)
