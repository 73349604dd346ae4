import { pathText, type InvalidInput } from '../../../platform/schema.js'
import type { ResourceType } from './resources.js'

/** A refusal, with the object and the message of the platform's `apimachinery/pkg/api/errors`. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly code: number
  readonly status: object

  constructor(code: number, reason: string, message: string, details: object = {}) {
    super(message)
    this.code = code
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code }
  }
}

const STALE = 'the object has been modified; please apply your changes to the latest version and try again'

const plain = (code: number, reason: string, fixed?: string) => (message?: string) =>
  new StatusError(code, reason, message ?? fixed ?? '')

const ofObject =
  (code: number, reason: string, write: (what: string, why: string) => string) =>
  ({ plural: kind, group }: ResourceType, name: string, why = STALE): StatusError =>
    new StatusError(code, reason, write(`${kind}.${group} ${JSON.stringify(name)}`, why), { name, group, kind })

export const refusals = {
  badRequest: plain(400, 'BadRequest'),
  forbidden: plain(403, 'Forbidden'),
  noResource: plain(404, 'NotFound', 'the server could not find the requested resource'),
  noMethod: plain(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'),
  expired: plain(410, 'Expired'),
  tooLarge: plain(413, 'RequestEntityTooLarge'),
  mediaType: plain(415, 'UnsupportedMediaType'),
  tooCostly: plain(422, 'Invalid'),
  internal: plain(500, 'InternalError'),
  notFound: ofObject(404, 'NotFound', (what) => `${what} not found`),
  alreadyExists: ofObject(409, 'AlreadyExists', (what) => `${what} already exists`),
  conflict: ofObject(409, 'Conflict', (what, why) => `Operation cannot be fulfilled on ${what}: ${why}`),
  invalid({ kind, group }: ResourceType, name: string, message: string, field = '') {
    // kubectl writes the field before the cause.
    const cause = field !== '' && message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
    const causes = [{ reason: 'FieldValueInvalid', message: cause, field }]
    const text = `${kind}.${group} ${JSON.stringify(name)} is invalid: ${message}`
    return new StatusError(422, 'Invalid', text, { ...(name === '' ? {} : { name }), group, kind, causes })
  },
  unreadable: (type: ResourceType, name: string, { message, path }: InvalidInput): StatusError =>
    refusals.invalid(type, name, message, pathText(path)),
}
