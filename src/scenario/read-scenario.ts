import { allocationProblem, commandProblem, readManifest } from '../sidecar/index.js'
import { findMistake, nameOf } from './json-schema.js'
import type { Path } from './json-schema.js'
import schema from './scenario.schema.json'
import { isManifest } from './allocation.js'
import type { Allocation, Scenario, Step } from './types.js'

/** A mistake in a scenario. */
export class ScenarioError extends TypeError {
  override readonly name = 'ScenarioError'
  readonly code = 'SCENARIO'
  /** The place of the mistake: names of fields and places in lists. */
  readonly path: Path

  constructor(message: string, path: Path, options?: ErrorOptions) {
    super(message, options)
    this.path = path
  }
}

/** Takes a value for a scenario. @throws ScenarioError for the first mistake */
export function readScenario(value: unknown): Scenario {
  const mistake = findMistake(schema, value)
  if (mistake !== undefined) throw new ScenarioError(mistake.message, mistake.path)
  const scenario = value as Scenario
  if (typeof scenario.gameServer === 'object') checkGameServer(scenario.gameServer)
  for (const [index, step] of scenario.steps.entries()) checkStep(step, ['steps', index])
  return scenario
}

function checkGameServer(gameServer: unknown): void {
  try {
    readManifest(gameServer)
  } catch (error) {
    const { message } = error as Error
    throw new ScenarioError(message, ['gameServer', ...placeIn(gameServer, message)], { cause: error })
  }
}

/** The place that a message about a manifest begins with, as far as there is such a place. */
function placeIn(manifest: unknown, message: string): Path {
  const path: (string | number)[] = []
  let value: unknown = manifest
  const unknown = / has no field "([^"]+)"/.exec(message)?.[1]
  for (const name of [...message.split(' ')[0]!.split(/[.[\]]+/), unknown]) {
    if (name === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) continue
    path.push(Array.isArray(value) ? Number(name) : name)
    value = (value as Record<string, unknown>)[name]
  }
  return path
}

/** Checks what the schema can't say. */
function checkStep(step: Step, path: Path): void {
  const { expect, refused, control, fault } = step
  for (const [field, command] of Object.entries({ control, fault })) {
    if (typeof command !== 'object') continue
    const problem = commandProblem(command)
    if (problem !== undefined) throw new ScenarioError(problem, [...path, field])
  }
  if (refused === true && control === undefined && step.allocate === undefined) {
    throw new ScenarioError(`only control and allocate can be refused, not ${nameOf(path)}`, [...path, 'refused'])
  }
  if (step.allocate !== undefined) checkAllocation(step.allocate, [...path, 'allocate'])
  if (expect === undefined) return
  const at = [...path, 'expect']
  const { call, noCall } = expect
  if (call !== undefined && noCall !== undefined) {
    throw new ScenarioError('call and noCall exclude each other; make two steps of them', [...at, 'noCall'])
  }
  if (call === undefined && noCall === undefined && (expect.with ?? expect.status) !== undefined) {
    throw new ScenarioError('with and status are about a call; name it as call or noCall', at)
  }
}

function checkAllocation(allocation: Allocation, path: Path): void {
  if (isManifest(allocation)) {
    const problem = allocationProblem(allocation)
    if (problem !== undefined) throw new ScenarioError(problem.message, [...path, ...problem.path])
    return
  }
  const problem = commandProblem({ type: 'allocate', ...allocation })
  if (problem !== undefined) throw new ScenarioError(problem, path)
}
