import { setTimeout as sleep } from 'node:timers/promises'
import { onAbort } from '../client/signals.js'
import { edgeUrl } from '../protocol/edge-url.js'
import { allocationOf, requestOf } from './answers.js'
import { AllocationError, type AllocationErrorCode } from './errors.js'
import { failureOf } from './failures.js'
import { checkNames, findWay, type Surroundings } from './find-way.js'
import { createTransport, Unanswered } from './transport.js'
import type { AllocateRequest, Allocation, Allocator, AllocatorOptions } from './types.js'

const REQUEST = [
  ...['fleet', 'selectors', 'priorities', 'scheduling', 'counters', 'lists', 'labels', 'annotations', 'wait', 'signal'],
] as readonly string[]

/** ms of the first pause after each outcome that asking again may change. Nothing was allocated by any of them. */
const PAUSES: Partial<Record<AllocationErrorCode, number>> = { CONTENTION: 50, UNALLOCATED: 250, UNAVAILABLE: 250 }
const LONGEST_PAUSE = 5_000
/** ms of the longest pause that the platform may ask for. */
const MOST_PATIENCE = 60_000
/** The most that Node's timers take: a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1
const GROWTH = 1.5

/** Exponential with a cap, and jitter, so that many matchmakers don't ask at the same moment. */
const pauseAfter = (first: number, attempt: number): number =>
  Math.min(LONGEST_PAUSE, first * GROWTH ** attempt) * (0.5 + Math.random() / 2)

/**
 * Allocates GameServers: of a Fleet on the desk, by the Kubernetes API or by the platform's allocator service.
 *
 * @throws AllocationError CONFIG for wrong options, and where nothing says where to allocate
 */
export function createAllocator(options: AllocatorOptions = {}): Allocator {
  return createAllocatorIn({ env: process.env, account: '/var/run/secrets/kubernetes.io/serviceaccount' }, options)
}

/** `createAllocator()` with another environment, for tests. */
export function createAllocatorIn(surroundings: Surroundings, options: AllocatorOptions): Allocator {
  const way = findWay(options, surroundings)
  const { timeout = 10_000, edge } = options
  checkMs('timeout', timeout, 'CONFIG', LONGEST_TIMER)
  checkEdge(edge)
  const transport = createTransport(way, timeout)

  /** The controllers of the calls that wait. */
  const calls = new Set<AbortController>()
  let isClosed = false

  async function ask(request: AllocateRequest, signal: AbortSignal): Promise<Allocation> {
    const { path, body } = requestOf(way, request)
    const token = await way.token?.()
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(way.kind === 'sidecar' ? { 'x-sidecar-control': '1' } : {}),
    }
    try {
      return allocationOf(way, request, await transport.post(path, headers, body, signal), edge)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      if (signal.aborted) throw stopped(signal, error.wasSent)
      throw failureOf(way, error)
    }
  }

  function stopped({ reason: cause }: AbortSignal, wasSent = false): AllocationError {
    const hint = wasSent ? 'The request was sent, so a GameServer may be allocated' : undefined
    return isClosed
      ? new AllocationError('CLOSED', 'The allocator is closed', { hint })
      : new AllocationError('ABORTED', 'Aborted by its signal', { hint, cause })
  }

  async function askUntil(request: AllocateRequest, deadline: number, signal: AbortSignal): Promise<Allocation> {
    for (let attempt = 0; ; attempt++) {
      if (signal.aborted) throw stopped(signal)
      try {
        return await ask(request, signal)
      } catch (error) {
        const first = error instanceof AllocationError ? PAUSES[error.code] : undefined
        const rest = deadline - performance.now()
        if (first === undefined || rest <= 0) throw error
        const pause = Math.max((error as AllocationError).retryAfter ?? 0, pauseAfter(first, attempt))
        await sleep(Math.min(rest, pause, MOST_PATIENCE), undefined, { signal }).catch(() => undefined)
      }
    }
  }

  return {
    async allocate(request = {}) {
      checkNames(request, REQUEST, 'field', 'INVALID_ARGUMENT')
      const { wait = 0, signal } = request
      checkMs('wait', wait, 'INVALID_ARGUMENT')
      const call = new AbortController()
      if (isClosed) call.abort()
      const forget = signal && onAbort(signal, () => call.abort(signal.reason))
      calls.add(call)
      try {
        return await askUntil(request, performance.now() + wait, call.signal)
      } finally {
        calls.delete(call)
        forget?.()
      }
    },
    close() {
      isClosed = true
      calls.forEach((call) => call.abort())
      transport.close()
    },
  }
}

function checkEdge(edge: string | undefined): void {
  try {
    edgeUrl({ edge, address: '10.0.0.1', port: 1 })
  } catch {
    throw new AllocationError('CONFIG', `edge must be a host name, such as play.example.com; got "${edge}"`)
  }
}

function checkMs(name: string, value: unknown, code: AllocationErrorCode, most = Infinity): void {
  if (typeof value === 'number' && value >= 0 && value <= most) return
  throw new AllocationError(code, `${name} must be a number of milliseconds; got ${String(value).slice(0, 40)}`)
}
