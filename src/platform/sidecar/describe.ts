import type { Call, Change } from './state/events.js'
import { excerpt } from './state/show.js'

interface CallDescription {
  /** The text of a row after the name of the operation. */
  readonly details: string
  /** Undefined for a request without a body. */
  readonly body?: unknown
}

/** A call in words, and as the body of its request. */
export function describeCall(call: Call): CallDescription {
  switch (call.operation) {
    case 'health':
      return { details: call.beats === 1 ? '' : `${call.beats} beats`, body: {} }
    case 'reserve':
      return { details: `${call.seconds} s`, body: { seconds: call.seconds } }
    case 'setLabel':
    case 'setAnnotation': {
      const { key, value } = call
      return { details: `${key} = ${value}`, body: { key, value } }
    }
    case 'getCounter':
    case 'getList':
      return { details: call.key }
    case 'updateCounter': {
      const { key, count, capacity } = call
      const countDiff = /^0?$/.test(call.countDiff) ? undefined : call.countDiff
      const body = { count, capacity, countDiff }
      const details = words(key, countDiff?.replace(/^(?!-)/, '+'), named('count', count), named('capacity', capacity))
      return { details, body }
    }
    case 'updateList': {
      const { key, mask } = call
      const capacity = mask.includes('capacity') ? call.capacity : undefined
      const values = mask.includes('values') ? call.values : undefined
      const body = { capacity, values }
      return { details: words(key, named('capacity', capacity), named('values', values?.join(', '))), body }
    }
    case 'addListValue':
    case 'removeListValue': {
      const { key, value } = call
      const sign = call.operation === 'addListValue' ? '+' : '−'
      return { details: `${key} ${sign} ${value}`, body: { value } }
    }
    case 'getGameServer':
      return { details: '' }
    default:
      return { details: '', body: {} }
  }
}

/** The time of day of this machine, such as `12:04:05.006`. */
export function clockTime(at: number): string {
  const date = new Date(at)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

const words = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' ')

const named = (name: string, value: string | undefined): string | undefined =>
  value === undefined ? undefined : `${name} ${value}`

type Replacement = Extract<Change, { readonly type: 'replaced' }>

const ends: Readonly<Record<Exclude<Replacement['reason'], 'reload'>, string>> = {
  Shutdown: 'was shut down',
  Unhealthy: 'was Unhealthy',
  deleted: 'was deleted',
  restart: 'was given up',
}

/** Says in a sentence that a GameServer took the place of another. */
export function replacementSentence({ reason, previous, name }: Replacement): string {
  if (previous === name) return `GameServer ${name} starts over`
  if (reason === 'reload') return `GameServer ${previous} is called ${name} now`
  return `GameServer ${previous} ${ends[reason]}; a fresh one, ${name}, takes its place`
}

/** The most characters of a described change. */
const CHANGE_LENGTH = 120

/**
 * Describes a change in some words.
 *
 * @param cut shortens foreign text to so many characters
 */
export function describeChange(change: Change, cut: (text: string, length: number) => string = excerpt): string {
  switch (change.type) {
    case 'state':
      return cut(`${change.previous} → ${change.value}`, CHANGE_LENGTH)
    case 'label':
    case 'annotation': {
      const value = change.value === undefined ? ' removed' : `=${change.value}`
      return cut(`${change.type} ${change.key}${value}`, CHANGE_LENGTH)
    }
    case 'counter':
      return `counter ${cut(change.name, CHANGE_LENGTH)} ${change.count}/${change.capacity}`
    case 'list': {
      const values = [...change.added.map((value) => `+${value}`), ...change.removed.map((value) => `-${value}`)]
      return cut(['list', change.name, ...values, `(capacity ${change.capacity})`].join(' '), CHANGE_LENGTH)
    }
    case 'deletion':
      return 'is being deleted'
    case 'gone':
      return 'gone from the cluster'
    case 'replaced':
      return cut(`${replacementSentence(change)}. It is Scheduled until a game calls ready()`, 400)
  }
}

/** Whether a change is the time of an allocation, which accompanies each. */
export const isAllocationTime = (change: Change): boolean =>
  change.type === 'annotation' && change.key.endsWith('.dev/last-allocated')
