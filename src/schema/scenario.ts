import * as v from 'valibot'
import { isObject } from '../protocol/is-object.js'
import { operations } from '../protocol/operations.js'
import { faultPresets } from '../sidecar/control/fault-presets.js'
import { toInt64 } from '../sidecar/model/state/int64.js'
import { allocation } from './allocation.js'
import { either, integer, leaf, list, mustBe, name, object, oneOf, optional, pattern, record, rule } from './check.js'
import { boolean, text, word } from './check.js'
import { changes, command, milliseconds, natural, texts } from './control-command.js'
import { gameServer } from './game-server.js'

const duration = pattern('a duration such as 500ms, 20s or 2m', /^\d{1,9}(\.\d{1,3})?(ms|s|m|h)$/)
const call = word(Object.keys(operations).filter((operation) => operation !== 'watchGameServer'))
const int64 = leaf('an integer', (value) => toInt64(value) !== undefined, {
  anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?\\d+$' }],
})
const metadata = record(
  leaf(
    'text (put it in quotes), or null where the key must not be there',
    (value) => value === null || typeof value === 'string',
    { type: ['string', 'null'] },
  ),
)
const amount = integer(0)
const states = ['PortAllocation', 'Creating', 'Starting', 'Scheduled', 'RequestReady', 'Ready', 'Reserved', 'Allocated']
const warnings = [
  'update-list-refused',
  'poison-label',
  'poison-annotation',
  'annotations-too-large',
  'object-too-large',
]

/** The conditions of an expectation. */
const conditions = {
  state: word([...states, 'Shutdown', 'Error', 'Unhealthy']),
  call,
  noCall: call,
  label: metadata,
  annotation: metadata,
  counter: record(either(natural, object(optional({ count: natural, capacity: natural })))),
  list: record(either(texts, object(optional({ contains: texts, lacks: texts, size: amount, capacity: natural })))),
  watchers: amount,
  warning: word([...warnings, 'reserve-overflow', 'call-after-end', 'beat-without-body', 'health-failure']),
  exit: integer(0, 255),
}

const expectation = v.pipe(
  oneOf(
    object(
      optional({
        within: duration,
        ...conditions,
        with: object(
          optional({
            ...{ key: name, value: text, seconds: natural, count: int64, capacity: int64, countDiff: int64 },
            ...{ values: texts, beats: amount },
          }),
        ),
        status: integer(100, 599),
      }),
    ),
    Object.keys(conditions),
    false,
  ),
  rule(({ call, noCall, with: fields, status }) => {
    if (call !== undefined && noCall !== undefined) {
      return { key: 'noCall', message: 'and call exclude each other; make two steps of them' }
    }
    if (call !== undefined || noCall !== undefined || (fields ?? status) === undefined) return undefined
    return { message: 'has with or status, which are about a call; name it as call or noCall' }
  }),
)

/** Whether an allocation is a GameServerAllocation and not the short form. */
export const isManifest = (value: unknown): boolean =>
  isObject(value) && ['spec', 'kind', 'apiVersion', 'metadata'].some((field) => value[field] !== undefined)

const allocate = either(object(optional(changes)), allocation, isManifest)

const actions = {
  expect: expectation,
  control: command,
  allocate,
  fault: either(word(faultPresets.map(({ name }) => name)), command),
  advance: duration,
  wait: duration,
  terminate: either(duration, object(optional({ graceMs: milliseconds }))),
}

const step = v.pipe(
  oneOf(
    object(
      optional({
        name,
        at: pattern(
          "a time such as 30s after the scenario's start, or +30s after the step before",
          /^\+?\d{1,9}(\.\d{1,3})?(ms|s|m|h)$/,
        ),
        refused: boolean,
        ...actions,
      }),
    ),
    Object.keys(actions),
    true,
  ),
  rule(({ refused, control, allocate }) =>
    refused === true && control === undefined && allocate === undefined
      ? { key: 'refused', message: 'is only for control and allocate' }
      : undefined,
  ),
)

const path = v.pipe(
  v.string(mustBe('the path of a GameServer or Fleet, or a GameServer')),
  v.minLength(1, mustBe('the path of a GameServer or Fleet, or a GameServer')),
)

export const scenario = object({
  ...optional({
    name,
    gameServer: either(path, gameServer),
    time: pattern('real, virtual, or a speed from x1 to x1000', /^(real|virtual|x([1-9]\d{0,2}|1000))$/),
  }),
  steps: v.pipe(
    list(step) as v.GenericSchema<unknown[], unknown[]>,
    v.minLength(1, mustBe('a list with at least one item')),
  ),
})
