import { AllocationError, type AllocationErrorCode } from './errors.js'
import type { Way } from './find-way.js'
import type { AllocateRequest } from './types.js'

export const FLEET_LABEL = 'agones.dev/fleet'

/** An HTTP answer. */
export interface Answer {
  readonly status: number
  readonly text: string
  /** Why a Fleet on the desk didn't allocate, from the header `Warning`. A cluster doesn't say. */
  readonly reason: string | undefined
}

const MAY_BE_ALLOCATED = 'A GameServer may be allocated: a game to which nobody comes must end itself'

const CA_HINT =
  "Give the server's authority as ca. Of the allocator service: kubectl get secret allocator-tls-ca -n agones-system " +
  "-o jsonpath='{.data.tls-ca\\.crt}' | base64 -d > ca.crt"
const CERT_HINT =
  'Give cert and key: kubectl get secret allocator-client.default -n default ' +
  "-o jsonpath='{.data.tls\\.crt}' | base64 -d > client.crt"

/** What the failures of a connection mean, by the codes that Node and OpenSSL give. The first that matches counts. */
const FAILURES: readonly (readonly [pattern: RegExp, code: AllocationErrorCode, what: string, hint: string])[] = [
  [
    /wrong.version.number|packet.length|^HPE_/i,
    'PROTOCOL',
    'answers in another protocol',
    'HTTP or HTTPS? Compare the URL',
  ],
  [/alert/i, 'CERTIFICATE', "refuses the client's certificate", CERT_HINT],
  [/ALTNAME/, 'CERTIFICATE', 'has a certificate for another name', 'Name the host as in the certificate'],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET)/,
    'CERTIFICATE',
    'has a certificate that is not valid today',
    'Renew it, or correct the clock here',
  ],
  [/CERT|^UNABLE_TO/, 'CERTIFICATE', 'has a certificate of an unknown authority', CA_HINT],
]

const UNREACHABLE: Readonly<Record<Way['kind'], string>> = {
  api: 'Is it running? On your machine: gameserver-sidecar fleet -f fleet.yaml -- node server.mjs',
  service: 'Is it running, and its port open? kubectl get service agones-allocator -n agones-system',
}

/** The error for a request without a whole answer, which may have arrived if the connection stood. */
export function failureOf(way: Way, cause: NodeJS.ErrnoException, wasSent: boolean): AllocationError {
  const { code = '', message } = cause
  const { host } = way.url
  const known = FAILURES.find(([pattern]) => pattern.test(code === 'EPROTO' ? message : code))
  if (known !== undefined) {
    // OpenSSL's line ends with the reason and some numbers: keep the reason.
    const reason = message.replace(/^[^]*?SSL routines:[^:]*:([^:]*):[^]*$/, '$1')
    return new AllocationError(known[1], `${host} ${known[2]} (${reason})`, { hint: known[3], cause })
  }
  if (wasSent) {
    // A server may close a connection whose certificate it refuses without an alert, or the alert may be overtaken.
    const doubt = way.cert() === undefined ? '' : ". If this comes each time, it refuses the client's certificate"
    const hint = MAY_BE_ALLOCATED + doubt
    return new AllocationError('UNKNOWN_OUTCOME', `The answer of ${host} is lost (${message})`, { hint, cause })
  }
  const isUnknown = /^(ENOTFOUND|EAI_)/.test(code)
  const hint = isUnknown ? `No address has that name: compare ${way.foundBy}` : UNREACHABLE[way.kind]
  return new AllocationError('UNAVAILABLE', `${host} can't be reached (${code || message})`, { hint, cause })
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

/** States of an answer that succeeds. The local sidecar, whose types these are, never answers Contention. */
const BY_STATE: Readonly<Record<string, AllocationErrorCode>> = { UnAllocated: 'UNALLOCATED', Contention: 'CONTENTION' }

/** The error for an answer without a GameServer. */
export function refusalOf(
  way: Way,
  { fleet }: AllocateRequest,
  { status, text, reason }: Answer,
  message: unknown,
  state: unknown,
): AllocationError {
  const { foundBy, namespace, url } = way
  const said = (typeof message === 'string' ? message : text)
    // The service passes its message to fmt as a format (cmd/allocator/main.go).
    .replace(/%!\(EXTRA[^]*/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1_000)
  const code =
    BY_STATE[String(state)] ??
    BY_MESSAGE.find(([pattern]) => pattern.test(said))?.[1] ??
    BY_STATUS[status] ??
    (status >= 500 ? 'UNKNOWN_OUTCOME' : 'PROTOCOL')
  const [which, label] = fleet === undefined ? ['', ''] : [` of the Fleet "${fleet}"`, ` -l ${FLEET_LABEL}=${fleet}`]
  const why = reason === undefined ? '' : ` (${reason})`
  // The API server's message names the account that lacks the right.
  const [, of = namespace, account = 'ACCOUNT'] = /system:serviceaccount:([^:"]+):([^"]+)/.exec(said) ?? []
  const summaries: Partial<Record<AllocationErrorCode, string>> = {
    UNALLOCATED: `No GameServer${which} in the namespace "${namespace}" matches now${why}`,
    CONTENTION: 'Other requests were quicker',
  }
  const hints: Partial<Record<AllocationErrorCode, string>> = {
    UNALLOCATED: `Give a longer wait if the Fleet grows. Its servers: kubectl get gameservers -n ${namespace}${label}`,
    CONTENTION: 'Ask again, or give wait',
    UNKNOWN_OUTCOME: MAY_BE_ALLOCATED,
    PROTOCOL: `Another server answers there: compare ${foundBy}`,
    NOT_FOUND: `Compare ${foundBy} and the namespace "${namespace}"`,
    FORBIDDEN:
      status === 401
        ? `The token is missing, expired or of another cluster: compare ${foundBy}`
        : `Grant the right: kubectl create role allocator -n ${namespace} --verb=create ` +
          `--resource=gameserverallocations.allocation.agones.dev && kubectl create rolebinding allocator ` +
          `-n ${namespace} --role=allocator --serviceaccount=${of}:${account}`,
  }
  const summary = summaries[code] ?? `${url.host} answered ${status}${said && `: ${said.replace(/\.$/, '')}`}`
  return new AllocationError(code, summary, { hint: hints[code], status })
}
