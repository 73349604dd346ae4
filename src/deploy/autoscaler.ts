import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { isObject } from '../protocol/is-object.js'

/** Sums of one counter or list over the GameServers of a Fleet. */
type Amounts = Readonly<Record<'allocatedCount' | 'allocatedCapacity' | 'count' | 'capacity', number>>

/** A Fleet's status, as the platform counts it. */
export interface ReviewedFleet {
  readonly name: string
  readonly namespace: string
  readonly replicas: number
  readonly readyReplicas: number
  readonly reservedReplicas: number
  readonly allocatedReplicas: number
  /** How often a GameServer became Allocated, since release 1.59. */
  readonly allocations?: number
  readonly counters: Readonly<Record<string, Amounts>>
  readonly lists: Readonly<Record<string, Amounts>>
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** `request` of a FleetAutoscaleReview, as it came. */
export interface ReviewRequest extends Pick<ReviewedFleet, 'name' | 'namespace'> {
  readonly uid: string
  readonly status: Pick<ReviewedFleet, 'replicas'> & Partial<ReviewedFleet>
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The replicas that a Fleet should have; undefined to leave it as it is. Asked at every sync of the FleetAutoscaler. */
export type Decide = (review: {
  readonly fleet: ReviewedFleet
  readonly request: ReviewRequest
}) => number | undefined | Promise<number | undefined>

export interface AutoscalerOptions {
  readonly decide: Decide
  /** Default 8000, as a FleetAutoscaler's. 0 takes any free port. */
  readonly port?: number | undefined
  /** Address to listen on. Default: all, since the platform comes from another pod. */
  readonly address?: string | undefined
  /** PEM text or path of a certificate, for https. A file is read again when it changes. */
  readonly cert?: string | undefined
  /** PEM text or path of its private key. */
  readonly key?: string | undefined
  /** Called with a line for each failure of `decide`, once while it lasts. Default: `process.emitWarning`. */
  readonly onWarning?: ((line: string) => void) | undefined
}

/** The webhook of a FleetAutoscaler. */
export interface Autoscaler {
  /** Such as `http://127.0.0.1:8000`. Every path is answered. */
  readonly url: string
  close(): Promise<void>
}

/** The platform itself gives up after 15 s. */
const DECIDE_MS = 10_000
/** Characters of the longest review: a Fleet has few counters and lists. */
const LONGEST_REVIEW = 2 ** 20
/** The replicas of a Fleet are an int32. */
const MOST = 2 ** 31 - 1

/**
 * Serves the webhook of a FleetAutoscaler: `decide` says how many replicas the Fleet should have. While `decide` fails, the
 * platform leaves the Fleet as it is, or goes on with the next policy of its chain.
 *
 * @throws TypeError for an unknown option, a value that makes no sense or a certificate that can't be used, and the
 * system's error for a port that can't be had
 */
export async function createAutoscaler(options: AutoscalerOptions): Promise<Autoscaler> {
  // A matchmaker that serves no webhook loads none of this.
  const [{ checkAutoscalerOptions }, { checkCertificate, followCertificate, listen, urlHost }] = await Promise.all([
    import('../platform/schema.js'),
    import('../local/http.js'),
  ])
  checkAutoscalerOptions(options)
  const { port = 8000, address = '::', cert, key, decide } = options
  const { onWarning = (line: string) => process.emitWarning(line, { type: 'GameServerSidecar' }) } = options
  const tls = checkCertificate(cert, key)
  /** By Fleet: a failure is told once while it lasts. */
  const failures = new Map<string, string>()

  function note({ namespace, name }: ReviewRequest, failure?: string): void {
    const fleet = `${namespace}/${name}`
    const before = failures.get(fleet)
    if (failure === undefined) failures.delete(fleet)
    else failures.set(fleet, failure)
    if (failure !== undefined && failure !== before) onWarning(failure)
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.method === 'GET') return answer(200, { message: 'The webhook of a FleetAutoscaler' })
    // Only pages send an Origin, and none has a say in this.
    if (request.headers.origin !== undefined) return answer(403, { message: 'A webhook is not for pages' })
    const asked = await readReview(request).catch(() => undefined)
    if (asked === undefined) return answer(400, { message: 'POST a FleetAutoscaleReview' })
    const { uid, status } = asked
    try {
      const replicas = await decideInTime(decide, asked)
      note(asked)
      const scaling = { uid, scale: replicas !== undefined, replicas: replicas ?? status.replicas }
      answer(200, { request: asked, response: scaling })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `The Fleet ${JSON.stringify(asked.name)} stays as it is: ${reason}`
      answer(500, { message })
      note(asked, message)
    }
  }

  const handle = (request: IncomingMessage, response: ServerResponse): void => void serve(request, response)
  const secure = tls && createSecureServer(tls, handle)
  if (secure && tls.files) followCertificate(secure, tls.files, onWarning)
  const server = secure ?? createServer(handle)
  await listen(server, port, address)
  return {
    url: `${tls ? 'https' : 'http'}://${urlHost(address)}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Undefined for anything but a FleetAutoscaleReview. */
async function readReview(request: IncomingMessage): Promise<ReviewRequest | undefined> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    if (text.length > LONGEST_REVIEW) return undefined
  }
  const review: unknown = JSON.parse(text)
  const asked = isObject(review) ? review['request'] : undefined
  return isObject(asked) && isObject(asked['status']) ? (asked as unknown as ReviewRequest) : undefined
}

/** @throws Error, rejected, for a decision that can't be used or that takes too long, and what `decide` throws */
async function decideInTime(decide: Decide, request: ReviewRequest): Promise<number | undefined> {
  const { name, namespace, status, labels = {}, annotations = {} } = request
  const fleet = { counters: {}, lists: {}, ...status, name, namespace, labels, annotations } as ReviewedFleet
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`decide has not answered within ${DECIDE_MS / 1000} s`)), DECIDE_MS)
  })
  const decided = (async () => decide({ fleet, request }))()
  const replicas = await Promise.race([decided, late]).finally(() => clearTimeout(timer))
  if (replicas === undefined || (Number.isInteger(replicas) && replicas >= 0 && replicas <= MOST)) return replicas
  throw new Error(`decide must return a whole number of replicas, at least 0; got ${String(replicas).slice(0, 40)}`)
}

type Length = () => number | Promise<number>

/** As many servers as are in use, and one for each request that waits: `byQueue(() => allocator.waiting)`. */
export const byQueue =
  (length: Length): Decide =>
  async ({ fleet }) =>
    fleet.allocatedReplicas + fleet.reservedReplicas + (await length())

/**
 * Nothing while nobody plays. Else as many servers as are in use, one for each request that waits, and `idle` more.
 *
 * @param queue how many requests wait: with no servers, only these bring the Fleet back, such as `() => allocator.waiting`
 * @param idle default 1
 * @param cooldown ms without use after which the last servers go. Default 10 minutes
 */
export function scaleToZero(options: {
  readonly queue: Length
  readonly idle?: number
  readonly cooldown?: number
}): Decide {
  const { queue, idle = 1, cooldown = 600_000 } = options
  const decide = byQueue(queue)
  /** When each Fleet was used last, and its allocations until then. */
  const uses = new Map<string, { readonly at: number; readonly allocations: number }>()
  return async (review) => {
    const { namespace, name, allocations = 0 } = review.fleet
    const key = `${namespace}/${name}`
    const wanted = (await decide(review))!
    const last = uses.get(key)
    const now = performance.now()
    const isUsed = wanted > 0 || last?.allocations !== allocations
    if (isUsed) uses.set(key, { at: now, allocations })
    return isUsed || now - last.at < cooldown ? wanted + idle : 0
  }
}
