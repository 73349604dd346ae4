import { existsSync, readFileSync } from 'node:fs'
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { didYouMean } from '../../protocol/nearest.js'
import { AllocationError, type AllocationErrorCode, type Answer, failureOf, type Way } from './failures.js'
import type { AllocatorOptions, Endpoint, WayOptions } from './types.js'

/** A cluster that allocates, and how it fared. */
export interface Cluster {
  readonly way: Way
  readonly transport: Transport
  readonly region: string | undefined
  readonly weight: number
  failures: number
  /** Other clusters come first until this time, in ms of `performance.now()`. */
  restsUntil: number
}

/** Outcomes that are this request's. Any other failure is the cluster's, which rests. */
const OF_THE_REQUEST: readonly AllocationErrorCode[] = ['UNALLOCATED', 'CONTENTION', 'INVALID_ARGUMENT', 'ABORTED']
/** The first and the longest rest; each failure in a row doubles it. */
const REST_MS = { first: 500, most: 30_000 }
/** A cluster that takes longer to be connected is passed over, if there are others. */
const CONNECT_MS = 1_500

/** @throws AllocationError CONFIG */
export function clustersOf(
  options: AllocatorOptions & { readonly timeout: number },
  environment: PodEnvironment,
): readonly Cluster[] {
  const { endpoints, timeout, ...shared } = options
  if (endpoints?.length === 0) throw new AllocationError('CONFIG', 'endpoints is empty')
  if (endpoints && (shared.url || shared.service))
    throw new AllocationError('CONFIG', 'endpoints stands in place of url and service')
  return (endpoints ?? [{}]).map((endpoint: Endpoint): Cluster => {
    checkNames(endpoint, ENDPOINT_OPTIONS, 'CONFIG')
    const { region, weight = 0, ...own } = endpoint
    if (!(weight >= 0 && weight < Infinity))
      throw new AllocationError('CONFIG', `weight must be a number of at least 0; got ${String(weight)}`)
    if (endpoints && !own.url && !own.service)
      throw new AllocationError('CONFIG', 'Each of endpoints needs a url or a service')
    const way = findWay({ ...shared, ...own }, environment)
    const connectMs = endpoints && endpoints.length > 1 ? Math.min(CONNECT_MS, timeout) : timeout
    return { way, transport: createTransport(way, timeout, connectMs), region, weight, failures: 0, restsUntil: 0 }
  })
}

/**
 * The clusters for one request in the order in which they are asked: those of the region first; then by chance, as their
 * weights say; then as they are listed. Those that rest are left out, unless all do.
 */
export function inOrder(clusters: readonly Cluster[], region: string | undefined): readonly Cluster[] {
  const now = performance.now()
  const awake = clusters.filter(({ restsUntil }) => restsUntil <= now)
  const isNear = (one: Cluster): number => Number(region !== undefined && one.region === region)
  return (awake.length > 0 ? awake : clusters)
    .map((cluster) => ({ cluster, chance: cluster.weight && Math.random() ** (1 / cluster.weight) }))
    .sort((a, b) => isNear(b.cluster) - isNear(a.cluster) || b.chance - a.chance)
    .map(({ cluster }) => cluster)
}

/** Notes how a request to a cluster ended. */
export function note(cluster: Cluster, error?: AllocationError): void {
  if (error !== undefined && !OF_THE_REQUEST.includes(error.code)) {
    const rest = Math.min(REST_MS.first * 2 ** cluster.failures++, REST_MS.most)
    cluster.restsUntil = performance.now() + rest
  } else {
    Object.assign(cluster, { failures: 0, restsUntil: 0 })
  }
}

/** What tells a pod where the platform is: its variables, and its service account. */
export interface PodEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder with `token`, `ca.crt` and `namespace`. */
  readonly account: string
}

const WAY_OPTIONS = ['url', 'token', 'service', 'cert', 'key', 'ca', 'namespace']
const ENDPOINT_OPTIONS = [...WAY_OPTIONS, 'region', 'weight']
export const OPTIONS = [...WAY_OPTIONS, 'edge', 'timeout', 'endpoints', 'allowDuplicate']

const NO_WAY =
  'On your machine: gameserver-sidecar fleet -f fleet.yaml -- node server.mjs, and GAMESERVER_FLEET_URL as printed there. ' +
  'In a cluster: a pod with a service account. ' +
  'From outside: GAMESERVER_ALLOCATOR_HOST, _CERT, _KEY and _CA of the allocator service'

/** Refuses a name that doesn't exist: a misspelt name must not be ignored. */
export function checkNames(given: object, known: readonly string[], code: 'CONFIG' | 'INVALID_ARGUMENT'): void {
  const wrong = Object.keys(given).find((name) => !known.includes(name))
  if (wrong === undefined) return
  const hint = didYouMean(wrong, known).replace(/^\w/, (letter) => letter.toUpperCase())
  const kind = code === 'CONFIG' ? 'option' : 'field'
  throw new AllocationError(code, `There is no ${kind} "${wrong.slice(0, 40)}"`, { hint })
}

/**
 * The way that an option names, else the first that is found. A variable that somebody set stands before the pod's account,
 * which every pod has.
 *
 * @throws AllocationError CONFIG
 */
function findWay(options: WayOptions, { env, account }: PodEnvironment): Way {
  if (options.url && options.service) throw new AllocationError('CONFIG', 'url and service exclude each other')
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = env
  const isInPod = host !== '' && existsSync(join(account, 'token'))
  const inPod = isInPod ? `https://${host.includes(':') ? `[${host}]` : host}:${port}` : undefined
  const ways = [
    ['api', 'url', options.url],
    ['service', 'service', options.service],
    ['api', 'GAMESERVER_FLEET_URL', env['GAMESERVER_FLEET_URL']],
    ['service', 'GAMESERVER_ALLOCATOR_HOST', env['GAMESERVER_ALLOCATOR_HOST']],
    ['api', "the pod's account", inPod],
  ] as const
  const [kind, foundBy, address] = ways.find(([, , found]) => found) ?? []
  if (!kind || !address) throw new AllocationError('CONFIG', 'Nothing says where to allocate', { hint: NO_WAY })
  const ofPod = (file: string): string | undefined => (address === inPod ? join(account, file) : undefined)
  const given = (name: 'ca' | 'cert' | 'key'): string | undefined =>
    options[name] ?? (kind === 'service' ? env[`GAMESERVER_ALLOCATOR_${name.toUpperCase()}`] : undefined)
  const [cert, key] = [given('cert'), given('key')]
  if (!cert !== !key)
    throw new AllocationError('CONFIG', `There is a ${cert ? 'cert without a key' : 'key without a cert'}`)
  return {
    kind,
    url: urlOf(address, foundBy, kind === 'service' ? 'https://' : 'http://'),
    namespace: options.namespace ?? (isInPod ? readFileSync(join(account, 'namespace'), 'utf8').trim() : 'default'),
    foundBy,
    secrets: () => ({
      token: options.token ?? textOf('token', ofPod('token')),
      ca: textOf('ca', given('ca') ?? ofPod('ca.crt')),
      cert: textOf('cert', cert),
      key: textOf('key', key),
    }),
  }
}

function urlOf(address: string, foundBy: string, scheme: string): URL {
  const text = /^https?:\/\//.test(address) ? address : scheme + address
  if (URL.canParse(text)) return new URL(text)
  throw new AllocationError('CONFIG', `${foundBy} must be a URL or a host; got "${address.slice(0, 80)}"`)
}

/** PEM text as given, or the content of a file. */
function textOf(name: string, given: string | undefined): string | undefined {
  if (!given || given.startsWith('-----BEGIN')) return given
  try {
    return readFileSync(given, 'utf8').trim()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new AllocationError('CONFIG', `${name}: ${given} can't be read (${code})`, { cause })
  }
}

/** An unused connection is closed sooner than servers and load balancers close theirs; the platform takes 100 requests into a batch. */
const CONNECTIONS = { keepAlive: true, timeout: 20_000, maxSockets: 100 }

interface Transport {
  /** @throws AllocationError without a whole answer, and CONFIG for files of the way that can't be used */
  post(path: string, body: string, signal: AbortSignal): Promise<Answer>
  close(): void
}

/**
 * Sends JSON over connections that are kept.
 *
 * @param timeout ms for one request
 * @param connectMs ms of it until it can be sent
 */
function createTransport(way: Way, timeout: number, connectMs: number): Transport {
  const isSecure = way.url.protocol === 'https:'
  const agent = isSecure ? new HttpsAgent(CONNECTIONS) : new HttpAgent(CONNECTIONS)

  async function post(path: string, body: string, signal: AbortSignal): Promise<Answer> {
    const { token, ...certificates } = way.secrets()
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const target = new URL(way.url.pathname.replace(/\/$/, '') + path, way.url)
    let wasSent = false
    const ask = (resolve: (answer: Answer) => void, reject: (error: unknown) => void): void => {
      // The agent keeps connections apart by their certificates, so a renewed one gets a new connection.
      const options = { method: 'POST', agent, headers, signal, ...certificates }
      const request = (isSecure ? httpsRequest : httpRequest)(target, options)
      const endAfter = (ms: number, what: string): NodeJS.Timeout => {
        const late = Object.assign(new Error(`no ${what} within ${ms} ms`), { code: 'ETIMEDOUT' })
        const timer = setTimeout(() => request.destroy(late), ms)
        request.on('close', () => clearTimeout(timer))
        return timer
      }
      endAfter(timeout, 'answer')
      request.on('error', reject)
      request.on('socket', (socket) => {
        if (!socket.connecting) return void (wasSent = true)
        const timer = endAfter(connectMs, 'connection')
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          wasSent = true
          clearTimeout(timer)
        })
      })
      request.on('response', (response) => {
        readAnswer(response).then(resolve, (error: unknown) => (reject(error), request.destroy()))
      })
      request.end(body)
    }
    try {
      return await new Promise(ask)
    } catch (cause) {
      throw failureOf(way, cause as NodeJS.ErrnoException, wasSent)
    }
  }

  return { post, close: () => agent.destroy() }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) text += String(chunk)
  const [, reason] = /^299 - "UnAllocated: (.*)"$/.exec(String(response.headers['warning'])) ?? []
  return { status: response.statusCode ?? 0, text, reason: reason?.replace(/\\(.)/g, '$1') }
}
