import { setTimeout as sleep } from 'node:timers/promises'
import { onAbort } from '../../client/time.js'
import { longestTimer } from '../../protocol/names.js'
import { edgeUrl } from '../../protocol/edge-url.js'
import { allocationOf, requestOf } from './answers.js'
import { AllocationError, type AllocationErrorCode } from './failures.js'
import { type Cluster, clustersOf, inOrder, note } from './endpoints.js'
import { checkNames, OPTIONS, type PodEnvironment } from './find-way.js'
import type { AllocateRequest, Allocation, Allocator, AllocatorOptions } from './types.js'

const FIELDS = 'fleet selectors priorities scheduling counters lists labels annotations wait signal region'.split(' ')

/** ms of the first backoff after each retryable outcome. None of these outcomes allocates. */
const PAUSES: Partial<Record<AllocationErrorCode, number>> = { CONTENTION: 50, UNALLOCATED: 250, UNAVAILABLE: 250 }
const LONGEST_PAUSE = 5_000

/**
 * Allocates GameServers: of a Fleet on this machine, by the Kubernetes API or by the platform's allocator service; of one
 * cluster or of several.
 *
 * @throws AllocationError CONFIG for wrong options, and where nothing says where to allocate
 */
export function createAllocator(options: AllocatorOptions = {}): Allocator {
  return createAllocatorIn({ env: process.env, account: '/var/run/secrets/kubernetes.io/serviceaccount' }, options)
}

/** `createAllocator()` with another environment, for tests. */
export function createAllocatorIn(environment: PodEnvironment, options: AllocatorOptions): Allocator {
  checkNames(options, OPTIONS, 'CONFIG')
  const clusters = clustersOf(options, environment)
  const { timeout = 10_000, edge, allowDuplicate = false } = options
  checkMs('timeout', timeout, 'CONFIG', longestTimer)
  if (edgeUrl({ edge, address: '10.0.0.1', port: 1 }) === undefined)
    throw new AllocationError('CONFIG', `edge must be a host name, such as play.example.com; got "${edge}"`)
  let waiting = 0
  const life = new AbortController()

  function stopped({ reason }: AbortSignal, wasSent: boolean): AllocationError {
    const hint = wasSent ? 'The request was sent, so a GameServer may be allocated' : undefined
    if (life.signal.aborted) return new AllocationError('CLOSED', 'The allocator is closed', { hint })
    return new AllocationError('ABORTED', 'Aborted by its signal', { hint, cause: reason })
  }

  async function askOne(cluster: Cluster, request: AllocateRequest, signal: AbortSignal): Promise<Allocation> {
    const { way, transport, region } = cluster
    const { path, body } = requestOf(way, request)
    try {
      const allocation = allocationOf(way, request, await transport.post(path, body, signal), edge)
      note(cluster)
      return { ...allocation, region }
    } catch (error) {
      const { code } = error as AllocationError
      if (signal.aborted) throw stopped(signal, code === 'UNKNOWN_OUTCOME')
      note(cluster, error as AllocationError)
      throw error
    }
  }

  /** Asks the clusters, one after the other. Rejects with the outcome after which asking again helps most. */
  async function askAll(request: AllocateRequest, signal: AbortSignal): Promise<Allocation> {
    let outcome: AllocationError | undefined
    for (const cluster of inOrder(clusters, request.region)) {
      if (signal.aborted) throw stopped(signal, false)
      try {
        return await askOne(cluster, request, signal)
      } catch (error) {
        const { code } = error as AllocationError
        const isFinal = code === 'INVALID_ARGUMENT' || (code === 'UNKNOWN_OUTCOME' && !allowDuplicate)
        if (isFinal || signal.aborted) throw error
        if (outcome === undefined || PAUSES[outcome.code] === undefined) outcome = error as AllocationError
      }
    }
    throw outcome!
  }

  /** Exponential backoff, with jitter so that many matchmakers don't ask at the same moment. */
  async function ask(request: AllocateRequest, deadline: number, signal: AbortSignal): Promise<Allocation> {
    for (let growth = 1; ; growth *= 1.5) {
      if (signal.aborted) throw stopped(signal, false)
      try {
        return await askAll(request, signal)
      } catch (error) {
        const first = signal.aborted ? undefined : PAUSES[(error as AllocationError).code]
        const rest = deadline - performance.now()
        if (first === undefined || rest <= 0) throw error
        const pause = Math.min(LONGEST_PAUSE, first * growth) * (0.5 + Math.random() / 2)
        await sleep(Math.min(rest, pause), undefined, { signal }).catch(() => undefined)
      }
    }
  }

  return {
    async allocate(request = {}) {
      checkNames(request, FIELDS, 'INVALID_ARGUMENT')
      const { wait = 0, signal } = request
      checkMs('wait', wait, 'INVALID_ARGUMENT')
      const call = new AbortController()
      const forget = [life.signal, ...(signal ? [signal] : [])].map((one) => onAbort(one, () => call.abort(one.reason)))
      waiting++
      try {
        return await ask(request, performance.now() + wait, call.signal)
      } finally {
        waiting--
        forget.forEach((undo) => undo())
      }
    },
    get waiting() {
      return waiting
    },
    close() {
      life.abort()
      for (const { transport } of clusters) transport.close()
    },
  }
}

function checkMs(name: string, value: unknown, code: AllocationErrorCode, most = Infinity): void {
  if (typeof value === 'number' && value >= 0 && value <= most) return
  throw new AllocationError(code, `${name} must be a number of milliseconds; got ${String(value).slice(0, 40)}`)
}
