import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetAllocation, RunningFleet } from '../../fleet/types.js'
import { isObject } from '../../protocol/is-object.js'
import { readAllocation } from '../../schema/allocation.js'
import { InvalidInput, pathText } from '../../schema/check.js'
import type { AllocationStatus, GameServerAllocation } from '../../sidecar/allocation/manifest.js'
import { parseJson, readBodyText, TooLarge } from '../local/control-routes.js'
import { bodyOf } from '../local/http-adapter.js'
import { mediaTypeOf, readObject } from './patch.js'
import type { Answer, Asked } from './resources.js'
import { textOf } from './selectors.js'
import { refusals, StatusError } from './status.js'

type Fields = Readonly<Record<string, unknown>>

/** How long an allocation waits for others of its batch. The platform's `allocation-batch-wait-time` is 500 ms. */
const BATCH_MS = 1

const refusal = (status: number, code: number, message: string): Answer => ({
  status,
  body: { code, message, details: [] },
})

/** What the platform's allocation API doesn't understand is an error of its own: `pkg/gameserverallocations/controller.go`. */
const undecodable = (message: string): StatusError => refusals.internal(`error decoding body: ${message}`)

/** Answers of the allocator service without a GameServer: `convertStateV1ToError` of `pkg/allocation/converters`. */
const failures: Readonly<Record<string, Answer>> = {
  UnAllocated: refusal(429, 8, 'there is no available GameServer to allocate'),
  Contention: refusal(409, 10, 'too many concurrent requests have overwhelmed the system'),
}

export interface Allocations {
  /** Answers `POST …/gameserverallocations`. @throws StatusError */
  create(asked: Asked): Promise<Answer>
  /** Answers the allocator service's `POST /gameserverallocation`. */
  serve(message: IncomingMessage): Promise<Answer>
}

/** Allocates for both of the platform's APIs. Requests that come before the first of them is answered make a batch. */
export function createAllocations(fleet: RunningFleet): Allocations {
  let batch = 1

  const inBatch = async (work: (batch: number) => Promise<Answer>): Promise<Answer> => {
    const own = batch
    return work(own).finally(() => (batch = Math.max(batch, own + 1)))
  }
  const allocate = async (value: unknown, batch: number): Promise<FleetAllocation> => {
    const manifest = readAllocation(value)
    await sleep(BATCH_MS)
    return fleet.allocate(manifest, batch)
  }

  const create = async ({ type, namespace, message }: Asked, batch: number): Promise<Answer> => {
    const manifest = await readObject(message, await bodyText(message)).catch((error: unknown) => {
      throw error instanceof StatusError && error.code === 400 ? undecodable(error.message) : error
    })
    const metadata = isObject(manifest['metadata']) ? manifest['metadata'] : {}
    try {
      const { answer, state, reason } = await allocate({ ...manifest, metadata: { ...metadata, namespace } }, batch)
      const { reason: _, ...body } = answer
      // The platform doesn't tell why. kubectl prints the header as a warning.
      const headers = state === 'Allocated' ? {} : { warning: `299 - ${quoted(`${state}: ${reason}`)}` }
      return { status: 201, body, headers }
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      if (error.isUndecodable) throw undecodable(error.message)
      throw refusals.invalid(type, textOf(metadata['name']), error.message, pathText(error.path))
    }
  }

  const serve = async (message: IncomingMessage, batch: number): Promise<Answer> => {
    if (message.method !== 'POST') return refusal(501, 12, 'Method Not Allowed')
    try {
      // Any page may send another type without asking.
      mediaTypeOf(message, ['application/json'])
      const asked = parseJson((await bodyText(message)) || '{}')
      if (!isObject(asked)) return refusal(400, 3, 'The body must be a JSON object')
      // The platform takes no namespace for one without GameServers.
      const namespace = textOf(asked['namespace']) || '(none)'
      const { state, answer } = await allocate({ ...manifestOf(asked), metadata: { namespace } }, batch)
      return state === 'Allocated' ? { body: answerOf(answer.status) } : failures[state]!
    } catch (error) {
      if (error instanceof TooLarge) return refusal(413, 8, error.message)
      if (error instanceof StatusError) return refusal(error.code, 3, error.message)
      if (!(error instanceof InvalidInput)) throw error
      if (error.isUndecodable) return refusal(400, 3, error.message)
      // grpc-gateway knows no code 422, with which the service refuses.
      return refusal(500, 422, `GameServerAllocation is invalid: ${error.message}`)
    }
  }
  return {
    create: (asked) => inBatch((batch) => create(asked, batch)),
    serve: (message) => inBatch((batch) => serve(message, batch)),
  }
}

const bodyText = (message: IncomingMessage): Promise<string> => readBodyText({ body: bodyOf(message) }, 'allocation')

/** A text as a quoted string of a header, without what a header can't hold. */
const quoted = (text: string): string =>
  JSON.stringify(
    text
      .slice(0, 1000)
      .replaceAll('×', 'x')
      .replace(/[^\x20-\x7e]/g, '?'),
  )

/** The unchecked allocation of a request, as `ConvertAllocationRequestToGSA` of `pkg/allocation/converters` makes it. */
function manifestOf(request: Fields): GameServerAllocation {
  const spec = {
    multiClusterSetting: pick(request['multiClusterSetting'], ['enabled', 'policySelector']),
    selectors: list(request['gameServerSelectors'], selectorOf),
    preferred: list(request['preferredGameServerSelectors'], selectorOf),
    required: isObject(request['requiredGameServerSelector'])
      ? selectorOf(request['requiredGameServerSelector'])
      : null,
    priorities: list(request['priorities'], ({ type, key, order }) => ({
      type: word(type, ['Counter', 'List']),
      key,
      order: word(order, ['Ascending', 'Descending']),
    })),
    scheduling: word(request['scheduling'], ['Packed', 'Distributed']),
    metadata: pick(request['metadata'] ?? request['metaPatch'], ['labels', 'annotations']),
    counters: record(request['counters'], (action) => pick(action, ['action', 'amount', 'capacity'])),
    lists: record(request['lists'], (action) => pick(action, ['addValues', 'deleteValues', 'capacity'])),
  }
  return { spec: spec as NonNullable<GameServerAllocation['spec']> }
}

const selectorOf = (selector: Fields): Fields => ({
  matchLabels: selector['matchLabels'],
  matchExpressions: list(selector['matchExpressions'], ({ key, operator, values }) => ({
    key,
    operator: word(operator, ['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values,
  })),
  gameServerState: stateOf(word(selector['gameServerState'], ['READY', 'ALLOCATED'])),
  counters: record(selector['counters'], (bounds) =>
    pick(bounds, ['minCount', 'maxCount', 'minAvailable', 'maxAvailable']),
  ),
  lists: record(selector['lists'], (bounds) => pick(bounds, ['containsValue', 'minAvailable', 'maxAvailable'])),
})

const stateOf = (state: unknown): unknown => (state === 'READY' ? 'Ready' : state === 'ALLOCATED' ? 'Allocated' : state)

/** The word of an enum, which may be given by its number. */
const word = (value: unknown, words: readonly string[]): unknown =>
  value == null ? words[0] : typeof value === 'number' ? (words[value] ?? value) : value

const list = (value: unknown, change: (item: Fields) => Fields): unknown =>
  Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? change(item) : item)) : value

const record = (value: unknown, change: (item: Fields) => unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isObject(item) ? change(item) : item]))
    : value

/** The known fields; others are ignored. An int64 may be text. */
const pick = (value: unknown, fields: readonly string[]): unknown =>
  isObject(value)
    ? Object.fromEntries(fields.filter((field) => value[field] != null).map((field) => [field, exact(value[field])]))
    : value

const exact = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value

/** The answer in protobuf's JSON, with every field, as grpc-gateway writes it. */
function answerOf(status: AllocationStatus<string>): object {
  const { gameServerName, ports = [], address = '', addresses = [], nodeName = '', source, metadata } = status
  return {
    ...{ gameServerName, ports, address, addresses, nodeName, source },
    metadata: { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} },
    counters: record(status.counters, ({ count, capacity }) => ({ count: String(count), capacity: String(capacity) })),
    lists: record(status.lists, ({ values, capacity }) => ({ values, capacity: String(capacity) })),
  }
}
