import { plainText } from '../node/plain-text.js'
import { shownTime } from '../node/scenario/describe.js'
import type { ScenarioResult, StepResult } from '../node/scenario/types.js'
import type { Colors } from './context.js'
import { createEventLines } from './event-lines.js'
import { jsonText } from './json-line.js'

const same = (text: string): string => text

/** No colours, for reports that programs read. */
export const plainColors: Colors = {
  ...{ bold: same, dim: same, red: same, green: same },
  ...{ yellow: same, cyan: same, blue: same, magenta: same },
}

/** How many events a failed step shows. */
const LAST_EVENTS = 10

export interface Played {
  readonly file: string
  /** The line of each step. */
  readonly lines: readonly number[]
  readonly result: ScenarioResult
}

/** The last events before a failure, without quiet beats and ticks. */
export function lastEvents({ result }: Played): readonly string[] {
  const toLines = createEventLines(plainColors, false)
  return result.entries.flatMap((entry) => toLines(entry)).slice(-LAST_EVENTS)
}

/** The place of a step, as editors and terminals link it. */
export const placeOf = ({ file, lines }: Pick<Played, 'file' | 'lines'>, number: number): string =>
  `${file}:${lines[number - 1] ?? 1}`

const TIME_WIDTH = 11

/** The line that opens a scenario. */
export const scenarioLine = (name: string, file: string, { bold, dim }: Colors): string =>
  `${bold(plainText(name, 200))}  ${dim(plainText(file))}`

/** The line of a step, with its time by the sidecar's clock. */
export function stepLine({ status, title, ms }: StepResult, { dim, green, red }: Colors): string {
  const text = plainText(title, 200)
  if (status === 'skipped') return dim(`  - ${' '.repeat(TIME_WIDTH)}  ${text}`)
  const sign = status === 'passed' ? green('✓') : red('✗')
  return `  ${sign} ${dim(shownTime(ms).padStart(TIME_WIDTH))}  ${text}`
}

/** What the failed step expected and got, and the last events before. */
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

export function jsonReport(all: readonly Played[]): string {
  const scenarios = all.map((played) => {
    const { name, ok, ms, steps } = played.result
    const told = steps.map((step) => ({ ...step, place: placeOf(played, step.number) }))
    return { name, file: played.file, ok, ms, steps: told, ...(ok ? {} : { events: lastEvents(played) }) }
  })
  return `${jsonText({ ok: all.every(({ result }) => result.ok), scenarios }, 2)}\n`
}

/** A report in JUnit's XML: a suite for each scenario, a test case for each step. */
export function junitReport(all: readonly Played[]): string {
  const suites = all.map((played) => suite(played)).join('')
  const steps = all.flatMap(({ result }) => result.steps)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts(steps)}>\n${suites}</testsuites>\n`
}

function suite(played: Played): string {
  const { result, file } = played
  const cases = result.steps.map((step) => testCase(step, played)).join('')
  return `  <testsuite name="${escape(result.name)}" file="${escape(file)}" ${counts(result.steps)}>\n${cases}  </testsuite>\n`
}

function testCase(step: StepResult, played: Played): string {
  const { number, title, ms, status, failure } = step
  const name = `name="${escape(`${number} ${title}`)}" classname="${escape(played.result.name)}"`
  const start = `    <testcase ${name} file="${escape(played.file)}" line="${played.lines[number - 1] ?? 1}" time="${seconds(ms)}"`
  if (status === 'skipped') return `${start}><skipped/></testcase>\n`
  if (failure === undefined) return `${start}/>\n`
  const message = `expected ${failure.expected}, got ${failure.actual}`
  const text = [placeOf(played, number), message, 'the last events before it:', ...lastEvents(played)].join('\n')
  return `${start}>\n      <failure message="${escape(message)}" type="failed">${escape(text)}</failure>\n    </testcase>\n`
}

function counts(steps: readonly StepResult[]): string {
  const count = (status: StepResult['status']): number => steps.filter((step) => step.status === status).length
  const time = steps.reduce((sum, { ms }) => sum + ms, 0)
  return `tests="${steps.length}" failures="${count('failed')}" skipped="${count('skipped')}" errors="0" time="${seconds(time)}"`
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
}

/** Text of an element or an attribute. XML has no place for most control characters and for halves of pairs. */
function escape(text: string): string {
  return text
    .replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\n\t]/g, (character) => entities[character]!)
}
