import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetAllocation, RunningFleet } from '../../fleet/types.js'
import { isObject } from '../../protocol/is-object.js'
import { readAllocation } from '../../schema/allocation.js'
import { InvalidInput, pathText } from '../../schema/check.js'
import { refusalResponse } from '../http/refusal.js'
import type { Refusal } from '../http/refusal.js'
import { parseJson, readBodyText, TooLarge } from '../local/control-routes.js'
import { answerOf, manifestOf } from './allocator-service.js'
import { json } from './answer.js'
import { readObject } from './patch.js'
import type { ResourceType } from './resources.js'
import { textOf } from './selectors.js'
import { refusals } from './status.js'

/** How long an allocation waits for others of its batch. The platform's `allocation-batch-wait-time` is 500 ms. */
const BATCH_MS = 1

/** Answers of the allocator service without a GameServer: `convertStateV1ToError` of `pkg/allocation/converters`. */
const failures: Readonly<Record<string, Refusal>> = {
  UnAllocated: { status: 429, code: 8, message: 'there is no available GameServer to allocate' },
  Contention: { status: 409, code: 10, message: 'too many concurrent requests have overwhelmed the system' },
}

export interface Allocations {
  /** Answers `POST …/gameserverallocations`. @throws StatusError */
  create(type: ResourceType, namespace: string, request: Request): Promise<Response>
  /** Answers the allocator service's `POST /gameserverallocation`. */
  serve(request: Request): Promise<Response>
}

/** Allocates for both of the platform's APIs. Requests that are in flight at the same time make a batch. */
export function createAllocations(fleet: RunningFleet): Allocations {
  let batch = 1
  let inFlight = 0

  const inBatch = async <T>(work: () => Promise<T>): Promise<T> => {
    inFlight += 1
    try {
      return await work()
    } finally {
      inFlight -= 1
      if (inFlight === 0) batch += 1
    }
  }
  const allocate = async (value: unknown): Promise<FleetAllocation> => {
    const manifest = readAllocation(value)
    await sleep(BATCH_MS)
    return fleet.allocate(manifest, batch)
  }

  const create = async (type: ResourceType, namespace: string, request: Request): Promise<Response> => {
    const manifest = await readObject(request, await readBodyText(request, 'allocation'))
    const metadata = isObject(manifest['metadata']) ? manifest['metadata'] : {}
    try {
      const { answer, state, reason } = await allocate({ ...manifest, metadata: { ...metadata, namespace } })
      const { reason: _reason, ...body } = answer
      // The platform doesn't tell why. kubectl prints the header as a warning.
      const headers = state === 'Allocated' ? {} : { warning: `299 - ${quoted(`${state}: ${reason}`)}` }
      return json(body, 201, headers)
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      throw refusals.invalid(type, textOf(metadata['name']), error.message, pathText(error.path))
    }
  }

  const serve = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return refusalResponse({ status: 501, code: 12, message: 'Method Not Allowed' })
    try {
      const asked = parseJson((await readBodyText(request, 'allocation')) || '{}')
      if (!isObject(asked)) return refusalResponse({ status: 400, code: 3, message: 'The body must be a JSON object' })
      // The platform takes no namespace for one without GameServers.
      const namespace = textOf(asked['namespace']) || '(none)'
      const { state, answer } = await allocate({ ...manifestOf(asked), metadata: { namespace } })
      return state === 'Allocated' ? json(answerOf(answer.status)) : refusalResponse(failures[state]!)
    } catch (error) {
      if (error instanceof TooLarge) return refusalResponse({ status: 413, code: 8, message: error.message })
      if (error instanceof InvalidInput) return refusalResponse({ status: 400, code: 3, message: error.message })
      throw error
    }
  }
  return {
    create: (...asked) => inBatch(() => create(...asked)),
    serve: (request) => inBatch(() => serve(request)),
  }
}

/** A text as a quoted string of a header, without what a header can't hold. */
const quoted = (text: string): string =>
  JSON.stringify(
    text
      .slice(0, 1000)
      .replaceAll('×', 'x')
      .replace(/[^\x20-\x7e]/g, '?'),
  )
