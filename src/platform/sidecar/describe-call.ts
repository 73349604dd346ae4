import type { Call } from './state/sidecar-event.js'

interface CallDescription {
  /** The text of a row after the name of the operation. */
  readonly details: string
  /** Undefined for a request without a body. */
  readonly body?: unknown
  /** The arguments of the client's method of that name. */
  readonly args: readonly unknown[]
}

/** A call in words, as the body of its request, and as arguments of the client's method. */
export function describeCall(call: Call): CallDescription {
  switch (call.operation) {
    case 'health':
      return { details: call.beats === 1 ? '' : `${call.beats} beats`, body: {}, args: [] }
    case 'reserve':
      return { details: `${call.seconds} s`, body: { seconds: call.seconds }, args: [Number(call.seconds)] }
    case 'setLabel':
    case 'setAnnotation': {
      const { key, value } = call
      return { details: `${key} = ${value}`, body: { key, value }, args: [key, value] }
    }
    case 'getCounter':
    case 'getList':
      return { details: call.key, args: [call.key] }
    case 'updateCounter': {
      const { key, count, capacity } = call
      const countDiff = /^0?$/.test(call.countDiff) ? undefined : call.countDiff
      const body = { count, capacity, countDiff }
      const details = words(key, countDiff?.replace(/^(?!-)/, '+'), named('count', count), named('capacity', capacity))
      return { details, body, args: [key, body] }
    }
    case 'updateList': {
      const { key, mask } = call
      const capacity = mask.includes('capacity') ? call.capacity : undefined
      const values = mask.includes('values') ? call.values : undefined
      const body = { capacity, values }
      return {
        details: words(key, named('capacity', capacity), named('values', values?.join(', '))),
        body,
        args: [key, body],
      }
    }
    case 'addListValue':
    case 'removeListValue': {
      const { key, value } = call
      const sign = call.operation === 'addListValue' ? '+' : '−'
      return { details: `${key} ${sign} ${value}`, body: { value }, args: [key, value] }
    }
    case 'getGameServer':
      return { details: '', args: [] }
    default:
      return { details: '', body: {}, args: [] }
  }
}

const words = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' ')

const named = (name: string, value: string | undefined): string | undefined =>
  value === undefined ? undefined : `${name} ${value}`
