import { plainText } from '../plain-text.js'
import type { ScenarioResult } from './types.js'

/** A scenario's file that can't be used; the message names file and line. */
export class ScenarioFileError extends Error {
  override readonly name = 'ScenarioFileError'
  /** True where there is no such file, or it can't be read. */
  readonly isMissing: boolean

  constructor(message: string, isMissing: boolean, options?: ErrorOptions) {
    super(plainText(message), options)
    this.isMissing = isMissing
  }
}

/** A step of a scenario that failed; the message says what was expected of it and what came. */
export class ScenarioFailure extends Error {
  override readonly name = 'ScenarioFailure'
  readonly result: ScenarioResult

  constructor(message: string, result: ScenarioResult) {
    super(message)
    this.result = result
  }
}
