import { JSDOM } from 'jsdom'
import { describe, expect, test } from 'vitest'
import type { Played } from '../../src/cli/scenario/played.js'
import { plainColors } from '../../src/cli/scenario/plain-colors.js'
import { failureLines, jsonReport, junitReport, tapReport, textReport } from '../../src/cli/scenario/reports.js'
import type { LogEntry } from '../../src/sidecar/index.js'

/** Everything that XML, TAP or a terminal would take for its own. */
const nasty = 'a "b" <c> & \u0000 \u001b[31m # SKIP\nnot ok ]]> \\ \ud800'

const entries: LogEntry[] = Array.from({ length: 30 }, (_, i) => ({
  seq: i + 1,
  at: i * 1000,
  event: { type: 'call', call: { operation: 'setLabel', key: `label-${i + 1}`, value: nasty } },
  changes: [],
  warnings: [],
}))

const failed: Played = {
  file: 'a & b.yaml',
  lines: [3, 5, 8],
  result: {
    name: nasty,
    ok: false,
    ms: 3000,
    entries,
    steps: [
      { number: 1, title: 'wait 1s', status: 'passed', at: 0, ms: 1000 },
      { number: 2, title: nasty, status: 'failed', at: 1000, ms: 2000, failure: { expected: nasty, actual: nasty } },
      { number: 3, title: 'wait 2s', status: 'skipped', at: 3000, ms: 0 },
    ],
  },
}

const passed: Played = {
  file: 'c.yaml',
  lines: [1],
  result: {
    name: 'fine',
    ok: true,
    ms: 5,
    entries,
    steps: [{ number: 1, title: 'x', status: 'passed', at: 0, ms: 5 }],
  },
}

const all = [failed, passed]

describe('JUnit', () => {
  /** @throws for XML that isn't well-formed */
  const parse = (xml: string): Document => {
    const { window } = new JSDOM('')
    const document = new window.DOMParser().parseFromString(xml, 'text/xml')
    expect(document.querySelector('parsererror')).toBeNull()
    return document
  }
  const document = parse(junitReport(all))
  const attributesOf = (selector: string, ...names: string[]): (string | null)[][] =>
    [...document.querySelectorAll(selector)].map((element) => names.map((name) => element.getAttribute(name)))

  test('it is well-formed and counts steps, failures and what was skipped', () => {
    expect(attributesOf('testsuites', 'tests', 'failures', 'skipped', 'errors', 'time')).toEqual([
      ['4', '1', '1', '0', '3.005'],
    ])
    expect(attributesOf('testsuite', 'tests', 'failures', 'skipped', 'file')).toEqual([
      ['3', '1', '1', 'a & b.yaml'],
      ['1', '0', '0', 'c.yaml'],
    ])
    expect(attributesOf('testcase', 'line', 'time')).toEqual([
      ['3', '1.000'],
      ['5', '2.000'],
      ['8', '0.000'],
      ['1', '0.005'],
    ])
    expect(document.querySelectorAll('testcase > skipped')).toHaveLength(1)
  })

  test('a failure holds what was expected, what came, the place and the last ten events', () => {
    const [failure] = document.querySelectorAll('testcase > failure')
    const visible = nasty.replace(/[\u0000\u001b\ud800]/g, '\ufffd')
    expect(failure!.getAttribute('message')).toBe(`expected ${visible}, got ${visible}`)
    const text = failure!.textContent
    expect(text).toContain('a & b.yaml:5')
    expect(text.match(/label-\d+/g)).toEqual(Array.from({ length: 10 }, (_, i) => `label-${i + 21}`))
  })
})

describe('TAP', () => {
  interface Test {
    readonly ok: boolean
    readonly number: number
    readonly description: string
    readonly directive: string | undefined
    readonly details: Readonly<Record<string, unknown>>
    readonly subtests: readonly Test[]
  }

  /** A reader of TAP 14, as strict as its specification. @throws for a line that it doesn't know */
  function parse(lines: readonly string[]): Test[] {
    const tests: Test[] = []
    let plan: number | undefined
    let child: string[] = []
    for (let i = 0; i < lines.length; i += 1) {
      const line = lines[i]!
      const point = /^(not )?ok (\d+) - ((?:[^#\\]|\\[#\\])*?)(?: # (SKIP.*))?$/.exec(line)
      if (/^1\.\.\d+$/.test(line)) plan = Number(line.slice(3))
      else if (line.startsWith('    ')) child.push(line.slice(4))
      else if (point !== null) {
        const details: Record<string, unknown> = {}
        if (lines[i + 1] === '  ---') {
          for (i += 2; lines[i] !== '  ...'; i += 1) {
            const [, name, value] = /^ {2}(\w+): (.*)$/.exec(lines[i]!)!
            details[name!] = JSON.parse(value!)
          }
        }
        const description = point[3]!.replace(/\\([#\\])/g, '$1')
        tests.push({
          ok: point[1] === undefined,
          number: Number(point[2]),
          description,
          directive: point[4],
          details,
          subtests: child.length === 0 ? [] : parse(child),
        })
        child = []
      } else if (!line.startsWith('# Subtest: ')) throw new Error(`not TAP: ${JSON.stringify(line)}`)
    }
    expect(tests.map(({ number }) => number)).toEqual(Array.from({ length: plan! }, (_, i) => i + 1))
    return tests
  }

  const [version, ...lines] = tapReport(all).trimEnd().split('\n')
  const tests = parse(lines)

  test('a scenario is a test with a subtest for each step', () => {
    expect(version).toBe('TAP version 14')
    expect(tests.map(({ ok, subtests }) => [ok, ...subtests.map((step) => step.ok)])).toEqual([
      [false, true, false, true],
      [true, true],
    ])
    expect(tests[0]!.subtests[2]!.directive).toBe('SKIP a step before it failed')
  })

  test('a failed step tells what was expected, what came, the place and the last ten events', () => {
    const { description, details, directive } = tests[0]!.subtests[1]!
    expect({ description, directive }).toEqual({ description: nasty.replace(/\s+/g, ' '), directive: undefined })
    expect(details).toMatchObject({ expected: nasty, actual: nasty, at: 'a & b.yaml:5' })
    expect(details['events']).toHaveLength(10)
  })
})

test('JSON holds every step with its place', () => {
  expect(JSON.parse(jsonReport(all))).toMatchObject({
    ok: false,
    scenarios: [
      {
        ok: false,
        file: 'a & b.yaml',
        events: { length: 10 },
        steps: [{}, { place: 'a & b.yaml:5', failure: { expected: nasty } }, {}],
      },
      { ok: true, steps: [{ place: 'c.yaml:1', status: 'passed' }] },
    ],
  })
})

test('text holds no character that a terminal obeys, and the last ten events of the step that failed', () => {
  const text = textReport(all)
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  expect(text).toContain('1 of 2 scenarios passed in 3 s')
  expect(failureLines(failed, plainColors).filter((line) => line.includes('label-'))).toHaveLength(10)
})
