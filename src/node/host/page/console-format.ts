/** A value of the page, as the DevTools protocol describes it. */
export interface RemoteObject {
  readonly type: string
  readonly subtype?: string
  readonly className?: string
  readonly value?: unknown
  /** Numbers that JSON has not, and bigints. */
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

/** Longest text of one value inside another one. */
const INNER = 120

/** Text of a value as an argument of `console.log`: a string as it is, an object with what is in it. */
export function describeValue(value: RemoteObject): string {
  switch (value.type) {
    case 'string':
      return String(value.value)
    case 'undefined':
      return 'undefined'
    case 'function':
      return describeFunction(value.description ?? '')
    case 'object':
      return describeObject(value)
    default:
      return value.unserializableValue ?? value.description ?? String(value.value)
  }
}

function describeObject({ subtype, description = 'Object', preview }: RemoteObject): string {
  if (subtype === 'null') return 'null'
  // An error's description is its stack.
  if (preview === undefined || subtype === 'error') return description
  return describePreview(preview)
}

function describePreview(preview: ObjectPreview): string {
  const { type, subtype, description = '' } = preview
  if (type === 'string') return quote(description)
  if (type === 'function') return describeFunction(description)
  if (type !== 'object') return short(description)
  switch (subtype) {
    case 'array':
      return `[${inside(preview, arrayItem)}]`
    case 'typedarray':
      return `${description} [${inside(preview, arrayItem, (name) => /^\d+$/.test(name))}]`
    case 'map':
    case 'set':
      return `${description} {${entries(preview)}}`
    case undefined:
    case 'proxy':
      return `${description === 'Object' ? '' : `${short(description)} `}{${inside(preview, namedItem)}}`
    default:
      return short(description)
  }
}

function inside(
  { properties, overflow }: ObjectPreview,
  describe: (property: PropertyPreview) => string,
  isShown: (name: string) => boolean = () => true,
): string {
  const items = properties.filter(({ name }) => isShown(name)).map(describe)
  return [...items, ...(overflow ? ['…'] : [])].join(', ')
}

const entries = ({ entries: all = [], overflow }: ObjectPreview): string =>
  [
    ...all.map(({ key, value }) => (key ? `${describePreview(key)} => ` : '') + describePreview(value)),
    ...(overflow ? ['…'] : []),
  ].join(', ')

const arrayItem = (property: PropertyPreview): string => describeProperty(property)
const namedItem = (property: PropertyPreview): string => `${short(property.name)}: ${describeProperty(property)}`

function describeProperty({ type, subtype, value = '', valuePreview }: PropertyPreview): string {
  if (valuePreview !== undefined) return describePreview(valuePreview)
  switch (type) {
    case 'string':
      return quote(value)
    case 'function':
      return describeFunction(value)
    case 'accessor':
      return '(getter)'
    case 'object':
      return subtype === undefined && value === 'Object' ? '{…}' : short(value)
    default:
      return short(value)
  }
}

/** A function's name is told, and not its source. */
function describeFunction(source: string): string {
  const [, kind, name] =
    /^(?:async\s+)?(class|function)?\*?\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)?/u.exec(source) ?? []
  const label = kind === 'class' ? 'class' : 'function'
  return `[${label}${name === undefined || name === 'async' || name === 'extends' ? '' : ` ${name}`}]`
}

const quote = (text: string): string => `'${short(text)}'`
const short = (text: string): string => (text.length > INNER ? `${text.slice(0, INNER - 1)}…` : text)

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
