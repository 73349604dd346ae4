import { labelValue, metadataKey } from '../protocol/names.js'
import { meant } from '../protocol/nearest.js'
import { type FieldKind, type Operation, type OperationName, operations } from '../protocol/operations.js'
import { SidecarError } from './errors.js'
import { tryTo } from './globals.js'

/** Turns any value into a short text for a message. */
export function show(value: unknown): string {
  return (typeof value === 'string' ? `"${value}"` : tryTo(() => String(value), typeof value)).slice(0, 40)
}

const wrong = (summary: string, operation?: string, hint?: string): SidecarError =>
  new SidecarError(operation ? 'INVALID_ARGUMENT' : 'CONFIG', summary, { operation, hint })

/**
 * @param operation the method whose argument this is; without one it is an option
 * @throws SidecarError `INVALID_ARGUMENT` for an argument, `CONFIG` for an option, unless the test passed
 */
export function check(passed: unknown, name: string, value: unknown, wanted: string, operation?: string): void {
  if (!passed) throw wrong(`${name} must be ${wanted}; got ${show(value)}`, operation)
}

/** Refuses an unknown name and asks for the nearest known one: a misspelt option must not be ignored. */
export function checkName(name: unknown, known: readonly string[], kind: string, operation?: string): void {
  if (known.includes(name as string)) return
  // Other packages say `port`, `url` or `host`.
  const best = meant(String(name).replace(/^(port|url|host)$/i, 'baseUrl'), known)
  throw wrong(`There is no ${kind} ${show(name)}`, operation, best && `Did you mean "${best}"?`)
}

/** Checks that options are an object, or absent, without names that don't exist. */
export function checkNames(given: unknown, known: readonly string[], kind: string, operation?: string): void {
  if (given === undefined) return
  check(given && typeof given === 'object', kind + 's', given, 'an object', operation)
  for (const name of Object.keys(given as object)) checkName(name, known, kind, operation)
}

const isText = (value: unknown): value is string => typeof value === 'string'
const CHARACTERS = ' letters, digits, "-_."'

/** The rule for each kind of field, and its words in a message. Covers only mistakes that the sidecar would accept. */
const kinds: Record<FieldKind, readonly [test: (value: unknown) => unknown, wanted: string]> = {
  // The sidecar accepts some other keys, and from then on fails to write any metadata.
  key: [(value) => isText(value) && metadataKey.test(value), 'a string of at most 59' + CHARACTERS],
  label: [(value) => isText(value) && labelValue.test(value), 'a string of at most 63' + CHARACTERS],
  text: [isText, 'a string'],
  texts: [(value) => Array.isArray(value) && value.every(isText), 'an array of strings'],
  int64: [formatInteger, 'a safe integer, a bigint or decimal text'],
}

/**
 * The body to send, built by the table of operations.
 *
 * @throws SidecarError `INVALID_ARGUMENT` where a field can't be right
 */
export function checkBody(operation: OperationName, given: object): Record<string, unknown> {
  const [, , shape = {}] = operations[operation] as Operation
  checkNames(given, Object.keys(shape), 'field', operation)
  const body: Record<string, unknown> = {}
  const isUpdate = /^update/.test(operation)
  for (const [field, kind] of Object.entries(shape)) {
    const [test, wanted] = kinds[kind]
    const value = (Object(given) as Record<string, unknown>)[field]
    if (value === undefined && isUpdate) continue
    check(test(value), field, value, wanted, operation)
    body[field] = Array.isArray(value) ? value : String(value)
  }
  check(!isUpdate || Object.keys(body).length, 'update', given, 'an object with a field to change', operation)
  return body
}

/**
 * The encoded form of a counter's or list's name.
 *
 * @throws SidecarError `INVALID_ARGUMENT` where no path can hold it
 */
export function checkKey(operation: OperationName, name: string): string {
  // `.` and `..` would be taken for steps in the path, and half a surrogate pair can't be encoded.
  const encoded = isText(name) && !/^\.{0,2}$|\//.test(name) ? tryTo(() => encodeURIComponent(name)) : undefined
  check(encoded, 'key', name, 'a name from the GameServer spec, without "/"', operation)
  return encoded!
}

/**
 * Returns an integer as decimal text. Returns undefined for anything else: a fraction, a number too large to be exact,
 * or text that isn't decimal. It never rounds; the sidecar checks that 64 bits hold the value.
 */
export function formatInteger(value: unknown): string | undefined {
  const isInteger =
    typeof value === 'number'
      ? Number.isSafeInteger(value)
      : typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value))
  return isInteger ? String(value) : undefined
}
