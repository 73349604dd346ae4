import type { ScenarioResult } from '../../scenario/index.js'
import { createEventLines } from '../event-lines.js'
import { plainColors } from './plain-colors.js'

/** How many of the last events are shown with a step that failed. */
const LAST_EVENTS = 10

/** A scenario that was played, with what its reports need beside the result. */
export interface Played {
  readonly file: string
  /** The line of each step. */
  readonly lines: readonly number[]
  readonly result: ScenarioResult
}

/** The last events before a failure, a line each; beats and ticks that changed nothing are left out. */
export function lastEvents({ result }: Played): readonly string[] {
  const toLines = createEventLines(plainColors, false)
  return result.entries.flatMap((entry) => toLines(entry)).slice(-LAST_EVENTS)
}

/** Where a step stands, as editors and terminals make a link of it. */
export const placeOf = ({ file, lines }: Pick<Played, 'file' | 'lines'>, number: number): string =>
  `${file}:${lines[number - 1] ?? 1}`
