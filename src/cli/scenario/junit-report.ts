import type { StepResult } from '../../scenario/index.js'
import { lastEvents, placeOf } from './played.js'
import type { Played } from './played.js'

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
