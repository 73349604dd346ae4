import { plainText } from '../../node/plain-text.js'
import { shownTime } from '../../scenario/index.js'
import type { StepResult } from '../../scenario/index.js'
import type { Colors } from '../context.js'
import { plainColors } from './plain-colors.js'
import { lastEvents, placeOf } from './played.js'
import type { Played } from './played.js'

const TIME_WIDTH = 11

/** The line that opens a scenario. */
export const scenarioLine = (name: string, file: string, { bold, dim }: Colors): string =>
  `${bold(plainText(name, 200))}  ${dim(plainText(file))}`

/** The line of a step, with how long it took by the sidecar's clock. */
export function stepLine({ status, title, ms }: StepResult, { dim, green, red }: Colors): string {
  const text = plainText(title, 200)
  if (status === 'skipped') return dim(`  - ${' '.repeat(TIME_WIDTH)}  ${text}`)
  const sign = status === 'passed' ? green('✓') : red('✗')
  return `  ${sign} ${dim(shownTime(ms).padStart(TIME_WIDTH))}  ${text}`
}

/** What was expected of the step that failed, what came, and the last events before. */
export function failureLines(played: Played, colors: Colors): readonly string[] {
  const failed = played.result.steps.find(({ failure }) => failure !== undefined)
  if (failed?.failure === undefined) return []
  const { expected, actual } = failed.failure
  const events = lastEvents(played)
  return [
    colors.dim(plainText(placeOf(played, failed.number))),
    `${colors.green('expected')}  ${plainText(expected)}`,
    `${colors.red('got')}       ${plainText(actual)}`,
    ...(events.length === 0 ? ['no event before it'] : ['the last events before it:']),
    ...events.map((line) => `  ${line}`),
  ].map((line) => `      ${line}`)
}

/** The line that ends a run. */
export function totalLine(all: readonly Played[], { green, red }: Colors): string {
  const passed = all.filter(({ result }) => result.ok).length
  const ms = all.reduce((sum, { result }) => sum + result.ms, 0)
  const text = `${passed} of ${all.length} ${all.length === 1 ? 'scenario' : 'scenarios'} passed in ${shownTime(ms)}`
  return passed === all.length ? green(text) : red(text)
}

/** The whole report as text without colours. */
export function textReport(all: readonly Played[]): string {
  const lines = all.flatMap((played) => [
    scenarioLine(played.result.name, played.file, plainColors),
    ...played.result.steps.map((step) => stepLine(step, plainColors)),
    ...failureLines(played, plainColors),
  ])
  return [...lines, totalLine(all, plainColors), ''].join('\n')
}
