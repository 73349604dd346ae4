import { parseObject } from '../../client/answers.js'
import { isObject } from '../../protocol/is-object.js'
import { at } from './manifest-file.js'
import type { Answer } from './probe.js'

/**
 * The parts of answers that checks look at. An older version, or another program, may leave anything out or send it as
 * something else: such a part is undefined here, so that no check has to think of it.
 */
export interface SeenGameServer {
  readonly name: string
  readonly uid: string | undefined
  readonly state: string
  readonly isBeingDeleted: boolean
  readonly health: { readonly isOff: boolean; readonly period: number; readonly threshold: number }
  readonly annotations: readonly (readonly [key: string, value: string])[]
}

/** What a local sidecar of this package tells of itself. */
export interface SeenState {
  readonly mode: string | undefined
  readonly now: number | undefined
  readonly startedAt: number | undefined
  /** How many watches are open over HTTP. */
  readonly streams: number | undefined
  /** The faults that are set, in words. */
  readonly faults: readonly string[] | undefined
  readonly health: SeenBeats | undefined
}

export interface SeenBeats {
  readonly isOff: boolean
  /** Seconds. */
  readonly period: number
  readonly lastBeat: number | undefined
}

/** A call of the event log. */
export interface SeenCall {
  readonly at: number
  readonly operation: string | undefined
}

/** The answer to `GET /gameserver`, if it is one. */
export function gameServerOf({ status, text: body }: Answer): SeenGameServer | undefined {
  const answer = parseObject(body)
  const { name, uid, deletion_timestamp: deletion, annotations } = at(answer, 'object_meta')
  const { state } = at(answer, 'status')
  if (status !== 200 || typeof name !== 'string' || typeof state !== 'string') return undefined
  const { disabled, period_seconds: period, failure_threshold: threshold } = at(answer, 'spec', 'health')
  return {
    name,
    uid: text(uid),
    state,
    isBeingDeleted: (text(deletion) ?? '0') !== '0',
    health: { isOff: disabled === true, period: number(period) ?? 5, threshold: number(threshold) ?? 3 },
    annotations: Object.entries(at(annotations)).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    ),
  }
}

/** The answer to `GET /_/api/state`, if it is that of a local sidecar of this package. */
export function stateOf({ status, text: body }: Answer): SeenState | undefined {
  const state = parseObject(body)
  if (status !== 200 || state === undefined || !isObject(state['gameServer'])) return undefined
  const { mode, now, startedAt, watchers } = state
  return {
    mode: text(mode),
    now: number(now),
    startedAt: number(startedAt),
    streams: Array.isArray(watchers) ? watchers.filter((one) => at(one)['transport'] === 'stream').length : undefined,
    faults: isObject(state['faults']) ? faultsOf(state['faults']) : undefined,
    health: beatsOf(at(state, 'health')),
  }
}

function faultsOf(faults: Readonly<Record<string, unknown>>): readonly string[] {
  const { delays, failures, watchersStalled, watchersDropped, ignoreBeats, apiServerAway, writesToLose, padding } =
    faults
  const isOn = (value: unknown): boolean => (value ?? false) !== false
  return [
    ...(Array.isArray(delays) && delays.length > 0 ? ['calls are delayed'] : []),
    ...(Array.isArray(failures) && failures.length > 0 ? ['calls fail'] : []),
    ...(isOn(watchersStalled) ? ['watches are stalled'] : []),
    ...(isOn(watchersDropped) ? ['watches are cut again and again'] : []),
    ...(ignoreBeats === true ? ['beats are ignored'] : []),
    ...(isOn(apiServerAway) ? ['the API server is away'] : []),
    ...((number(writesToLose) ?? 0) > 0 ? ['writes are lost'] : []),
    ...((number(padding) ?? 0) > 0 ? ['the object is padded'] : []),
  ]
}

function beatsOf({ disabled, periodSeconds, lastBeat }: Readonly<Record<string, unknown>>): SeenBeats | undefined {
  const period = number(periodSeconds)
  return period === undefined ? undefined : { isOff: disabled === true, period, lastBeat: number(lastBeat) }
}

/** The calls in an answer to `GET /_/api/log`, and whether the log still has its beginning. */
export function callsOf({ text: body }: Answer): { readonly calls: readonly SeenCall[]; readonly isWhole: boolean } {
  const { entries } = parseObject(body) ?? {}
  const list: readonly unknown[] = Array.isArray(entries) ? entries : []
  const calls = list
    .filter((entry) => at(entry, 'event')['type'] === 'call')
    .flatMap((entry) => {
      const time = number(at(entry)['at'])
      return time === undefined ? [] : [{ at: time, operation: text(at(entry, 'event', 'call')['operation']) }]
    })
  return { calls, isWhole: at(list[0])['seq'] === 1 }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const number = (value: unknown): number | undefined => (Number.isFinite(value) ? (value as number) : undefined)
