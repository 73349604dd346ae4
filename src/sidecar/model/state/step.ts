import type { GameServer } from '../../../protocol/game-server.js'
import { metadataPrefix } from '../../../protocol/names.js'
import { changesBetween } from './game-server-diff.js'
import { sameRecord, withKey } from './records.js'
import type { Effect, ProcessState, SidecarState } from './sidecar-state.js'
import type { WarningCode } from '../../sidecar.js'

/** One event being worked on: the state so far and what it has brought about. It never leaves `reduce()`. */
export interface Step {
  state: SidecarState
  readonly effects: Effect[]
}

/** Codes of gRPC that the sidecar answers with, and the HTTP status of each. */
const httpStatus = { 2: 500, 3: 400, 4: 504, 5: 404, 8: 429, 12: 501, 13: 500 } as const

/** The body of every error. */
export interface ErrorBody {
  readonly code: number
  readonly message: string
  readonly details: readonly never[]
}

export function errorBody(code: number, message: string): ErrorBody {
  return { code, message, details: [] }
}

/** What a call is answered with. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

export const done: Answer = { status: 200, body: {} }

export function ok(body: unknown): Answer {
  return { status: 200, body }
}

export function fail(code: keyof typeof httpStatus, message: string): Answer {
  return { status: httpStatus[code], body: errorBody(code, message) }
}

/** Most of what goes wrong has no code of its own: 500, code 2, told apart by the message alone. */
export function failUnknown(message: string): Answer {
  return fail(2, message)
}

export function update(step: Step, change: Partial<SidecarState>): void {
  step.state = { ...step.state, ...change }
}

export function updateProcess(step: Step, change: Partial<ProcessState>): void {
  update(step, { process: { ...step.state.process, ...change } })
}

export function warn(step: Step, code: WarningCode, message: string): void {
  const times = (step.state.warned[code] ?? 0) + 1
  update(step, { warned: { ...step.state.warned, [code]: times } })
  step.effects.push({ type: 'warn', code, message, times })
}

/** Notes that a client used an operation, for the conformance run. */
export function record(step: Step, name: string): void {
  const { config, conformance } = step.state
  if (!config.conformance || conformance.received.includes(name)) return
  update(step, { conformance: { ...conformance, received: [...conformance.received, name] } })
}

/** The same where only one value counts. */
export function recordValue(step: Step, name: string, value: string, expected: string): void {
  if (value === expected) {
    record(step, name)
    return
  }
  const { config, conformance } = step.state
  if (!config.conformance || conformance.problems.length >= 100) return
  const shown = JSON.stringify(value.slice(0, 100))
  const problem = `${name} should have been called with ${JSON.stringify(expected)}, not ${shown}`
  update(step, { conformance: { ...conformance, problems: [...conformance.problems, problem] } })
}

export function prefixOf(state: SidecarState): string {
  return metadataPrefix(state.config.platform)
}

/** Replaces parts of the object in memory only; neither watchers nor versions notice. */
export function setObject(step: Step, object: GameServer): void {
  for (const change of changesBetween(step.state.object, object)) step.effects.push({ type: 'change', change })
  update(step, { object })
}

/**
 * Writes the object as the API server does: in production it gets a new resource version, a new generation
 * where
 * more than metadata changed, and watchers see it; a write that changes nothing is none. In local mode
 * versions
 * stand still and every write is seen.
 */
export function writeObject(step: Step, object: GameServer, statusToo = false): void {
  const { config, object: previous } = step.state
  if (config.mode === 'local') {
    setObject(step, object)
  } else {
    const changed = statusToo || !sameStatus(previous, object)
    if (!changed && sameMetadata(previous, object)) return
    const meta = object.object_meta
    setObject(step, {
      ...object,
      object_meta: {
        ...meta,
        resource_version: nextVersion(previous.object_meta.resource_version),
        generation: changed ? nextVersion(previous.object_meta.generation) : meta.generation,
      },
    })
  }
  step.effects.push({ type: 'publish', gameServer: step.state.object })
}

export function withState(object: GameServer, state: string): GameServer {
  return { ...object, status: { ...object.status, state } }
}

export function withMetadata(
  object: GameServer,
  kind: 'labels' | 'annotations',
  record: Record<string, string>,
): GameServer {
  return { ...object, object_meta: { ...object.object_meta, [kind]: record } }
}

/** The object with the annotation that Allocated leaves behind. */
export function withLastAllocated(object: GameServer, platform: string, at: number): GameServer {
  const time = new Date(at).toISOString()
  return withMetadata(
    object,
    'annotations',
    withKey(object.object_meta.annotations, `${platform}.dev/last-allocated`, time),
  )
}

/** Nothing but metadata can still be changed from within once the object is on its way out. */
export function isBeingDeleted(object: GameServer): boolean {
  return (object.object_meta.deletion_timestamp ?? '0') !== '0' || object.status.state === 'Shutdown'
}

function nextVersion(version: string): string {
  return /^\d+$/.test(version) ? (BigInt(version) + 1n).toString() : '1'
}

function sameStatus(a: GameServer, b: GameServer): boolean {
  return a.status === b.status || JSON.stringify([a.status, a.spec]) === JSON.stringify([b.status, b.spec])
}

function sameMetadata(a: GameServer, b: GameServer): boolean {
  const x = a.object_meta
  const y = b.object_meta
  return (
    x.deletion_timestamp === y.deletion_timestamp &&
    x.name === y.name &&
    x.namespace === y.namespace &&
    x.uid === y.uid &&
    sameRecord(x.labels, y.labels) &&
    sameRecord(x.annotations, y.annotations)
  )
}
