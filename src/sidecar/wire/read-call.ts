import type { OperationName } from '../../protocol/operations.js'
import type { Call } from '../model/state/sidecar-event.js'
import { MessageError, readMessage } from './read-message.js'
import type { Message, MessageShape } from './read-message.js'
import { scanValue } from './json-object.js'
import { quote } from './quote.js'
import { maskFromQuery } from './query.js'
import { fail } from '../model/state/step.js'
import type { Answer } from '../model/state/step.js'

/** The message of each operation that has one; all else in a body is ignored. */
const shapes: Readonly<Partial<Record<OperationName, MessageShape>>> = {
  reserve: { seconds: 'int64' },
  setLabel: { key: 'string', value: 'string' },
  setAnnotation: { key: 'string', value: 'string' },
  updateCounter: { name: 'string', count: 'wrapped', capacity: 'wrapped', countDiff: 'int64' },
  updateList: { name: 'string', capacity: 'int64', values: 'strings' },
  addListValue: { name: 'string', value: 'string' },
  removeListValue: { name: 'string', value: 'string' },
}

const emptyMessage: Message = { texts: new Map(), lists: new Map(), keys: [], overflow: undefined }

/** What a request asks for, or the answer it gets without having been a call. */
export type ReadResult = { readonly call: Call; readonly refusal?: Answer } | { readonly refusal: Answer }

/** Reads a call from its operation, the name in the path and the body. */
export function readCall(operation: OperationName, rawKey: Uint8Array, query: string, body: Uint8Array): ReadResult {
  const key = decodeKey(rawKey)
  try {
    const call = toCall(operation, key ?? '', query, body)
    // The gateway reads the body first; only then does the name fail to be passed on.
    if (key === undefined) {
      return { refusal: fail(13, 'grpc: error while marshaling: string field contains invalid UTF-8') }
    }
    return call
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    return { refusal: fail(3, error.message) }
  }
}

function toCall(operation: OperationName, key: string, query: string, body: Uint8Array): ReadResult {
  switch (operation) {
    case 'getGameServer':
      return { call: { operation } }
    case 'watchGameServer':
      throw new TypeError('a watch is no call')
    case 'getCounter':
    case 'getList':
      return { call: { operation, key } }
    case 'health':
      return readBeats(body)
  }
  const { message, present } = readBody(body, shapes[operation] ?? {})
  const text = (name: string): string => message.texts.get(name) ?? ''
  switch (operation) {
    case 'ready':
    case 'allocate':
    case 'shutdown':
      return { call: { operation } }
    case 'reserve':
      return { call: { operation, seconds: message.texts.get('seconds') ?? '0' } }
    case 'setLabel':
    case 'setAnnotation':
      return { call: { operation, key: text('key'), value: text('value') } }
    case 'addListValue':
    case 'removeListValue':
      return { call: { operation, key, value: text('value') } }
    case 'updateCounter': {
      const count = message.texts.get('count')
      const capacity = message.texts.get('capacity')
      const set = {
        ...(count === undefined ? {} : { count }),
        ...(capacity === undefined ? {} : { capacity }),
      }
      return { call: { operation, key, ...set, countDiff: message.texts.get('countDiff') ?? '0' } }
    }
    case 'updateList': {
      const mask = maskFromQuery(query, present ? maskFromBody(message) : [])
      if (typeof mask === 'string') throw new MessageError(mask)
      const capacity = message.texts.get('capacity') ?? '0'
      return { call: { operation, key, capacity, values: message.lists.get('values') ?? [], mask } }
    }
  }
}

/** The first value of a body; a body of nothing but white space is an empty message. */
export function readBody(
  body: Uint8Array,
  shape: MessageShape,
): { readonly message: Message; readonly present: boolean } {
  const scan = scanValue(body)
  if (scan.type === 'error') throw new MessageError(scan.message)
  if (scan.type === 'end') return { message: emptyMessage, present: false }
  return { message: readMessage(body.subarray(scan.start, scan.end), shape), present: true }
}

/** Health is a stream: every value of the body is a beat, up to the first that isn't one. */
function readBeats(body: Uint8Array): ReadResult {
  let beats = 0
  let at = 0
  try {
    for (;;) {
      const scan = scanValue(body, at)
      if (scan.type === 'end') return { call: { operation: 'health', beats } }
      if (scan.type === 'error') throw new MessageError(scan.message)
      readMessage(body.subarray(scan.start, scan.end), {})
      beats++
      at = scan.end
    }
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    return { call: { operation: 'health', beats }, refusal: fail(3, error.message) }
  }
}

/**
 * Every key of the body is a path of the mask, and must be a field; a body without keys gives one empty
 * path.
 */
function maskFromBody(message: Message): string[] {
  if (message.overflow !== undefined) {
    throw new MessageError(`json: cannot unmarshal number ${message.overflow} into Go value of type float64`)
  }
  const unknown = message.keys.find((key) => key !== 'name' && key !== 'capacity' && key !== 'values')
  if (unknown !== undefined) {
    throw new MessageError(`could not find field ${quote(unknown)} in "agones.dev.sdk.beta.List"`)
  }
  return message.keys.length === 0 ? [''] : [...message.keys].sort()
}

function decodeKey(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
