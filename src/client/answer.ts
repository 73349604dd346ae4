import { fail, type SidecarError, type SidecarErrorCode } from './errors.js'

/** How each kind of refusal is worded, in the sidecar's production mode and in its local mode. */
const wordings: [RegExp, SidecarErrorCode][] = [
  [/^already/, 'ALREADY_EXISTS'],
  [/^out of range/, 'OUT_OF_RANGE'],
  [/not enabled$/, 'FEATURE_DISABLED'],
  [/^no players for/, 'UNIMPLEMENTED'],
  [/^(counter |list )?not found/, 'NOT_FOUND'],
  [/^invalid/, 'INVALID_ARGUMENT'],
]

function codeOf(status: number, code: unknown, message: string | undefined): SidecarErrorCode {
  if (status === 403) return 'CROSS_ORIGIN'
  if (status === 429 || status === 413) return code === 8 ? 'LIMIT' : 'UNAVAILABLE'
  if (status > 501) return 'UNAVAILABLE'
  if (status < 400 || message === undefined) return status === 500 ? 'UNKNOWN' : 'PROTOCOL'
  if (status === 404 || status === 501) return 'UNIMPLEMENTED'
  const wording = wordings.find(([pattern]) => pattern.test(message))
  return status === 400 ? 'INVALID_ARGUMENT' : wording ? wording[1] : 'UNKNOWN'
}

/** The error that an answer other than a good one stands for. */
export function errorOfAnswer(operation: string, status: number, text: string): SidecarError {
  const { message, code } = parseObject(text) || {}
  const said = typeof message === 'string' ? message : undefined
  const excerpt = (said === undefined ? text : said).slice(0, 1024)
  return fail(codeOf(status, code, said), 'HTTP ' + status + (excerpt && ': ' + excerpt), operation, undefined, undefined, status)
}

/** The JSON object that a text holds, or undefined: nothing that comes from outside may throw here. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    // trim also takes a byte order mark away
    const value: unknown = JSON.parse(text.trim())
    if (value && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // not JSON
  }
  return undefined
}
