/** The gRPC codes that the sidecar answers with, and the HTTP status of each. */
const statusOfCode = { 2: 500, 3: 400, 5: 404, 8: 429, 12: 501, 13: 500 } as const

/** The usual gRPC code of an HTTP status. */
const codeOfStatus: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  409: 10,
  429: 8,
  501: 12,
  503: 14,
  504: 4,
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  /** Seconds of a `Retry-After` header. */
  readonly retryAfter?: number
}

export const done: Answer = { status: 200, body: {} }

export function ok(body: unknown): Answer {
  return { status: 200, body }
}

export function fail(code: keyof typeof statusOfCode, message: string): Answer {
  return { status: statusOfCode[code], body: errorBody(code, message) }
}

/** Most failures share status 500 and code 2; only the message differs. */
export function failUnknown(message: string): Answer {
  return fail(2, message)
}

/** The answer of a call that a fault fails with an HTTP status. */
export function failWithStatus(status: number, message: string): Answer {
  return { status, body: errorBody(codeOfStatus[status] ?? 2, message) }
}

/** The message of an error; undefined for other answers. */
export function messageOf({ status, body }: Answer): string | undefined {
  if (status === 200 || typeof body !== 'object' || body === null || !('message' in body)) return undefined
  return String(body.message)
}

const errorBody = (code: number, message: string): object => ({ code, message, details: [] })
