import { meant } from '../protocol/nearest.js'
import { operations } from '../protocol/operations.js'
import type { OperationName } from '../protocol/operations.js'
import type { Delays, Sidecar } from '../sidecar/index.js'
import { decodePath, findRoute } from '../sidecar/wire/routes.js'
import type { MockClock } from './clock.js'
import { failWithStatus } from '../sidecar/model/state/answer.js'
import type { Journal } from './journal.js'
import type { FailHow, FailTarget } from './types.js'

/** Everything between a client and the sidecar. */
export interface Network {
  readonly baseUrl: string
  readonly sidecar: Sidecar
  readonly clock: MockClock
  readonly failures: Failures
  readonly journal: Journal
  /** Bytes of a line over WebSocket, its line end included; Infinity for no limit. */
  readonly lineLimit: number
  readonly answersUnknown: boolean
  /** Nobody listens, since the sidecar is restarting or closed. */
  readonly isDown: boolean
  /** What waits on the way, in the mock's time. */
  readonly delays: Delays
  /** Counts work that the host finishes by itself. */
  busy<T>(work: Promise<T>): Promise<T>
}

/** The part of a URL that the sidecar gets. */
export function targetOf(url: string, { baseUrl, journal }: Network): string {
  const own = url.replace(/^ws/, 'http')
  if (own.startsWith(baseUrl)) return own.slice(baseUrl.length)
  throw journal.refuse(url, `the mock is at ${baseUrl}`)
}

/** The operation of a request, and the name of the counter or list; undefined if the sidecar answers without one. */
export function operationOf(
  method: string,
  target: string,
  network: Network,
): { readonly operation: OperationName; readonly name: string } | undefined {
  const path = target.replace(/\?.*$/s, '')
  const decoded = decodePath(path)
  const route = decoded && findRoute(method, decoded)
  if (route?.type === 'watch') return { operation: 'watchGameServer', name: '' }
  if (route?.type === 'call') return { operation: route.operation, name: route.key.text }
  if (!network.answersUnknown && (route?.type === 'not-found' || route?.type === 'wrong-method')) {
    throw network.journal.refuse(`${method} ${path}`, hintFor(`${method} ${path}`))
  }
  return undefined
}

function hintFor(request: string): string {
  const known = Object.values(operations).map(([method, path]) => `${method} ${path}`)
  const best = meant(request, known)
  return best ? `the nearest is ${best}` : `there are ${known.join(', ')}`
}

/** What a host's fetch throws where the network fails. */
export function networkError(code: 'ECONNREFUSED' | 'ECONNRESET'): TypeError {
  const why = code === 'ECONNREFUSED' ? 'the connection was refused' : 'the connection was reset'
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`mock: ${why}`), { code }) })
}

/**
 * What a failure makes of a request: an answer, or undefined where it only came late. Rejects where the connection breaks,
 * after the request took effect by `sendOn` if the failure says so.
 */
export async function meet(
  { delay, status, message, network: how, apply }: Failure,
  network: Network,
  left: AbortSignal | undefined,
  sendOn?: () => Promise<unknown>,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  if (delay !== undefined) await wait(network, delay, left)
  if (delay !== undefined && status === undefined && how === undefined) return undefined
  if (apply) await sendOn?.()
  if (how === 'timeout') await wait(network, Infinity, left)
  if (how === 'reset') throw networkError('ECONNRESET')
  const answer = failWithStatus(status ?? 503, message ?? 'made to fail by the mock')
  return { status: answer.status, text: JSON.stringify(answer.body) }
}

/** Resolves after ms of the mock's time; rejects when the connection breaks or the client leaves first. */
async function wait({ delays }: Network, ms: number, left = new AbortController().signal): Promise<void> {
  try {
    await delays.wait(ms, left)
  } catch {
    throw left.aborted ? abortError(left) : networkError('ECONNRESET')
  }
}

export function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : Object.assign(new Error('This request was aborted'), { name: 'AbortError' })
}

export interface Failure extends FailHow {
  readonly operations: readonly OperationName[] | undefined
  left: number
}

/** The failures that `fail()` has set up. */
export interface Failures {
  add(target: FailTarget, how: FailHow): () => void
  /** The latest failure that affects an operation; it counts as used. */
  take(operation: OperationName): Failure | undefined
}

export function createFailures(): Failures {
  let failures: Failure[] = []
  return {
    add(target, how) {
      const operations = target === '*' ? undefined : typeof target === 'string' ? [target] : target
      const failure: Failure = { ...how, operations, left: how.times ?? Infinity }
      failures = [failure, ...failures]
      return () => {
        failures = failures.filter((other) => other !== failure)
      }
    },
    take(operation) {
      const failure = failures.find(({ operations, left }) => left > 0 && (operations?.includes(operation) ?? true))
      if (failure !== undefined && --failure.left === 0) failures = failures.filter((other) => other !== failure)
      return failure
    },
  }
}
