import { didYouMean } from '../../protocol/nearest.js'
import { operations } from '../../protocol/operations.js'
import type { CommandOf, ControlCommand, FieldOf } from '../sidecar/state/events.js'
import type { FailHow, MockOptions } from './types.js'

/** Each field's name, and whether the field must be given. */
type Fields<T> = { readonly [Name in FieldOf<T>]: [T] extends [{ readonly [Key in Name]: unknown }] ? true : false }

const metadata = { key: true, value: true } as const
const grace = { graceMs: false } as const

/** Names alone, since the schemas would make an application's bundle a fifth larger. Types keep the list complete. */
const commands: { readonly [Type in ControlCommand['type']]: Fields<CommandOf<Type>> } = {
  allocate: { labels: false, annotations: false, counters: false, lists: false, manifest: false },
  setState: { state: true },
  setLabel: metadata,
  setAnnotation: metadata,
  setCounter: { name: true, count: false, capacity: false },
  setList: { name: true, values: false, capacity: false },
  ignoreBeats: { on: true, count: false },
  makeUnhealthy: {},
  dropWatchers: { ids: false },
  stallWatchers: { ms: false },
  releaseWatchers: {},
  delayCalls: { ms: true, operations: false, when: false },
  failCalls: {
    ...{ operations: false, count: false, apply: false },
    ...{ status: false, message: false, drop: false, retryAfter: false },
  },
  loseWrites: { count: false },
  apiServer: { away: true, ms: false },
  clearFaults: {},
  padObject: { bytes: true },
  restart: { fresh: false, downMs: false },
  reload: { gameServer: true },
  delete: grace,
  terminate: grace,
  setClock: { speed: true },
  advanceClock: { ms: true },
}

const options: Fields<MockOptions> = {
  ...{ time: false, gameServer: false, mode: false, platform: false, replace: false },
  ...{ featureGates: false, conformance: false, unknownPaths: false },
}
const failHow: Fields<FailHow> = {
  ...{ status: false, message: false, delay: false, times: false, network: false, apply: false },
}

/** @throws TypeError with the nearest known name */
function checkName(name: string, known: object, sentence: string): void {
  const names = Object.keys(known)
  if (names.includes(name)) return
  throw new TypeError(`${sentence} "${name}"; ${names.length === 0 ? 'it has none at all' : didYouMean(name, names)}`)
}

/** A name without a value is as good as absent. */
function checkNames(given: object, known: object, sentence: string): void {
  for (const [name, value] of Object.entries(given)) if (value !== undefined) checkName(name, known, sentence)
}

/** A misspelt operation would never match: `fail()` would do nothing, and expecting no call would pass. @throws TypeError */
export const checkOperation = (name: string): void => checkName(name, operations, 'there is no operation')

/** @throws TypeError for an unknown option */
export const checkOptions = (given: MockOptions): void => checkNames(given, options, 'createMock() has no option')

/** @throws TypeError for an unknown field */
export const checkFailure = (given: FailHow): void => checkNames(given, failHow, 'mock.fail() has no option')

/** @throws TypeError for an unknown command, and for one with an unknown field or without a field that it needs */
export function checkCommand(command: ControlCommand): void {
  const { type, ...given } = command
  checkName(type, commands, 'mock.control(): there is no command')
  const known: Readonly<Record<string, boolean>> = commands[type]
  checkNames(given, known, `mock.control(): ${type} has no field`)
  const missing = Object.keys(known).find(
    (name) => known[name] && (given as Record<string, unknown>)[name] === undefined,
  )
  if (missing !== undefined) throw new TypeError(`mock.control(): ${type} needs the field "${missing}"`)
}
