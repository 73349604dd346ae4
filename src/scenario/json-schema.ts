import { isObject } from '../protocol/is-object.js'
import { didYouMean, meant } from '../protocol/nearest.js'

/** The part of JSON Schema in which the schema of scenarios is written. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  /** Alternatives of different types, or fields of which at least one must be there. */
  readonly anyOf?: readonly Schema[]
  /** Objects that their `type` tells apart, or fields of which exactly one must be there. */
  readonly oneOf?: readonly Schema[]
  readonly definitions?: Readonly<Record<string, Schema>>
}

/** Where a value stands: names of fields and places in lists. */
export type Path = readonly (string | number)[]

export interface Mistake {
  readonly path: Path
  readonly message: string
}

type Fields = Readonly<Record<string, unknown>>

/** Finds the first mistake of a value by a schema; undefined if there is none. */
export function findMistake(root: Schema, value: unknown): Mistake | undefined {
  return check(root, value, [])

  function check(given: Schema, value: unknown, path: Path): Mistake | undefined {
    const schema = resolve(given)
    const branches = alternativesOf(schema)
    if (branches[0]?.type !== undefined) return checkAlternatives(branches, value, path)
    const problem = valueProblem(schema, value, path)
    if (problem !== undefined) return { path, message: problem }
    if (Array.isArray(value)) return first(value, (item, i) => check(schema.items ?? {}, item, [...path, i]))
    if (!isObject(value)) return undefined
    const kinds = (schema.oneOf ?? []).map(resolve)
    return kinds[0]?.properties === undefined ? checkFields(schema, value, path) : checkKinds(kinds, value, path)
  }

  function resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : resolve(root.definitions![schema.$ref.split('/').at(-1)!]!)
  }

  /** The alternatives of a schema, and those of each of them. */
  function alternativesOf(schema: Schema): readonly Schema[] {
    return (schema.anyOf ?? []).map(resolve).flatMap((one) => (one.type === undefined ? alternativesOf(one) : [one]))
  }

  function checkAlternatives(branches: readonly Schema[], value: unknown, path: Path): Mistake | undefined {
    const branch = branches.find(({ type }) => hasType(value, type))
    if (branch !== undefined) return check(branch, value, path)
    const expected = branches.map((one) => expectedOf(one)).join(', or ')
    return { path, message: mustBe(path, expected, value) }
  }

  function checkKinds(kinds: readonly Schema[], value: Fields, path: Path): Mistake | undefined {
    const names = kinds.map(({ properties }) => String(properties?.['type']?.const))
    const name = value['type']
    const kind = typeof name === 'string' ? kinds[names.indexOf(name)] : undefined
    if (kind !== undefined) return check(kind, value, path)
    const message =
      name === undefined
        ? `${nameOf(path)} has no type; there are ${names.join(', ')}`
        : `there is no type ${show(name)}; ${didYouMean(typeof name === 'string' ? name : '', names)}`
    return { path: name === undefined ? path : [...path, 'type'], message }
  }

  function checkFields(schema: Schema, value: Fields, path: Path): Mistake | undefined {
    const { properties = {}, required = [], additionalProperties } = schema
    const names = Object.keys(properties)
    for (const [field, item] of Object.entries(value)) {
      const at = [...path, field]
      if (!Object.hasOwn(properties, field)) {
        if (additionalProperties === false) {
          return { path: at, message: `${nameOf(path)} has no field ${show(field)}; ${didYouMean(field, names)}` }
        }
        if (typeof additionalProperties !== 'object') continue
      }
      const rule = Object.hasOwn(properties, field) ? properties[field]! : (additionalProperties as Schema)
      const mistake = check(rule, item, at)
      if (mistake !== undefined) return mistake
    }
    const absent = required.find((field) => !Object.hasOwn(value, field))
    if (absent !== undefined) return { path, message: `${nameOf(path)} needs the field ${show(absent)}` }
    return choiceProblem(schema, value, path)
  }
}

/** The mistake of an object that has none of several fields, or more than one where only one may be. */
function choiceProblem({ anyOf, oneOf }: Schema, value: Fields, path: Path): Mistake | undefined {
  const fieldsOf = (choice: readonly Schema[] = []): string[] => choice.map(({ required }) => required![0]!)
  const choices = fieldsOf(oneOf ?? anyOf)
  const given = choices.filter((field) => Object.hasOwn(value, field))
  if (choices.length === 0 || given.length === 1 || (given.length > 1 && oneOf === undefined)) return undefined
  const few = oneOf === undefined ? 'at least one' : 'one'
  const found = given.length === 0 ? 'none' : given.join(' and ')
  return { path, message: `${nameOf(path)} needs ${few} of ${choices.join(', ')}; got ${found}` }
}

/** The message about a value by itself, whatever is in it. */
function valueProblem(schema: Schema, value: unknown, path: Path): string | undefined {
  const size = typeof value === 'string' ? value.length : 0
  const number = typeof value === 'number' ? value : undefined
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity, pattern } = schema
  const isFine =
    hasType(value, schema.type) &&
    (schema.const === undefined || schema.const === value) &&
    (schema.enum === undefined || schema.enum.includes(value as string)) &&
    size >= (schema.minLength ?? 0) &&
    size <= (schema.maxLength ?? Infinity) &&
    (pattern === undefined || new RegExp(pattern).test(value as string)) &&
    (number === undefined || (number >= minimum && number > exclusiveMinimum && number <= maximum)) &&
    (!Array.isArray(value) || value.length >= (schema.minItems ?? 0))
  if (isFine) return undefined
  const best = typeof value === 'string' && schema.enum !== undefined ? meant(value, schema.enum) : undefined
  return best === undefined
    ? mustBe(path, expectedOf(schema), value)
    : `${nameOf(path)} can't be ${show(value)}; did you mean "${best}"?`
}

function mustBe(path: Path, expected: string, value: unknown): string {
  return `${nameOf(path)} must be ${expected}; got ${show(value)}`
}

/** The words for the values that a schema lets through. */
function expectedOf(schema: Schema): string {
  const { description, minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems } = schema
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  if (description !== undefined) return description
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  const [words] = types.map((type) => {
    if (type === 'string')
      return maxLength ? `text of at most ${maxLength} characters` : minLength ? 'non-empty text' : 'text'
    if (type === 'array') return minItems === undefined ? 'a list' : 'a list with at least one item'
    if (type === 'object') return 'an object'
    if (type === 'boolean') return 'true or false'
    const kind = type === 'integer' ? 'an integer' : 'a number'
    const least = exclusiveMinimum === undefined ? `of at least ${minimum}` : `above ${exclusiveMinimum}`
    if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`
    return minimum === undefined && exclusiveMinimum === undefined
      ? kind
      : `${kind} ${least}${maximum === undefined ? '' : ` and at most ${maximum}`}`
  })
  return words ?? 'something else'
}

/** What a message calls the value at a path; the line beside it tells the step. */
export function nameOf(path: Path): string {
  const [first, step, ...rest] = path
  if (first === undefined) return 'the scenario'
  if (first !== 'steps' || step === undefined) return joined(path)
  return rest.length === 0 ? `step ${Number(step) + 1}` : joined(rest)
}

const joined = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')

function hasType(value: unknown, types: Schema['type']): boolean {
  if (types === undefined) return true
  const isOf = (type: string): boolean => {
    if (type === 'integer') return Number.isInteger(value)
    if (type === 'array') return Array.isArray(value)
    if (type === 'null') return value === null
    if (type === 'object') return isObject(value)
    return typeof value === type
  }
  return (typeof types === 'string' ? [types] : types).some(isOf)
}

/** A value as a message shows it: cut to what a line has room for. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

function first<T>(items: readonly T[], check: (item: T, index: number) => Mistake | undefined): Mistake | undefined {
  for (const [index, item] of items.entries()) {
    const mistake = check(item, index)
    if (mistake !== undefined) return mistake
  }
  return undefined
}
