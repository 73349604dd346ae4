/** Why a request isn't served, in the shape of the sidecar's own errors. */
export interface Refusal {
  readonly status: number
  /** gRPC status code, as the sidecar's bodies carry it. */
  readonly code: number
  readonly message: string
}

/** The request can't be understood. */
export const malformed = (message: string): Refusal => ({ status: 400, code: 3, message })

/** The request's origin isn't allowed. */
export const forbidden = (message: string): Refusal => ({ status: 403, code: 7, message })

export const METHOD_NOT_ALLOWED: Refusal = { status: 501, code: 12, message: 'Method Not Allowed' }

/** The body of an error, as the sidecar writes it. */
const refusalBody = ({ code, message }: Refusal): string => JSON.stringify({ code, message, details: [] })

export interface RefusalForm {
  readonly contentType: string
  body(refusal: Refusal): string
}

export const SIDECAR_FORM: RefusalForm = { contentType: 'application/json', body: refusalBody }

/** Plain text, for people. */
export const TEXT_FORM: RefusalForm = {
  contentType: 'text/plain; charset=utf-8',
  body: ({ message }) => `${message}\n`,
}

export const refusalResponse = (refusal: Refusal): Response => {
  const body = refusalBody(refusal)
  return new Response(body, {
    status: refusal.status,
    headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
  })
}
