import { AllocationError, type AllocationErrorCode } from './errors.js'
import type { Way } from './find-way.js'
import type { Answer, Unanswered } from './transport.js'
import type { AllocateRequest } from './types.js'

export const FLEET_LABEL = 'agones.dev/fleet'

const MAY_BE_ALLOCATED = 'A GameServer may be allocated: a game to which nobody comes has to end itself'

const secretOf = (name: string, field: string, namespace: string, file: string): string =>
  `kubectl get secret ${name} -n ${namespace} -o jsonpath='{.data.${field}}' | base64 -d > ${file}`
const CA_HINT = `Give its authority as ca: ${secretOf('allocator-tls-ca', 'tls-ca\\.crt', 'agones-system', 'ca.crt')}`
const CERT_HINT = `Give cert and key: ${secretOf('allocator-client.default', 'tls\\.crt', 'default', 'client.crt')}`

/** What the failures of a connection mean, by the codes that Node and OpenSSL give. The first that matches counts. */
const FAILURES: readonly {
  readonly pattern: RegExp
  readonly code: AllocationErrorCode
  readonly what: string
  readonly hint?: (way: Way) => string
}[] = [
  {
    pattern: /wrong.version.number|packet.length|^HPE_/i,
    code: 'PROTOCOL',
    what: 'answers in another protocol',
    hint: ({ url }) => `Does it speak ${url.protocol === 'https:' ? 'HTTP' : 'HTTPS'}? Compare the URL's scheme`,
  },
  { pattern: /alert/i, code: 'CERTIFICATE', what: "refuses the client's certificate", hint: () => CERT_HINT },
  {
    pattern: /ALTNAME/,
    code: 'CERTIFICATE',
    what: 'has a certificate for another name',
    hint: () => 'Name the host as in the certificate, or give that name as servername',
  },
  {
    pattern: /^CERT_(HAS_EXPIRED|NOT_YET)/,
    code: 'CERTIFICATE',
    what: 'has a certificate that is not valid today',
    hint: () => 'Renew it there, or correct the clock here',
  },
  {
    pattern: /CERT|^UNABLE_TO/,
    code: 'CERTIFICATE',
    what: 'has a certificate of an unknown authority',
    hint: ({ kind }) => (kind === 'service' ? CA_HINT : "Give the cluster's authority as ca"),
  },
]

const UNREACHABLE: Readonly<Record<Way['kind'], string>> = {
  api: 'Is it running? On your machine: gameserver-sidecar fleet -f fleet.yaml -- node server.mjs',
  service: 'Is it running, and its port open? kubectl get service agones-allocator -n agones-system',
  sidecar: 'Is it running? gameserver-sidecar local',
}

/** The error for a request without an answer. */
export function failureOf(way: Way, { cause, wasSent }: Unanswered): AllocationError {
  const { code = '', message } = cause
  const where = way.url.host
  const known = FAILURES.find(({ pattern }) => pattern.test(code === 'EPROTO' ? message : code))
  if (known !== undefined) {
    // Of OpenSSL's line only the reason, which is its last part but some numbers.
    const reason = message.replace(/^[^]*?SSL routines:[^:]*:([^:]*):[^]*$/, '$1')
    return new AllocationError(known.code, `${where} ${known.what} (${reason})`, {
      hint: known.hint?.(way),
      cause,
    })
  }
  if (wasSent) {
    // A server may close a connection whose certificate it refuses without an alert, or the alert may be overtaken.
    const doubt = way.tls.cert === undefined ? '' : ". If this comes each time, it refuses the client's certificate"
    return new AllocationError('UNKNOWN_OUTCOME', `The answer of ${where} is lost (${message})`, {
      hint: MAY_BE_ALLOCATED + doubt,
      cause,
    })
  }
  const hint = /^(ENOTFOUND|EAI_)/.test(code)
    ? `No address has that name: compare ${way.foundBy}`
    : UNREACHABLE[way.kind]
  return new AllocationError('UNAVAILABLE', `${where} can't be reached (${code || message})`, { hint, cause })
}

/** What each status means. With any other from 500 on, the platform may have acted. */
const BY_STATUS: Readonly<Record<number, AllocationErrorCode>> = {
  400: 'INVALID_ARGUMENT',
  401: 'FORBIDDEN',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  422: 'INVALID_ARGUMENT',
  // The API server limits requests before it acts.
  429: 'UNAVAILABLE',
}

/** What the platform says of outcomes whose status differs or is configurable. The first that matches counts. */
const BY_MESSAGE: readonly (readonly [pattern: RegExp, code: AllocationErrorCode])[] = [
  // pkg/allocation/converters/converter.go; the status is `http-unallocated-status-code` of cmd/allocator.
  [/there is no available GameServer to allocate/, 'UNALLOCATED'],
  [/too many concurrent requests have overwhelmed the system/, 'CONTENTION'],
  // Status 500 or 422 (pkg/gameserverallocations/controller.go, cmd/allocator/main.go).
  [/ is invalid: |error decoding body|cannot unmarshal/, 'INVALID_ARGUMENT'],
  // Its write was refused, so nothing is allocated (pkg/gameserverallocations/allocator.go).
  [/could not update the selected GameServer/, 'UNAVAILABLE'],
  // The API server found nobody to pass the request on to.
  [/^service unavailable$|dial tcp|no endpoints available/i, 'UNAVAILABLE'],
]

/** The error for an answer that isn't a success. */
export function refusalOf(way: Way, request: AllocateRequest, answer: Answer, message: unknown): AllocationError {
  const { status, retryAfter } = answer
  const said = (typeof message === 'string' ? message : answer.text)
    // The service formats its message as a format (cmd/allocator/main.go).
    .replace(/%!\(EXTRA[^]*/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1_000)
  const code =
    BY_MESSAGE.find(([pattern]) => pattern.test(said))?.[1] ??
    BY_STATUS[status] ??
    (status >= 500 ? 'UNKNOWN_OUTCOME' : 'PROTOCOL')
  if (code === 'UNALLOCATED' || code === 'CONTENTION') return noneOf(code, way, request, status)
  const what = `${way.url.host} answered ${status}${said === '' ? '' : `: ${said.replace(/\.$/, '')}`}`
  return new AllocationError(code, what, { hint: hintOf(code, way, status, said), status, retryAfter })
}

function hintOf(code: AllocationErrorCode, way: Way, status: number, said: string): string | undefined {
  if (code === 'UNKNOWN_OUTCOME') return MAY_BE_ALLOCATED
  if (code === 'PROTOCOL') return `That isn't the platform: compare ${way.foundBy}`
  if (code === 'NOT_FOUND') return `Compare ${way.foundBy} and the namespace "${way.namespace}"`
  if (code !== 'FORBIDDEN') return undefined
  if (status === 401) return `Its token is missing, expired or of another cluster: compare ${way.foundBy}`
  // The API server's message names the account that lacks the right.
  const [, of = way.namespace, account = 'ACCOUNT'] = /system:serviceaccount:([^:"]+):([^"]+)/.exec(said) ?? []
  return (
    `Let it: kubectl create role allocator -n ${way.namespace} --verb=create ` +
    `--resource=gameserverallocations.allocation.agones.dev && kubectl create rolebinding allocator ` +
    `-n ${way.namespace} --role=allocator --serviceaccount=${of}:${account}`
  )
}

/** The error for an allocation that found no GameServer. */
export function noneOf(
  code: 'UNALLOCATED' | 'CONTENTION',
  { namespace }: Way,
  { fleet }: AllocateRequest,
  status: number,
  reason?: unknown,
): AllocationError {
  if (code === 'CONTENTION') {
    return new AllocationError(code, 'Other requests were quicker', { hint: 'Ask again, or give wait', status })
  }
  const which = fleet === undefined ? 'No GameServer' : `No GameServer of the Fleet "${fleet}"`
  const why = typeof reason === 'string' ? ` (${reason})` : ''
  const label = fleet === undefined ? '' : ` -l ${FLEET_LABEL}=${fleet}`
  const hint = `If it grows, give wait; otherwise: kubectl get gameservers -n ${namespace}${label}`
  return new AllocationError(code, `${which} in the namespace "${namespace}" matches now${why}`, { hint, status })
}
