import { expect } from 'vitest'
import type { first } from './releases.js'
import type { GameServer } from '../../../src/protocol/game-server.js'
import { gameServer, type Changes } from '../../support/game-server.js'

/** A body to send: text, bytes written as Latin-1, or `before`, then `times` letters, then `after`. */
export type Body = string | { latin1: string } | { before: string; times: number; after: string }

export interface Request {
  /** Defaults to `Content-Type: application/json`; `null` leaves a header out. */
  headers?: Readonly<Record<string, string | null>>
  body?: Body
  /** Send the body in chunks, without a Content-Length. */
  chunked?: boolean
}

export interface Answer {
  status: number
  /** The Content-Type, exactly; `null` when there is none. */
  type: string | null
  /** Parsed JSON, or the text when the type isn't JSON. */
  body: unknown
}

export interface Step extends Request {
  /** Method and path as they go over the wire, `POST /ready`. */
  call: string
  expect: Answer
  /** What our sidecar answers instead, where it differs on purpose. */
  ours?: Answer
}

export interface Setup {
  /** A GameServer manifest the sidecar is started with. */
  file?: string
  /** As the real sidecar's `--feature-gates`. */
  gates?: string
}

/** A fresh sidecar, then these requests in this order. */
export interface WireCase {
  name: string
  /** The releases before behave otherwise, in the case as a whole. */
  since?: keyof typeof first
  setup?: Setup
  steps: readonly Step[]
}

/** A call with its request (a string is the body) and its answer. */
export const step = (call: string, request: string | Request | undefined, expect: Answer): Step => ({
  call,
  ...(typeof request === 'string' ? { body: request } : request),
  expect,
})

/** A case of one call, and of steps that look at what it did. */
export const one = (
  name: string,
  call: string,
  request: string | Request | undefined,
  expect: Answer,
  ...then: readonly Step[]
): WireCase => ({ name, steps: [step(call, request, expect), ...then] })

/** A case that its call, and the body if there is one, name. */
export const call = (line: string, expect: Answer, body?: string, ...then: readonly Step[]): WireCase =>
  one(body === undefined || body === '{}' ? line : `${line} with ${body || 'no body'}`, line, body, expect, ...then)

/** Words of a table, parted by spaces. */
export const words = (table: string): string[] => table.trim().split(/\s+/)

/** Texts of a table, parted by lines or bars. */
export const texts = (table: string): string[] => table.split(/ \| |\s*\n\s*/)

export const ok = (body: unknown = {}): Answer => ({ status: 200, type: 'application/json', body })

export const fails = (status: number, code: number, message: string): Answer => ({
  status,
  type: 'application/json',
  body: { code, message, details: [] },
})

/** A request that is refused with a message of the sidecar's own. */
export const invalid = (message: string): Answer => fails(400, 3, message)

/** A request that can't be parsed. Each parser says so in its own words, which are not compared. */
export const malformed: Answer = {
  status: 400,
  type: 'application/json',
  body: { code: 3, message: expect.any(String) as string, details: [] },
}

/** A request that was understood and isn't carried out. */
export const refused = (message: string): Answer => fails(500, 2, message)

/** What a list's mask is refused with; the sidecar prints its own description of a list behind it. */
export const badMask = (paths: string): Answer =>
  refused(
    `invalid argument. Field Mask Path(s): [${paths}] are invalid for List. ` +
      'Use valid field name(s): Fields{' +
      '{Name: name, Number: 1, Cardinality: optional, Kind: string, HasJSONName: true, JSONName: "name"}, ' +
      '{Name: capacity, Number: 2, Cardinality: optional, Kind: int64, HasJSONName: true, ' +
      'JSONName: "capacity"}, ' +
      '{Name: values, Number: 3, Cardinality: repeated, Kind: string, HasJSONName: true, ' +
      'JSONName: "values", IsList: true}}',
  )

/** More than 4 MiB, however much that is. */
export const tooLarge = fails(429, 8, 'grpc: received message larger than max (more vs. 4194304)')

/** A path with a malformed percent escape. */
export const badEscape: Answer = { status: 400, type: 'text/plain; charset=utf-8', body: '400 Bad Request' }

/** `/health` without a body. */
export const noBeat: Answer = { status: 400, type: null, body: '' }

/** Local mode's own counter. */
export const rooms = (count = '1', capacity = '10'): Record<string, string> => ({
  name: 'rooms',
  count,
  capacity,
})

/** Local mode's own list. */
export const players = (
  values: readonly string[] = ['test0', 'test1', 'test2'],
  capacity = '100',
): Record<string, unknown> => ({ name: 'players', capacity, values })

/** What the mux itself says, before any operation is found. */
export const notFound = fails(404, 5, 'Not Found')
export const wrongMethod = fails(501, 12, 'Method Not Allowed')

/** The parts of local mode's own GameServer that a call can change. */
export type GameServerChanges = Pick<Changes, 'state' | 'labels' | 'annotations' | 'counters' | 'lists'>

/** Stands for a creation time, which no case can know. */
export const someTime = '(a time)'

/** Local mode's GameServer without a file, labels and annotations added to the given ones. */
export const localGameServer = ({ state, labels, annotations, counters, lists }: GameServerChanges = {}): GameServer =>
  gameServer('v1', {
    name: 'local',
    uid: '1234',
    generation: '1',
    creation_timestamp: someTime,
    annotations: { annotation: 'true', ...annotations },
    labels: { islocal: 'true', ...labels },
    health: { period_seconds: 3, failure_threshold: 5, initial_delay_seconds: 10 },
    state: state ?? 'Ready',
    counters: { rooms: { count: '1', capacity: '10' }, ...counters },
    lists: { players: { capacity: '100', values: ['test0', 'test1', 'test2'] }, ...lists },
  })

/** A GameServer of a file: what the file doesn't say is there and empty. */
export const fileGameServer = (
  objectMeta: Record<string, unknown>,
  status: Record<string, unknown> = {},
  health: Record<string, unknown> = {},
): Record<string, unknown> => ({
  object_meta: {
    name: '',
    namespace: '',
    uid: '',
    resource_version: '',
    generation: '0',
    creation_timestamp: '-62135596800',
    deletion_timestamp: '0',
    annotations: {},
    labels: {},
    ...objectMeta,
  },
  spec: {
    health: { disabled: false, period_seconds: 0, failure_threshold: 0, initial_delay_seconds: 0, ...health },
  },
  status: {
    state: '',
    address: '',
    addresses: [],
    ports: [],
    players: null,
    counters: {},
    lists: {},
    ...status,
  },
})

/** A step that reads the whole object back. */
export const seen = (changes: GameServerChanges = {}): Step =>
  step('GET /gameserver', undefined, ok(localGameServer(changes)))
