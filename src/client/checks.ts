import { formatInteger } from '../protocol/int64.js'
import { annotationLimit, labelValue, maxReserveSeconds, metadataKey } from '../protocol/names.js'
import { operations, type FieldKind, type Operation, type OperationName } from '../protocol/operations.js'
import { check } from './errors.js'
import { tryTo } from './host.js'
import type { Scope } from './scope.js'

const isText = (value: unknown): value is string => typeof value === 'string'
const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    isText(value) && pattern.test(value)
const word = ' letters, digits and, between them, -_.'

/** Whether a value may go into a field of each kind, and what may. */
const kinds: Record<FieldKind, readonly [test: (value: unknown) => unknown, wanted: string]> = {
  // The sidecar accepts some other keys and then writes no metadata at all any more.
  key: [matches(metadataKey), '1 to 59' + word],
  label: [matches(labelValue), 'up to 63' + word],
  annotation: [
    // in UTF-8, of which each byte that isn't ASCII is escaped as three characters
    (value) => isText(value) && tryTo(() => encodeURIComponent(value).replace(/%../g, '.').length <= annotationLimit),
    'text, 256 KiB in all',
  ],
  text: [isText, 'text'],
  'texts?': [(value) => Array.isArray(value) && value.every(isText), 'an array of text'],
  'int64?': [formatInteger, 'a safe integer, bigint or decimal string'],
  seconds: [
    (value) => formatInteger(value) && +(value as string) >= 0 && +(value as string) <= maxReserveSeconds,
    '0 to ' + maxReserveSeconds,
  ],
}

/** The body to send, as the table of operations has it. Throws INVALID_ARGUMENT where a field can't be right. */
export function checkBody(scope: Scope, operation: OperationName, given: object): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  const [, , shape = {}] = operations[operation] as Operation
  const fields = Object.keys(shape)
  fields.forEach((field) => {
    const value = ((given || {}) as Record<string, unknown>)[field]
    const [test, wanted] = kinds[shape[field]!]
    if (value === undefined && /\?$/.test(shape[field]!)) return
    check(test(value), field, value, wanted, scope)
    body[field] = Array.isArray(value) ? value : String(value)
  })
  check(!fields[0] || Object.keys(body)[0], 'body', 'empty', fields.join(' or '), scope)
  return body
}

/** The encoded form of a counter's or list's name. */
export function checkName(scope: Scope, name: string): string {
  // `.` and `..` would be taken for steps in the path, and half a surrogate pair can't be encoded.
  const encoded = isText(name) && !/^\.{0,2}$|\//.test(name) && tryTo(() => encodeURIComponent(name))
  check(encoded, 'key', name, 'its name in the GameServer spec, without "/"', scope)
  return encoded as string
}
