import { fail, type SidecarError, type SidecarErrorCode } from './errors.js'
import { tryTo } from './host.js'
import type { Scope } from './scope.js'

/**
 * What each refusal looks like as `<message>|<code>|<status>`, in the sidecar's production mode and in its local mode;
 * the first that fits counts. Nothing stands before the first bar where the body was none of a sidecar.
 */
const kinds: Partial<Record<SidecarErrorCode, RegExp>> = {
  CROSS_ORIGIN: /\|403$/,
  LIMIT: /\|8\|4(13|29)$/,
  UNAVAILABLE: /\|14\||\|(413|429|50[2-9]|5[1-9].|[6-9]..)$/,
  UNKNOWN: /^\|.*\|500$/,
  PROTOCOL: /^\||\|[1-3]..$/,
  UNIMPLEMENTED: /\|(404|501)$|^no players for/,
  INVALID_ARGUMENT: /\|400$|^invalid/,
  ALREADY_EXISTS: /^already/,
  OUT_OF_RANGE: /^out of range/,
  FEATURE_DISABLED: /not enabled\|/,
  NOT_FOUND: /^(counter |list )?not found/,
}

/** The error that an answer other than a good one stands for; its status is the scope's. */
export function errorOfAnswer(scope: Scope, text: string, kind?: SidecarErrorCode): SidecarError {
  const { message, code } = parseObject(text) || {}
  const said = typeof message === 'string' ? message : ''
  const excerpt = (said || text).slice(0, 1024)
  const answer = said + '|' + code + '|' + scope._status
  return fail(
    kind || (Object.keys(kinds) as SidecarErrorCode[]).find((kind) => kinds[kind]!.test(answer)) || 'UNKNOWN',
    'HTTP ' + scope._status + (excerpt && ': ' + excerpt),
    scope,
  )
}

/** The JSON object that a text holds, or undefined: nothing that comes from outside may throw here. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  // trim also takes a byte order mark away
  const value: unknown = tryTo(() => JSON.parse(text.trim()))
  return value && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}
