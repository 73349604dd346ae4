import { operations } from '../../protocol/operations.js'
import type { Call, LogEntry } from '../../sidecar/index.js'

/** A request that can be sent again. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  /** Is sent as JSON, so that fields may be undefined; undefined itself for a request without a body. */
  readonly body: unknown
}

/** The request that an entry came of: a call of the game, or a command of the control interface. */
export function requestOf({ event }: LogEntry): SentRequest | undefined {
  if (event.type === 'control') return { method: 'POST', path: '/_/api/commands', body: event.command }
  if (event.type === 'refused') {
    // Whatever came as a target, the request goes to this sidecar and to no other host.
    return { method: event.method, path: event.path.replace(/^(?!\/)/, '/'), body: undefined }
  }
  if (event.type !== 'call') return undefined
  const { call } = event
  const [method, template] = operations[call.operation]
  const path = template.replace('{key}', 'key' in call ? encodeURIComponent(call.key) : '')
  return { method, path, body: bodyOf(call) }
}

export function bodyOf(call: Call): unknown {
  switch (call.operation) {
    case 'getGameServer':
    case 'getCounter':
    case 'getList':
      return undefined
    case 'reserve':
      return { seconds: call.seconds }
    case 'setLabel':
    case 'setAnnotation':
      return { key: call.key, value: call.value }
    case 'updateCounter': {
      const { count, capacity, countDiff } = call
      return { count, capacity, countDiff: /^0?$/.test(countDiff) ? undefined : countDiff }
    }
    case 'updateList': {
      const { mask, capacity, values } = call
      return {
        capacity: mask.includes('capacity') ? capacity : undefined,
        values: mask.includes('values') ? values : undefined,
      }
    }
    case 'addListValue':
    case 'removeListValue':
      return { value: call.value }
    default:
      return {}
  }
}
