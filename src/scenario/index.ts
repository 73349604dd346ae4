export { shownTime } from './duration.js'
export { readScenario, ScenarioError } from './read-scenario.js'
export { runScenario } from './run-scenario.js'

export type { Path } from './json-schema.js'
export type { Scenario, ScenarioResult, Step as ScenarioStep, StepResult, Target } from './types.js'
export type { StepResult as ScenarioStepResult } from './types.js'
