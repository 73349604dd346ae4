import { formatInteger } from '../../protocol/int64.js'
import { annotationLimit, labelValue, maxReserveSeconds, metadataKey } from '../../protocol/names.js'
import { operations, type FieldKind, type Operation, type OperationName } from '../../protocol/operations.js'
import { tryTo } from '../runtime/host.js'
import { check, checkNames } from '../runtime/validate.js'

const CHARACTERS = 'letters, digits, "-", "_" or ".", beginning and ending with a letter or digit'

const isText = (value: unknown): value is string => typeof value === 'string'

/** Whether a value may go into a field of each kind, and how a message says what may. */
const kinds: Record<FieldKind, readonly [test: (value: unknown) => boolean, wanted: string]> = {
  // The sidecar accepts some other keys and then writes no metadata at all any more.
  key: [(value) => isText(value) && metadataKey.test(value), `1 to 59 ${CHARACTERS}`],
  label: [(value) => isText(value) && labelValue.test(value), `at most 63 ${CHARACTERS}`],
  annotation: [(value) => isText(value) && utf8Length(value) <= annotationLimit, 'text of at most 256 KiB'],
  text: [isText, 'text'],
  'texts?': [(value) => Array.isArray(value) && value.every(isText), 'an array of text'],
  'int64?': [(value) => formatInteger(value) !== undefined, 'a safe integer, a bigint or decimal text'],
  seconds: [isSeconds, `0 to ${maxReserveSeconds}`],
}

function isSeconds(value: unknown): boolean {
  // Not a number, where the value is no integer.
  const seconds = Number(formatInteger(value))
  return seconds >= 0 && seconds <= maxReserveSeconds
}

/** Counts bytes in UTF-8, as `%xx` or ASCII in the URI form; too many where text holds half a surrogate pair. */
function utf8Length(text: string): number {
  return tryTo(() => encodeURIComponent(text).replace(/%../g, '.').length, Infinity)
}

/**
 * The body to send, as the table of operations has it.
 * @throws SidecarError `INVALID_ARGUMENT` where a field can't be right
 */
export function checkBody(operation: OperationName, given: object): Record<string, unknown> {
  check(given && typeof given === 'object', 'update', given, 'an object', operation)
  const [, , shape = {}] = operations[operation] as Operation
  const fields = Object.keys(shape)
  checkNames(given, fields, 'field', operation)
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const kind = shape[field]!
    const value = (given as Record<string, unknown>)[field]
    if (value === undefined && kind.endsWith('?')) continue
    const [test, wanted] = kinds[kind]
    check(test(value), field, value, wanted, operation)
    body[field] = Array.isArray(value) ? value : String(value)
  }
  check(!fields.length || Object.keys(body).length, 'update', '{}', `an object with ${fields.join(' or ')}`, operation)
  return body
}

/**
 * The encoded form of a counter's or list's name.
 * @throws SidecarError `INVALID_ARGUMENT` where no path can hold it
 */
export function checkName(operation: OperationName, name: string): string {
  // `.` and `..` would be taken for steps in the path, and half a surrogate pair can't be encoded.
  const encoded = isText(name) && !/^\.{0,2}$|\//.test(name) ? tryTo(() => encodeURIComponent(name)) : undefined
  check(encoded, 'key', name, 'a name from the GameServer spec, without "/"', operation)
  return encoded!
}
