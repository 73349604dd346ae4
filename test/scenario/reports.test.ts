import { JSDOM } from 'jsdom'
import { describe, expect, test } from 'vitest'
import { failureLines, jsonReport, junitReport, plainColors, textReport } from '../../src/cli/scenario-reports.js'
import type { Played } from '../../src/cli/scenario-reports.js'
import type { LogEntry } from '../../src/sidecar/index.js'

/** Characters that are special in XML, TAP or a terminal. */
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
