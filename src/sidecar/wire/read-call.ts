import { fail } from '../model/state/answer.js'
import type { Answer } from '../model/state/answer.js'
import { quote } from '../model/state/show.js'
import type { Call } from '../model/state/sidecar-event.js'
import { countJsonObjects } from './json-object.js'
import { MalformedBody } from './json-scanner.js'
import { decodeBody, isBlank, readMessage } from './read-message.js'
import type { Message, MessageShape } from './read-message.js'
import type { CallName, RouteKey } from './routes.js'

/** The message of each operation that has one; an operation without a shape ignores every field. */
const shapes: Readonly<Partial<Record<CallName, MessageShape>>> = {
  reserve: { seconds: 'int64' },
  setLabel: { key: 'string', value: 'string' },
  setAnnotation: { key: 'string', value: 'string' },
  updateCounter: { name: 'string', count: 'int64', capacity: 'int64', countDiff: 'int64' },
  updateList: { name: 'string', capacity: 'int64', values: 'strings' },
  addListValue: { name: 'string', value: 'string' },
  removeListValue: { name: 'string', value: 'string' },
}

/** A request as a call. A refusal beside a call is answered although the call took effect. */
export type ReadResult = { readonly call: Call; readonly refusal?: Answer } | { readonly refusal: Answer }

/** Reads a call from its operation, the name in the path, the query and the body. */
export function readCall(operation: CallName, key: RouteKey, query: string, body: Uint8Array): ReadResult {
  try {
    const result =
      operation === 'health' ? readBeats(decodeBody(body)) : { call: toCall(operation, key.text, query, body) }
    // The real gateway reads the body first; only then does the name fail to be passed on.
    return key.isUtf8
      ? result
      : { refusal: fail(13, 'grpc: error while marshaling: string field contains invalid UTF-8') }
  } catch (error) {
    return { refusal: malformedAnswer(error) }
  }
}

/** The answer to a malformed body; any other error is thrown on. */
export function malformedAnswer(error: unknown): Answer {
  if (error instanceof MalformedBody) return fail(3, `invalid request: ${error.message}`)
  throw error
}

function toCall(operation: Exclude<CallName, 'health'>, key: string, query: string, body: Uint8Array): Call {
  switch (operation) {
    case 'getGameServer':
      return { operation }
    case 'getCounter':
    case 'getList':
      return { operation, key }
    default:
  }
  const text = decodeBody(body)
  const message = readMessage(text, shapes[operation] ?? {})
  const textOf = (name: string): string => message.texts.get(name) ?? ''
  const integerOf = (name: string): string => message.texts.get(name) ?? '0'
  switch (operation) {
    case 'ready':
    case 'allocate':
    case 'shutdown':
      return { operation }
    case 'reserve':
      return { operation, seconds: integerOf('seconds') }
    case 'setLabel':
    case 'setAnnotation':
      return { operation, key: textOf('key'), value: textOf('value') }
    case 'addListValue':
    case 'removeListValue':
      return { operation, key, value: textOf('value') }
    case 'updateCounter': {
      const count = message.texts.get('count')
      const capacity = message.texts.get('capacity')
      return {
        operation,
        key,
        ...(count === undefined ? {} : { count }),
        ...(capacity === undefined ? {} : { capacity }),
        countDiff: integerOf('countDiff'),
      }
    }
    case 'updateList': {
      const mask = maskOf(query, isBlank(text) ? [] : maskOfMessage(message))
      return { operation, key, capacity: integerOf('capacity'), values: message.lists.get('values') ?? [], mask }
    }
  }
}

/** Health is a stream: every object of the body is a beat, up to the first text that isn't one. */
function readBeats(text: string): ReadResult {
  const { count: beats, error } = countJsonObjects(text)
  return { call: { operation: 'health', beats }, ...(error ? { refusal: malformedAnswer(error) } : {}) }
}

/** The update mask of a body: its keys, each of which must be a field of a list, or one empty path without keys. */
function maskOfMessage({ keys, unknown }: Message): readonly string[] {
  if (unknown !== undefined) throw new MalformedBody(`a list has no field ${quote(unknown)}`)
  return keys.length === 0 ? [''] : keys
}

/** The update mask of a request: that of the query if there is one, else that of the body. */
function maskOf(query: string, ofBody: readonly string[]): readonly string[] {
  if (/;|%(?![\da-f]{2})/i.test(query)) throw new MalformedBody('the query holds a semicolon or a malformed escape')
  const parameters = new URLSearchParams(query)
  const [mask, ...more] = [...parameters.getAll('updateMask'), ...parameters.getAll('update_mask')]
  if (more.length > 0) throw new MalformedBody('the query gives more than one updateMask')
  return mask?.split(',') ?? ofBody
}
