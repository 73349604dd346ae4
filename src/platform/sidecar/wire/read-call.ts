import { operations, type FieldKind, type Operation } from '../../../protocol/operations.js'
import { fail, type Answer } from '../state/answer.js'
import { quote } from '../state/show.js'
import type { Call } from '../state/sidecar-event.js'
import { countObjects, decodeBody, isBlank, MalformedBody, readMessage, type Message } from './read-message.js'
import type { RouteKey } from './routes.js'

/** A request as a call. If there is a refusal as well, the call takes effect and the answer is the refusal. */
export type ReadResult =
  | { readonly call: Call; readonly unread?: string | undefined; readonly refusal?: Answer }
  | { readonly refusal: Answer }

const absent: Readonly<Record<FieldKind, string | readonly string[]>> = {
  key: '',
  label: '',
  text: '',
  texts: [],
  int64: '0',
}

/** Reads a call from its operation, the name in the path, the query and the body. */
export function readCall(operation: Call['operation'], key: RouteKey, query: string, body: Uint8Array): ReadResult {
  try {
    const result = operation === 'health' ? readBeats(decodeBody(body)) : readFields(operation, key.text, query, body)
    // The real gateway reads the body first, and only then fails to pass on the name.
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

function readFields(operation: Call['operation'], key: string, query: string, body: Uint8Array): ReadResult {
  const [method, path, fields = {}]: Operation = operations[operation]
  const hasKey = path.includes('{key}')
  const call: Record<string, unknown> = hasKey ? { operation, key } : { operation }
  if (method === 'GET') return { call: call as unknown as Call }
  const text = decodeBody(body)
  // The name in the body is checked and then ignored.
  const message = readMessage(text, hasKey ? { name: 'text', ...fields } : fields)
  for (const [field, kind] of Object.entries(fields)) {
    // An absent count or capacity stays as it is.
    const isOptional = operation === 'updateCounter' && field !== 'countDiff'
    const value = message.fields.get(field) ?? (isOptional ? undefined : absent[kind])
    if (value !== undefined) call[field] = value
  }
  if (operation === 'updateList') call['mask'] = maskOf(query, isBlank(text) ? [] : maskOfMessage(message))
  return { call: call as unknown as Call, unread: message.unknown }
}

/** Health is a stream: every object of the body is a beat, up to the first text that isn't an object. */
function readBeats(text: string): ReadResult {
  const { count: beats, error } = countObjects(text)
  return { call: { operation: 'health', beats }, ...(error ? { refusal: malformedAnswer(error) } : {}) }
}

/** The update mask of a body: its keys, which must be fields of a list; without keys, one empty path. */
function maskOfMessage({ keys, unknown }: Message): readonly string[] {
  if (unknown !== undefined) throw new MalformedBody(`a list has no field ${quote(unknown)}`)
  return keys.length === 0 ? [''] : keys
}

/** The update mask of a request: from the query, or else from the body. */
function maskOf(query: string, ofBody: readonly string[]): readonly string[] {
  if (/;|%(?![\da-f]{2})/i.test(query)) throw new MalformedBody('the query holds a semicolon or a malformed escape')
  const parameters = new URLSearchParams(query)
  const [mask, ...more] = [...parameters.getAll('updateMask'), ...parameters.getAll('update_mask')]
  if (more.length > 0) throw new MalformedBody('the query gives more than one updateMask')
  return mask?.split(',') ?? ofBody
}
