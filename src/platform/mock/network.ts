import { didYouMean } from '../../protocol/nearest.js'
import { operations, type OperationName } from '../../protocol/operations.js'
import type { Delays, Sidecar } from '../sidecar.js'
import { decodePath, findRoute } from '../sidecar/wire/routes.js'
import type { MockClock } from './clock.js'
import { failWithStatus } from '../sidecar/state/answer.js'
import { checkOperation, type Journal } from './journal.js'
import type { FailHow, FailTarget } from './types.js'

/** The network between a client and the sidecar. */
export interface Network {
  readonly baseUrl: string
  readonly sidecar: Sidecar
  readonly clock: MockClock
  readonly failures: ReturnType<typeof createFailures>
  readonly journal: Journal
  /** Bytes of a line over WebSocket, its line end included; Infinity for no limit. */
  readonly lineLimit: number
  readonly answersUnknown: boolean
  /** The sidecar is restarting or closed, so connections are refused. */
  readonly isDown: boolean
  /** Delayed requests, in the mock's time. */
  readonly delays: Delays
  /** Marks work that the host finishes by itself, without the clock. */
  busy<T>(work: Promise<T>): Promise<T>
}

/** The path and query of a URL. */
export function targetOf(url: string, { baseUrl, journal }: Network): string {
  const own = url.replace(/^ws/, 'http')
  if (own.startsWith(baseUrl)) return own.slice(baseUrl.length)
  throw journal.refuse(url, `the mock is at ${baseUrl}`)
}

/** The operation of a request, and the name of its counter or list; undefined without an operation. */
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
    const request = `${method} ${path}`
    const known = Object.values(operations).map(([one, template]) => `${one} ${template}`)
    throw network.journal.refuse(request, didYouMean(request, known))
  }
  return undefined
}

/** The error that a host's fetch throws if the network fails. */
export function networkError(code: 'ECONNREFUSED' | 'ECONNRESET'): TypeError {
  const why = code === 'ECONNREFUSED' ? 'the connection was refused' : 'the connection was reset'
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`mock: ${why}`), { code }) })
}

/**
 * Applies a failure to a request. Returns an answer, or undefined if the request was only delayed. Rejects if the
 * connection breaks; with `apply`, `sendOn` has sent the request before.
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

/** Resolves after so many ms of the mock's time; rejects if the connection breaks or the client leaves first. */
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
export function createFailures() {
  let failures: Failure[] = []
  return {
    add(target: FailTarget, how: FailHow): () => void {
      const operations = target === '*' ? undefined : typeof target === 'string' ? [target] : target
      operations?.forEach(checkOperation)
      const failure: Failure = { ...how, operations, left: how.times ?? Infinity }
      failures = [failure, ...failures]
      return () => {
        failures = failures.filter((other) => other !== failure)
      }
    },
    /** The latest failure that affects an operation; it counts as used. */
    take(operation: OperationName): Failure | undefined {
      const failure = failures.find(({ operations, left }) => left > 0 && (operations?.includes(operation) ?? true))
      if (failure !== undefined && --failure.left === 0) failures = failures.filter((other) => other !== failure)
      return failure
    },
  }
}
