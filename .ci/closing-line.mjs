/**
 * Prints `N passed, N failed` (and `, N skipped`), summed over the JSON results of several runs of Vitest, and fails
 * when a suite that had to run didn't:
 * `closing-line.mjs <results.json>... -- [pattern that no skipped test may match]...`
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const separator = process.argv.indexOf('--')
const runs = process.argv.slice(2, separator).map(readResults)
const mustRun = process.argv.slice(separator + 1).map((pattern) => new RegExp(pattern, 'i'))

const files = runs.flatMap(({ testResults }) => testResults)
const tests = files.flatMap(({ name, assertionResults }) =>
  assertionResults.map(({ fullName, status, failureMessages = [] }) => ({
    file: relative('.', name),
    fullName,
    status,
    failure: failureMessages[0]?.split('\n')[0],
  })),
)
const brokenFiles = files.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
)
const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed')
const passed = tests.filter(({ status }) => status === 'passed').length
const failed = tests.filter(({ status }) => status === 'failed').length + brokenFiles.length

const complaints = [
  ...filesThatDidNotRun().map((file) => `No test ran in ${file}`),
  ...skippedThoughRequired().map(({ file, fullName }) => `Skipped, though it had to run: ${file}: ${fullName}`),
  ...(failed > 0 || runs.every(({ success }) => success) ? [] : ['Vitest reports a failure outside any test']),
]
for (const { file, fullName, failure } of tests.filter(({ status, failure }) => status === 'passed' && failure)) {
  console.error(`Passed at the second attempt only: ${file}: ${fullName}: ${failure}`)
}
for (const complaint of complaints) console.error(complaint)
console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`)
process.exitCode = failed > 0 || passed === 0 || complaints.length > 0 ? 1 : 0

function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    console.error(`The tests did not run to their end: there are no results in ${path}`)
    return { testResults: [], success: false }
  }
}

function filesThatDidNotRun() {
  const ran = new Set(files.map(({ name }) => resolve(name)))
  return (
    readdirSync('test', { recursive: true })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules/'))
      // Tests of a cluster have a command and a workflow of their own, and never run unasked.
      .filter((name) => !name.startsWith('cluster/'))
      .map((name) => join('test', name))
      .filter((name) => !ran.has(resolve(name)))
  )
}

function skippedThoughRequired() {
  return skipped.filter(({ file, fullName }) => mustRun.some((pattern) => pattern.test(`${file} ${fullName}`)))
}
