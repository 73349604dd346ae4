import { plainText } from '../../protocol/plain-text.js'
import type { AllocateRequest } from './types.js'

/** Every code of an AllocationError. */
export type AllocationErrorCode =
  | 'UNALLOCATED' // No GameServer matches now. A Fleet that grows has none for a moment.
  | 'CONTENTION' // Other requests were quicker.
  | 'UNAVAILABLE' // The platform couldn't be asked, or refused before it acted: nothing was allocated.
  | 'UNKNOWN_OUTCOME' // The request was sent and its answer is lost: a GameServer may be allocated.
  | 'INVALID_ARGUMENT' // The platform refuses the request, or a field doesn't exist.
  | 'FORBIDDEN' // The account isn't known, or lacks the right to allocate.
  | 'NOT_FOUND' // There is no such namespace, or no platform at that address.
  | 'CERTIFICATE' // One side refuses the other's certificate.
  | 'CONFIG' // An option is wrong, or no way to the platform was found.
  | 'PROTOCOL' // The answer isn't the platform's.
  | 'ABORTED' // The call's signal ended it.
  | 'CLOSED' // `close()` ended it.

/** The most characters of a message: a FORBIDDEN's hint has two commands. */
const LONGEST = 2_000

/** The outcome of an allocation that gave no GameServer. */
export class AllocationError extends Error {
  declare readonly code: AllocationErrorCode
  /** The message without the hint, for players. */
  declare readonly summary: string
  /** The fix, for developers. The message ends with it. */
  declare readonly hint: string | undefined
  /** The HTTP status, if an answer came. */
  declare readonly status: number | undefined

  constructor(
    code: AllocationErrorCode,
    said: string,
    { hint: fix, status, cause }: Partial<Pick<AllocationError, 'hint' | 'status' | 'cause'>> = {},
  ) {
    // What a server says may hold characters that steer a terminal.
    const [summary, hint] = [plainText(said, LONGEST), fix && plainText(fix, LONGEST)]
    super(hint === undefined ? summary : `${summary}. ${hint}`, cause === undefined ? undefined : { cause })
    // Node prints an error's enumerable fields below its message, which has these already.
    const hidden = { name: 'AllocationError', summary, hint }
    for (const [field, value] of Object.entries(hidden)) Object.defineProperty(this, field, { value })
    Object.assign(this, { code, ...(status !== undefined && { status }) })
  }
}

export const FLEET_LABEL = 'agones.dev/fleet'

/** A way to the platform. */
export interface Way {
  /** The Kubernetes API, or the allocator service's REST form. */
  readonly kind: 'api' | 'service'
  readonly url: URL
  readonly namespace: string
  /** Read anew for each request: Kubernetes renews tokens once an hour, and issuers certificates. @throws AllocationError CONFIG */
  secrets(): Readonly<Record<'token' | 'ca' | 'cert' | 'key', string | undefined>>
  /** How the way was found, for messages. */
  readonly foundBy: string
}

/** An HTTP answer. */
export interface Answer {
  readonly status: number
  readonly text: string
  /** Why a Fleet on this machine didn't allocate, from the header `Warning`. A cluster doesn't say. */
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
  [/wrong.version.number|packet.length|^HPE_/i, 'PROTOCOL', 'answers in another protocol', 'Give http, or https?'],
  [/^ERR_OSSL/, 'CONFIG', "can't be asked", 'Give ca, cert and key as PEM texts that belong together'],
  [/alert/i, 'CERTIFICATE', "refuses the client's certificate", CERT_HINT],
  [/ALTNAME/, 'CERTIFICATE', 'has a certificate for another name', 'Name the host as in the certificate'],
  [/^CERT_(HAS_EXP|NOT_YET)/, 'CERTIFICATE', 'has a certificate that is not valid today', 'Renew it, or set the clock'],
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
    const summary = `The answer of ${host} is lost (${message})`
    return new AllocationError('UNKNOWN_OUTCOME', summary, { hint: MAY_BE_ALLOCATED, cause })
  }
  const isUnknown = /^(ENOTFOUND|EAI_)/.test(code)
  const hint = isUnknown ? `No address has that name: compare ${way.foundBy}` : UNREACHABLE[way.kind]
  return new AllocationError('UNAVAILABLE', `${host} can't be reached (${code || message})`, { hint, cause })
}

/** What an answer means, by its state, its status and what the platform says. The first that matches counts. */
const OUTCOMES: readonly (readonly [pattern: RegExp, code: AllocationErrorCode])[] = [
  // The service says it (pkg/allocation/converters/converter.go); its status is `http-unallocated-status-code`.
  [/^UnAllocated |there is no available GameServer to allocate/, 'UNALLOCATED'],
  [/^Contention |too many concurrent requests have overwhelmed the system/, 'CONTENTION'],
  // Status 500 or 422 (pkg/gameserverallocations/controller.go, cmd/allocator/main.go).
  [/ is invalid: |error decoding body|cannot unmarshal/, 'INVALID_ARGUMENT'],
  // Its write was refused, so nothing is allocated (pkg/gameserverallocations/allocator.go).
  [/could not update the selected GameServer/, 'UNAVAILABLE'],
  // The API server has no endpoint to forward the request to.
  [/ \d+ service unavailable$|dial tcp|no endpoints available/i, 'UNAVAILABLE'],
  [/^\S* 4(00|22) /, 'INVALID_ARGUMENT'],
  [/^\S* 40[13] /, 'FORBIDDEN'],
  [/^\S* 404 /, 'NOT_FOUND'],
  // The API server limits requests before it acts.
  [/^\S* 429 /, 'UNAVAILABLE'],
  // With any other of these, the platform may have acted.
  [/^\S* 5/, 'UNKNOWN_OUTCOME'],
  [/^/, 'PROTOCOL'],
]

/** The error for a GameServer that can't be used as the platform's answer describes it. */
export function unreadable({ url }: Way, { status }: Answer, name: unknown, reason: string): AllocationError {
  const which = typeof name === 'string' && name !== '' ? ` "${name}"` : ''
  const summary = `${url.host} answered ${status} with a GameServer${which}, that can't be read (${reason})`
  return new AllocationError('UNKNOWN_OUTCOME', summary, { hint: MAY_BE_ALLOCATED, status })
}

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
  const [, code] = OUTCOMES.find(([pattern]) => pattern.test(`${String(state)} ${status} ${said}`))!
  const [which, label] = fleet === undefined ? ['', ''] : [` of the Fleet "${fleet}"`, ` -l ${FLEET_LABEL}=${fleet}`]
  const why = reason === undefined ? '' : ` (${reason})`
  // The API server's message names the account that lacks the right.
  const [, of = namespace, account = 'ACCOUNT'] = /system:serviceaccount:([^:"]+):([^"]+)/.exec(said) ?? []
  const summaries: Partial<Record<AllocationErrorCode, string>> = {
    UNALLOCATED: `No GameServer${which} in the namespace "${namespace}" matches now${why}`,
    CONTENTION: 'Other requests were quicker',
  }
  // Only a Fleet on this machine tells a reason, and only its service has no TLS.
  const isLocalFleet = reason !== undefined || (way.kind === 'service' && url.protocol === 'http:')
  const servers = isLocalFleet ? `${url.origin}/_/` : `kubectl get gameservers -n ${namespace}${label}`
  const hints: Partial<Record<AllocationErrorCode, string>> = {
    UNALLOCATED: `Give a longer wait if the Fleet grows. Its servers: ${servers}`,
    CONTENTION: 'Give wait',
    UNKNOWN_OUTCOME: MAY_BE_ALLOCATED,
    PROTOCOL: `Another server answers there, so nothing is allocated: compare ${foundBy}`,
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
