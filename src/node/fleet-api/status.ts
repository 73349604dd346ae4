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

/** `gameservers.agones.dev`, as messages name a type. */
const qualified = (name: string, group: string): string => (group === '' ? name : `${name}.${group}`)

const STALE = 'the object has been modified; please apply your changes to the latest version and try again'

const ofObject =
  (code: number, reason: string, write: (what: string, name: string, why: string) => string) =>
  ({ plural: kind, group }: ResourceType, name: string, why = STALE): StatusError =>
    new StatusError(code, reason, write(qualified(kind, group), JSON.stringify(name), why), { name, group, kind })

export const refusals = {
  badRequest: (message: string) => new StatusError(400, 'BadRequest', message),
  forbidden: (message: string) => new StatusError(403, 'Forbidden', message),
  noResource: () => new StatusError(404, 'NotFound', 'the server could not find the requested resource'),
  notFound: ofObject(404, 'NotFound', (what, name) => `${what} ${name} not found`),
  noMethod: () =>
    new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'),
  alreadyExists: ofObject(409, 'AlreadyExists', (what, name) => `${what} ${name} already exists`),
  conflict: ofObject(409, 'Conflict', (what, name, why) => `Operation cannot be fulfilled on ${what} ${name}: ${why}`),
  expired: (asked: string, current: string) =>
    new StatusError(410, 'Expired', `too old resource version: ${asked} (${current})`),
  tooLarge: (message: string) => new StatusError(413, 'RequestEntityTooLarge', message),
  mediaType: (accepted: readonly string[]) => {
    const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
    return new StatusError(415, 'UnsupportedMediaType', message)
  },
  invalid({ kind, group }: ResourceType, name: string, message: string, field = '') {
    // kubectl writes the field before the cause.
    const cause = field !== '' && message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
    const causes = [{ reason: 'FieldValueInvalid', message: cause, field }]
    const text = `${qualified(kind, group)} ${JSON.stringify(name)} is invalid: ${message}`
    return new StatusError(422, 'Invalid', text, { name, group, kind, causes })
  },
}
