import * as v from 'valibot'
import { isObject } from '../../protocol/is-object.js'
import { longestTimer } from '../../protocol/names.js'
import { operations } from '../../protocol/operations.js'
import type { CommandOf, ControlCommand, FieldOf } from '../sidecar/state/events.js'
import { toNatural } from '../sidecar/state/int64.js'
import { allocation, changes } from './allocation.js'
import {
  boolean,
  findMistake,
  integer,
  leaf,
  list,
  mustBe,
  name,
  number,
  object,
  optional,
  rule,
  text,
  variants,
  word,
} from './check.js'
import type { Schema } from './check.js'
import { gameServer } from './game-server.js'

/** The most bytes of padding. */
const maxPadding = 64 * 1024 * 1024
/** The most characters of a failure's message, which every snapshot and event repeats. */
const longestMessage = 1000
/** The longest step of the clock in ms: everything that is due by then happens before the answer. */
const longestStep = 24 * 60 * 60 * 1000

const natural = leaf('an integer of at least 0', (value) => toNatural(value) !== undefined)
const operation = word(Object.keys(operations))
const texts = list(text)
const milliseconds = number(0, longestTimer)
const count = integer(1)

const metadata = {
  key: name,
  value: leaf('text, or null to remove the key', (value) => value === null || typeof value === 'string'),
}

/** The fields of every command. */
const fields: { readonly [Type in ControlCommand['type']]: Readonly<Record<FieldOf<CommandOf<Type>>, Schema>> } = {
  allocate: { ...changes, ...optional({ manifest: allocation }) },
  setState: { state: name },
  setLabel: metadata,
  setAnnotation: metadata,
  setCounter: { name, ...optional({ count: natural, capacity: natural }) },
  setList: { name, ...optional({ values: texts, capacity: natural }) },
  ignoreBeats: { on: boolean, ...optional({ count }) },
  makeUnhealthy: {},
  dropWatchers: optional({ ids: list(count) }),
  stallWatchers: optional({ ms: milliseconds }),
  releaseWatchers: {},
  delayCalls: { ms: milliseconds, ...optional({ operations: list(operation), when: word(['before', 'after']) }) },
  failCalls: optional({
    operations: list(operation),
    status: integer(400, 599),
    message: v.pipe(text, v.maxLength(longestMessage, mustBe(`text of at most ${longestMessage} characters`))),
    count,
    drop: boolean,
    apply: boolean,
    retryAfter: integer(0, 3600),
  }),
  loseWrites: optional({ count }),
  apiServer: { away: boolean, ...optional({ ms: milliseconds }) },
  clearFaults: {},
  padObject: { bytes: integer(0, maxPadding) },
  restart: optional({ fresh: boolean, downMs: milliseconds }),
  reload: { gameServer },
  delete: optional({ graceMs: milliseconds }),
  terminate: optional({ graceMs: milliseconds }),
  setClock: { speed: number(0, 1000) },
  advanceClock: { ms: number(0, longestStep) },
}

/** Refuses a field beside which others make no sense. */
const excludes = (field: string, others: readonly string[], why: string) =>
  rule((command) => {
    const other = command[field] ? others.find((key) => command[key] !== undefined) : undefined
    return other === undefined ? undefined : { key: other, message: `must be absent beside ${why}` }
  })
const rules: Readonly<Record<string, ReturnType<typeof excludes>>> = {
  allocate: excludes('manifest', Object.keys(changes), 'a manifest, which has fields of its own'),
  failCalls: excludes('drop', ['status', 'message', 'retryAfter'], 'drop, which leaves no answer'),
}

/** Every command, by its type. */
const commands = Object.fromEntries(
  Object.entries(fields).map(([type, own]) => {
    const schema = object({ type: v.literal(type), ...own }, Object.keys(own))
    return [type, rules[type] ? v.pipe(schema, rules[type]) : schema]
  }),
)

const command = variants(commands)

/** The reason why a value is no control command; undefined if it is one. */
export function commandProblem(value: unknown): string | undefined {
  const type = isObject(value) && typeof value['type'] === 'string' ? value['type'] : ''
  return findMistake(command, value, Object.hasOwn(commands, type) ? type : 'the command')?.message
}
