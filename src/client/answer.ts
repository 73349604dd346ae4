import { SidecarError, type SidecarErrorCode } from './errors.js'

/** How each kind of refusal is worded, in the sidecar's production mode and in its local mode. */
const wordings: [RegExp, SidecarErrorCode][] = [
  [/^already exists/, 'ALREADY_EXISTS'],
  [/^out of range/, 'OUT_OF_RANGE'],
  [/not enabled$/, 'FEATURE_DISABLED'],
  [/^no players for list/, 'UNIMPLEMENTED'],
  [/^(counter |list )?not found/, 'NOT_FOUND'],
  [/^invalid/, 'INVALID_ARGUMENT'],
]

/** The error that an answer other than a good one stands for. */
export function errorOfAnswer(operation: string, status: number, text: string): SidecarError {
  const body = parseObject(text)
  const said = body && typeof body.message === 'string' ? body.message : undefined
  const excerpt = (said ?? text).slice(0, 1024).trim()
  const details = { operation, status }
  const fail = (code: SidecarErrorCode): SidecarError =>
    new SidecarError(code, excerpt || 'HTTP ' + status, details)
  if (status < 200 || (status > 299 && status < 400))
    return new SidecarError('PROTOCOL', status ? 'HTTP ' + status : 'A redirect', details)
  if (status < 300) return new SidecarError('PROTOCOL', 'Not the answer of a sidecar: ' + excerpt, details)
  if (status === 403) return fail('CROSS_ORIGIN')
  if (status === 429 || status === 413) return fail(body && body.code === 8 ? 'LIMIT' : 'UNAVAILABLE')
  if (status > 501) return fail('UNAVAILABLE')
  if (said === undefined) return fail(status === 500 ? 'UNKNOWN' : 'PROTOCOL')
  if (status === 404 || status === 501) return fail('UNIMPLEMENTED')
  if (status === 400) return fail('INVALID_ARGUMENT')
  const wording = wordings.find(([pattern]) => pattern.test(excerpt))
  return fail(wording ? wording[1] : 'UNKNOWN')
}

/** The JSON object that a text holds, or undefined: nothing that comes from outside may throw here. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    // trim also takes a byte order mark away
    const value: unknown = JSON.parse(text.trim())
    return typeof value === 'object' && value && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
