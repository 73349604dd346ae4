import type { GameServer } from '../../../protocol/game-server.js'
import { metadataPrefix } from '../../../protocol/names.js'
import type { Effect, WarningCode } from './events.js'
import type { FaultState } from './faults.js'
import { diffGameServers, isEqual } from './game-server.js'
import { excerpt } from './show.js'
import type { ProcessState, SidecarState } from './sidecar-state.js'

/** The state and the effects of one event while `reduce()` handles it. */
export interface Step {
  state: SidecarState
  readonly effects: Effect[]
  /** When it happens; during work that was due earlier, when that was due. */
  now: number
}

export function update<State>(step: { state: State }, change: Partial<State>): void {
  step.state = { ...step.state, ...change }
}

export function updateProcess(step: Step, change: Partial<ProcessState>): void {
  update(step, { process: { ...step.state.process, ...change } })
}

export function updateFaults(step: Step, change: Partial<FaultState>): void {
  update(step, { faults: { ...step.state.faults, ...change } })
}

export function warn(step: Step, code: WarningCode, message: string): void {
  const times = (step.state.warned[code] ?? 0) + 1
  update(step, { warned: { ...step.state.warned, [code]: times } })
  step.effects.push({ type: 'warn', code, message, times })
}

/** Records for the conformance run that a client used an operation. */
export function record(step: Step, name: string): void {
  const { config, conformance } = step.state
  if (!config.conformance || conformance.received.includes(name)) return
  update(step, { conformance: { ...conformance, received: [...conformance.received, name] } })
}

/** Records an operation that counts only with the expected value, or the problem that the value differs. */
export function recordValue(step: Step, name: string, value: string, expected: string): void {
  if (value === expected) {
    record(step, name)
    return
  }
  const { config, conformance } = step.state
  if (!config.conformance || conformance.problems.length >= 100) return
  const shown = JSON.stringify(excerpt(value, 100))
  const problem = `${name} should have been called with ${JSON.stringify(expected)}, not ${shown}`
  update(step, { conformance: { ...conformance, problems: [...conformance.problems, problem] } })
}

/** The prefix of keys that are set through the SDK. */
export function prefixOf(state: SidecarState): string {
  return metadataPrefix(state.config.platform)
}

/** The annotation by which `padObject` enlarges the object. The limit doesn't count it. */
export const PADDING = 'gameserver-sidecar.local/padding'

/** How many characters `padObject` has added. */
export const paddingOf = ({ object_meta }: GameServer): number => object_meta.annotations?.[PADDING]?.length ?? 0

/** Replaces the object without a new version; watchers don't see it. */
export function setObject(step: Step, object: GameServer): void {
  for (const change of diffGameServers(step.state.object, object)) step.effects.push({ type: 'change', change })
  update(step, { object })
}

/**
 * Writes the object as the API server does. In production a write that changes nothing is dropped; others get a new
 * resource version, and a new generation if more than metadata changed (`statusChanged` tells what the comparison can't
 * see). In local mode versions never change, and watchers see every write.
 */
export function writeObject(step: Step, object: GameServer, statusChanged = false): void {
  const { config, object: previous } = step.state
  if (config.mode === 'local') setObject(step, object)
  else {
    const newGeneration = statusChanged || !isEqual([previous.status, previous.spec], [object.status, object.spec])
    if (!newGeneration && isEqual(metadataOf(previous), metadataOf(object))) return
    const meta = object.object_meta
    setObject(step, {
      ...object,
      object_meta: {
        ...meta,
        resource_version: nextVersion(previous.object_meta.resource_version),
        generation: newGeneration ? nextVersion(previous.object_meta.generation) : meta.generation,
      },
    })
  }
  step.effects.push({ type: 'publish', gameServer: step.state.object })
}

export function nextVersion(version: string): string {
  return /^\d+$/.test(version) ? (BigInt(version) + 1n).toString() : '1'
}

const metadataOf = ({
  object_meta: { deletion_timestamp, name, namespace, uid, labels, annotations },
}: GameServer) => ({ deletion_timestamp, name, namespace, uid, labels: labels ?? {}, annotations: annotations ?? {} })
