import { isObject } from '../../protocol/is-object.js'
import { didYouMean } from '../../protocol/nearest.js'
import { operations } from '../../protocol/operations.js'
import type { ControlCommand } from '../model/state/control-command.js'
import { allocationProblem } from '../allocation/manifest-problem.js'
import { show } from '../model/state/show.js'
import {
  boolean,
  check,
  fieldsProblem,
  integer,
  listOf,
  mustBe,
  name,
  natural,
  objectOf,
  oneOf,
  recordOf,
  text,
  time,
} from './check-field.js'
import type { Check, Fields } from './check-field.js'

/** Most bytes by which an object can be made larger. */
const maxPadding = 64 * 1024 * 1024
/** Longest message of a failure in characters: every snapshot and every event shows it. */
const longestMessage = 1000
/** The highest capacity that an allocation can give a list. */
const highestListCapacity = 1000

/** The clock can be put forward so far in one step: everything that is due by then is done before the answer. */
const longestStep = 24 * 60 * 60 * 1000

const operationNames = Object.keys(operations)

const operation: Check = (value, where) =>
  typeof value === 'string' && operationNames.includes(value)
    ? undefined
    : `${mustBe(where, 'an operation', value)}; ${didYouMean(typeof value === 'string' ? value : '', operationNames)}`

const message: Check = (value, where) => {
  const length = typeof value === 'string' ? value.length : 0
  return length > longestMessage
    ? `${where} has ${length} characters; at most ${longestMessage} are taken`
    : text(value, where)
}

const someTime: Check = (value, where) =>
  time(value, where) ?? (value === 0 ? mustBe(where, 'above 0', value) : undefined)
/** Shortest time between two cuts of the watches: each is an entry of the log. */
const shortestInterval = 100
const someInterval: Check = (value, where) =>
  time(value, where) ??
  (Number(value) < shortestInterval ? mustBe(where, `at least ${shortestInterval} ms`, value) : undefined)
const someDays: Check = (value, where) =>
  time(value, where) ??
  (Number(value) > longestStep ? mustBe(where, `at most ${longestStep} ms, a day`, value) : undefined)
const isNumberTo = (most: number) => (value: unknown) => typeof value === 'number' && value >= 0 && value <= most
const share = check('a number above 0 and at most 1', (value) => value !== 0 && isNumberTo(1)(value))
const speed = check('a number from 0 to 1000', isNumberTo(1000))
const targets = { operations: { check: listOf(operation) } }
const metadata: Fields = {
  key: { check: name, required: true },
  value: { check: check('text, or null to remove the key', isTextOrNull), required: true },
}
const counterAction = objectOf({
  action: { check: oneOf('Increment', 'Decrement') },
  amount: { check: natural },
  capacity: { check: natural },
})
const listAction = objectOf({
  addValues: { check: listOf(text) },
  deleteValues: { check: listOf(text) },
  capacity: {
    check: (value, where) => natural(value, where) ?? integer(0, highestListCapacity)(Number(value), where),
  },
})

/** Every command, with its fields. A field that isn't here doesn't exist. */
const commands: Readonly<Record<ControlCommand['type'], Fields>> = {
  allocate: {
    labels: { check: recordOf(text) },
    annotations: { check: recordOf(text) },
    counters: { check: recordOf(counterAction) },
    lists: { check: recordOf(listAction) },
    force: { check: boolean },
    manifest: { check: (value) => allocationProblem(value)?.message },
  },
  setState: { state: { check: name, required: true } },
  setLabel: metadata,
  setAnnotation: metadata,
  setCounter: { name: { check: name, required: true }, count: { check: natural }, capacity: { check: natural } },
  setList: {
    name: { check: name, required: true },
    values: { check: listOf(text) },
    capacity: { check: natural },
  },
  ignoreBeats: { on: { check: boolean, required: true }, count: { check: integer(1, Infinity) } },
  makeUnhealthy: {},
  dropWatchers: { ids: { check: listOf(integer(1, Infinity)) }, everyMs: { check: someInterval } },
  stallWatchers: { ms: { check: time } },
  releaseWatchers: {},
  delayCalls: {
    ...targets,
    ms: { check: time, required: true },
    jitterMs: { check: time },
    when: { check: oneOf('before', 'after') },
  },
  failCalls: {
    ...targets,
    status: { check: integer(400, 599) },
    message: { check: message },
    count: { check: integer(1, Infinity) },
    drop: { check: boolean },
    apply: { check: boolean },
    share: { check: share },
    retryAfter: { check: integer(0, 3600) },
  },
  loseWrites: { count: { check: integer(1, Infinity) } },
  apiServer: { away: { check: boolean, required: true }, ms: { check: someTime } },
  clearFaults: {},
  padObject: { bytes: { check: integer(0, maxPadding), required: true } },
  restart: { fresh: { check: boolean }, downMs: { check: time } },
  // Its own reader checks the GameServer.
  reload: { gameServer: { check: () => undefined, required: true } },
  delete: { graceMs: { check: time } },
  terminate: { graceMs: { check: time } },
  setClock: { speed: { check: speed, required: true } },
  advanceClock: { ms: { check: someDays, required: true } },
}

/** The reason why a value is no control command; undefined if it is one. */
export function commandProblem(command: unknown): string | undefined {
  if (!isObject(command)) return mustBe('a command', 'an object with a "type"', command)
  const { type, ...fields } = command
  if (typeof type !== 'string') return mustBe('type', 'the name of a control command', type)
  const names = Object.keys(commands)
  if (!names.includes(type)) return `there is no control command ${show(type)}; ${didYouMean(type, names)}`
  const problem = fieldsProblem(fields, commands[type as ControlCommand['type']], type)
  if (problem !== undefined || type !== 'allocate' || fields['manifest'] === undefined) return problem
  const other = Object.keys(fields).find((field) => field !== 'manifest' && fields[field] !== undefined)
  return other === undefined ? undefined : `${other} must be absent beside a manifest, which has fields of its own`
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}
