import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { FleetAllocation, RunningFleet } from '../../../platform/fleet.js'
import { isObject } from '../../../protocol/is-object.js'
import { InvalidInput, readAllocation, readAllocationRequest } from '../../../platform/schema.js'
import type { AllocationStatus } from '../../../platform/sidecar.js'
import { parseJson, readBodyText, TooLarge } from '../../http/read-body.js'
import { mediaTypeOf, readObject } from './patch.js'
import { refusals, StatusError, type Answer, type ApiRequest, type ResourceType } from './resources.js'
import { textOf } from './reads.js'

const refusal = (status: number, code: number, message: string): Answer => ({
  status,
  body: { code, message, details: [] },
})

/** Answers of the allocator service without a GameServer: `convertStateV1ToError` of `pkg/allocation/converters`. */
const failures: Readonly<Record<string, Answer>> = {
  UnAllocated: refusal(429, 8, 'there is no available GameServer to allocate'),
  Contention: refusal(409, 10, 'too many concurrent requests have overwhelmed the system'),
}

/**
 * Allocates for both of the platform's APIs. Where the platform collects a batch for its `allocation-batch-wait-time` of
 * 500 ms, a batch here is what is in flight at the same time, so no request waits. A connection that asks again has had
 * its answer, and begins the next batch.
 */
export function createAllocations(fleet: RunningFleet, type: ResourceType) {
  let batch = 0
  let inFlight = 0
  let answered = new WeakSet<Socket>()

  const inBatch = async ({ socket }: IncomingMessage, work: () => Promise<Answer>): Promise<Answer> => {
    if (inFlight === 0 || answered.has(socket)) {
      batch += 1
      answered = new WeakSet()
    }
    inFlight += 1
    try {
      const answer = await work()
      // What was sent during the work is read in the next turn of the event loop, and belongs to the batch.
      await turn()
      await turn()
      return answer
    } finally {
      inFlight -= 1
      answered.add(socket)
    }
  }
  /** @throws InvalidInput for what can't be read, StatusError for what is invalid */
  const allocate = (value: object, name = ''): FleetAllocation => {
    try {
      return fleet.allocate(readAllocation(value), batch)
    } catch (error) {
      throw error instanceof InvalidInput && !error.isUndecodable ? refusals.unreadable(type, name, error) : error
    }
  }

  const create = async ({ namespace, message }: ApiRequest): Promise<Answer> => {
    const manifest = readObject(message, await readBodyText(message, 'allocation'))
    const metadata = isObject(manifest['metadata']) ? manifest['metadata'] : {}
    const given = { ...manifest, metadata: { ...metadata, namespace } }
    const { answer, state, reason } = allocate(given, textOf(metadata['name']))
    const { reason: _, ...body } = answer
    // The platform doesn't tell why. kubectl prints the header as a warning.
    const headers = state === 'Allocated' ? {} : { warning: `299 - ${quoted(`${state}: ${reason}`)}` }
    return { status: 201, body, headers }
  }

  const serve = async (message: IncomingMessage): Promise<Answer> => {
    if (message.method !== 'POST') return refusal(501, 12, 'Method Not Allowed')
    try {
      // Any page may send another type without asking.
      mediaTypeOf(message, ['application/json'])
      const { state, answer } = allocate(
        readAllocationRequest(parseJson((await readBodyText(message, 'allocation')) || '{}')),
      )
      return state === 'Allocated' ? { body: answerOf(answer.status) } : failures[state]!
    } catch (error) {
      const text = (error as Error).message
      if (error instanceof TooLarge) return refusal(413, 8, text)
      if (error instanceof InvalidInput) return refusal(400, 3, text)
      if (!(error instanceof StatusError)) throw error
      // cmd/allocator/main.go takes the status 422 for a gRPC code, and grpc-gateway answers a code it doesn't know with 500.
      return error.code === 422 ? refusal(500, 422, text) : refusal(error.code, 3, text)
    }
  }
  return {
    /** Answers `POST …/gameserverallocations`. @throws StatusError */
    create: (request: ApiRequest) =>
      inBatch(request.message, () => create(request)).catch((error: unknown) => {
        // What the platform's API doesn't understand is an error of its own: `pkg/gameserverallocations/controller.go`.
        const isUnread = error instanceof InvalidInput || (error instanceof StatusError && error.code === 400)
        throw isUnread ? refusals.internal(`error decoding body: ${error.message}`) : error
      }),
    /** Answers the allocator service's `POST /gameserverallocation`. */
    serve: (message: IncomingMessage) => inBatch(message, () => serve(message)),
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

/** Counters or lists with each int64 as text. */
const withTexts = (all: object = {}): unknown =>
  JSON.parse(JSON.stringify(all, (_, value: unknown) => (typeof value === 'number' ? String(value) : value)))

/** The answer in protobuf's JSON, with every field, as grpc-gateway writes it. */
function answerOf(status: AllocationStatus<string>): object {
  const { gameServerName, ports = [], address = '', addresses = [], nodeName = '', source, metadata } = status
  return {
    ...{ gameServerName, ports, address, addresses, nodeName, source },
    metadata: { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} },
    counters: withTexts(status.counters),
    lists: withTexts(status.lists),
  }
}
