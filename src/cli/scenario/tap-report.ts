import type { StepResult } from '../../scenario/index.js'
import { lastEvents, placeOf } from './played.js'
import type { Played } from './played.js'

/** A report in version 14 of TAP, the Test Anything Protocol: a subtest for each scenario, with a test for each step. */
export function tapReport(all: readonly Played[]): string {
  const scenarios = all.flatMap((played, index) => [
    `# Subtest: ${escape(played.result.name)}`,
    ...subtest(played).map((line) => `    ${line}`),
    `${played.result.ok ? 'ok' : 'not ok'} ${index + 1} - ${escape(played.result.name)}`,
  ])
  return [`TAP version 14`, `1..${all.length}`, ...scenarios, ''].join('\n')
}

const subtest = (played: Played): string[] => [
  `1..${played.result.steps.length}`,
  ...played.result.steps.flatMap((step) => test(step, played)),
]

function test(step: StepResult, played: Played): string[] {
  const { number, title, status, ms, failure } = step
  const skip = status === 'skipped' ? ' # SKIP a step before it failed' : ''
  const line = `${status === 'failed' ? 'not ok' : 'ok'} ${number} - ${escape(title)}${skip}`
  if (failure === undefined) return [line]
  // JSON is YAML, too, and needs no care about quotes.
  const details = {
    expected: failure.expected,
    actual: failure.actual,
    at: placeOf(played, number),
    duration_ms: ms,
    events: lastEvents(played),
  }
  const fields = Object.entries(details).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
  return [line, '  ---', ...fields, '  ...']
}

/** A description on one line: a `#` would begin a directive. */
const escape = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\#]/g, '\\$&')
