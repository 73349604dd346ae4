import * as v from 'valibot'
import { isObject } from '../../protocol/is-object.js'
import { mapValues } from '../../protocol/map-values.js'
import { suggestNearest, didYouMean } from '../../protocol/nearest.js'
import { excerpt, show } from '../sidecar/state/show.js'

/** The place of a value: names of fields and indexes of lists. */
export type Path = readonly (string | number)[]

/** A mistake, with a sentence that names its place. */
export interface Mistake {
  readonly path: Path
  readonly message: string
  /** Whether the value is of another type than its field, so that a cluster can't even decode it. Default false. */
  readonly isUndecodable?: boolean
}

/** Data that doesn't fit its schema. */
export class InvalidInput extends TypeError {
  override readonly name = 'InvalidInput'
  /** The place of the mistake. */
  readonly path: Path
  readonly isUndecodable: boolean

  constructor({ message, path, isUndecodable = false }: Mistake) {
    super(message)
    this.path = path
    this.isUndecodable = isUndecodable
  }
}

export type Schema = v.GenericSchema
/** An object that is being checked. */
export type Fields = Readonly<Record<string, unknown>>
type ObjectSchema = v.GenericSchema<Fields, Fields>

/** The deepest nesting of a value: recursive readers overflow the stack beyond it. */
const LEVELS = 100

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

/**
 * The mistakes of a value by a schema, and what the schema makes of the value.
 *
 * @param what the name of the value itself
 */
function parse(schema: Schema, value: unknown, what: string, abortEarly: boolean) {
  if (isDeeper(value, LEVELS)) {
    return { mistakes: [{ path: [], message: `${what} must be nested at most ${LEVELS} levels deep` }], output: value }
  }
  const { issues = [], output } = v.safeParse(schema, value, { abortEarly })
  return { mistakes: issues.map((issue) => mistakeOf(issue, what)), output }
}

function mistakeOf(issue: v.BaseIssue<unknown>, what: string): Mistake {
  const path = (issue.path ?? []).map(({ key }) => key as string | number)
  // A missing or unknown field is a mistake of its object.
  const isField = issue.path?.at(-1)?.origin === 'key' && /^(strict|loose)_object$|^lazy$/.test(issue.type)
  const holder = isField ? path.slice(0, -1) : path
  const { kind, type, input } = issue
  // An unknown word, and a number out of bounds.
  const isDecodable =
    (type === 'picklist' && typeof input === 'string') || (type === 'custom' && Number.isInteger(input))
  const isUndecodable = kind === 'schema' && !isField && !isDecodable
  return { path, message: `${pathText(holder) || what} ${issue.message}`, isUndecodable }
}

/** All mistakes of a value. */
export const findMistakes = (schema: Schema, value: unknown, what: string): readonly Mistake[] =>
  parse(schema, value, what, false).mistakes

/** The first mistake of a value; undefined if there is none. */
export const findMistake = (schema: Schema, value: unknown, what: string): Mistake | undefined =>
  parse(schema, value, what, true).mistakes[0]

/** Returns the value if it fits the schema. @throws InvalidInput for the first mistake */
export function read(schema: Schema, value: unknown, what: string): unknown {
  const mistake = findMistake(schema, value, what)
  if (mistake !== undefined) throw new InvalidInput(mistake)
  return value
}

/** Like `read()`, but returns what the schema makes of the value. @throws InvalidInput for the first mistake */
export function readInto(schema: Schema, value: unknown, what: string): unknown {
  const { mistakes, output } = parse(schema, value, what, true)
  if (mistakes[0] !== undefined) throw new InvalidInput(mistakes[0])
  return output
}

/** A path as a person writes it, such as `spec.selectors[0].matchLabels`. */
export const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${excerpt(part)}`))
    .join('')
    .replace(/^\./, '')

/** The message about an unexpected value; it follows the value's path. */
export const mustBe =
  (expected: string) =>
  ({ input }: { readonly input: unknown }): string =>
    `must be ${expected}; got ${show(input)}`

const anything = v.optional(v.unknown())
export const text = v.string(mustBe('text'))
/** Text of a YAML file, in which `true` and `5` aren't text. */
export const quotable = v.string(mustBe('text, in quotes if it looks like a number'))
export const name = v.pipe(v.string(mustBe('non-empty text')), v.minLength(1, mustBe('non-empty text')))
export const boolean = v.boolean(mustBe('true or false'))

export function number(least: number, most: number) {
  const message = mustBe(`a number from ${least} to ${most}`)
  return v.pipe(v.number(message), v.minValue(least, message), v.maxValue(most, message))
}

/** An integer, as a number, within bounds. */
export function integer(least: number, most = Infinity) {
  const expected = most === Infinity ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`
  const message = mustBe(expected)
  const isOne = (value: number): boolean => Number.isInteger(value) && value >= least && value <= most
  // One check: two that fail would each tell the mistake.
  return v.pipe(v.number(message), v.check(isOne, message))
}

export const leaf = (expected: string, test: (value: unknown) => boolean) => v.custom(test, mustBe(expected))

export const pattern = (expected: string, regex: RegExp) =>
  v.pipe(v.string(mustBe(expected)), v.regex(regex, mustBe(expected)))

/** The most words that a message lists if one of them is similar. */
const FEW = 3

/** One of these words; those of `also` are accepted but not listed. */
export function word(words: readonly string[], also: readonly string[] = []): Schema {
  return v.picklist([...words, ...also], ({ input }) => {
    const question = suggestNearest(input, words)
    if (question !== undefined && words.length > FEW) return `can't be ${show(input)}; ${question}`
    const expected = words.map((known) => JSON.stringify(known))
    const list = words.length > FEW ? `one of ${expected.join(', ')}` : expected.join(' or ')
    return `must be ${list}; got ${show(input)}${question === undefined ? '' : `; ${question}`}`
  })
}

export const list = (item: Schema): Schema => v.array(item, mustBe('a list'))

/** Keys that are data here, but that valibot's records skip. */
const PASSED_OVER = ['__proto__', 'prototype', 'constructor']

/** An object with any keys. */
export const record = (item: Schema, key: v.GenericSchema<string, string> = v.string()): ObjectSchema =>
  onlyObjects(v.record(key, item), (value) => {
    for (const own of PASSED_OVER.filter((passed) => Object.hasOwn(value, passed))) {
      const { issues } = v.safeParse(item, value[own])
      if (issues !== undefined) return { key: own, message: issues[0].message }
    }
    return undefined
  })

/** An object with these fields and no others. */
export function object(
  entries: Readonly<Record<string, Schema>>,
  names: readonly string[] = Object.keys(entries),
): ObjectSchema {
  const schema = v.strictObject(entries, ({ expected }) => `needs the field ${expected}`)
  return onlyObjects(schema, (value) => {
    const key = Object.keys(value).find((field) => !Object.hasOwn(entries, field) && value[field] !== undefined)
    if (key === undefined) return undefined
    const advice = names.length === 0 ? 'it has none at all' : didYouMean(key, names)
    return { key, message: `has no field ${show(key)}; ${advice}` }
  })
}

/** An object with these fields, and others that are ignored. */
export const looseObject = (entries: Readonly<Record<string, Schema>>): ObjectSchema =>
  onlyObjects(v.looseObject(entries, ({ expected }) => `needs the field ${expected}`))

/** A mistake of an object, or of one of its fields. */
interface Fault {
  readonly message: string
  readonly key?: string
}

/** Refuses lists and null, which valibot's object schemas accept, then the mistake that `faultOf` finds. */
function onlyObjects(
  schema: Schema,
  faultOf: (value: Fields) => Fault | undefined = () => undefined,
  expected = 'an object',
): ObjectSchema {
  const run: Schema['~run'] = (dataset, config) => {
    const input: unknown = dataset.value
    if (!isObject(input)) v._addIssue(schema, 'type', dataset, config, { input, message: mustBe(expected) })
    const fault = isObject(input) ? faultOf(input) : undefined
    if (isObject(input) && fault !== undefined) {
      const { key, message } = fault
      const item = { type: 'object', origin: 'key', input, key: key!, value: input[key!] } as const
      v._addIssue(schema, 'key', dataset, config, { input: key, expected: 'never', path: [item], message })
    }
    return dataset.issues === undefined
      ? schema['~run'](dataset, config)
      : { typed: false, value: input, issues: dataset.issues }
  }
  return { ...schema, '~run': run } as ObjectSchema
}

/** One schema for objects, another for all else: the mistake is that of the intended one. */
export const either = (other: Schema, ofObjects: Schema, isMeant: (value: unknown) => boolean = isObject): Schema =>
  v.lazy((value) => (isMeant(value) ? ofObjects : other))

/** Objects whose `type` chooses the schema. */
export function variants(kinds: Readonly<Record<string, Schema>>): ObjectSchema {
  const names = Object.keys(kinds)
  const faultOf = ({ type }: Fields): Fault | undefined => {
    if (typeof type === 'string' && names.includes(type)) return undefined
    if (type === undefined) return { key: 'type', message: `has no type; there are ${names.join(', ')}` }
    const advice = didYouMean(type, names)
    return { key: 'type', message: `has no type ${show(type)}; ${advice}` }
  }
  const chosen = v.lazy((value) => kinds[(value as { readonly type: string }).type]!)
  return onlyObjects(chosen, faultOf, 'an object with a "type"')
}

/** A rule between the fields of an object, with the field that it is about. */
export const rule = (faultOf: (value: Fields) => Fault | undefined) =>
  v.rawCheck<Fields>(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const input = dataset.value as Record<string, unknown>
    const fault = faultOf(input)
    if (fault === undefined) return
    const { message, key } = fault
    if (key === undefined) return addIssue({ message })
    addIssue({ message, path: [{ type: 'object', origin: 'value', input, key, value: input[key] }] })
  })

/** Fields that may be absent. */
export const optional = <Name extends string>(fields: Readonly<Record<Name, Schema>>) =>
  mapValues(fields, (schema: Schema): Schema => v.optional(schema)) as Record<Name, Schema>

/** Fields that may be absent or null, as in the cluster. */
export const nullish = <Name extends string>(fields: Readonly<Record<Name, Schema>>) =>
  mapValues(fields, (schema: Schema): Schema => v.nullish(schema)) as Record<Name, Schema>

/** Fields that are known but not checked. */
export const unread = (...names: readonly string[]) => Object.fromEntries(names.map((field) => [field, anything]))
