/**
 * Prints `N passed, N failed` (and `, N skipped`) from Vitest's JSON results, and fails when a suite that had to run
 * didn't: `closing-line.mjs <results.json> [pattern that no skipped test may match]...`
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const [resultsPath, ...mustRun] = process.argv.slice(2)
const { testResults, success } = readResults(resultsPath)

const tests = testResults.flatMap(({ name, assertionResults }) =>
  assertionResults.map(({ fullName, status }) => ({ file: relative('.', name), fullName, status })),
)
const brokenFiles = testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
)
const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed')
const passed = tests.filter(({ status }) => status === 'passed').length
const failed = tests.filter(({ status }) => status === 'failed').length + brokenFiles.length

const complaints = [
  ...filesThatDidNotRun().map((file) => `No test ran in ${file}`),
  ...skippedThoughRequired().map(({ file, fullName }) => `Skipped, though it had to run: ${file}: ${fullName}`),
  ...(success || failed > 0 ? [] : ['Vitest reports a failure outside any test']),
]
for (const complaint of complaints) console.error(complaint)
console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`)
process.exitCode = failed > 0 || passed === 0 || complaints.length > 0 ? 1 : 0

function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    console.error('The tests did not run to their end: there are no results to count.')
    process.exit(1)
  }
}

function filesThatDidNotRun() {
  const ran = new Set(testResults.map(({ name }) => resolve(name)))
  return readdirSync('test', { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules/'))
    .map((name) => join('test', name))
    .filter((name) => !ran.has(resolve(name)))
}

function skippedThoughRequired() {
  const patterns = mustRun.map((pattern) => new RegExp(pattern, 'i'))
  return skipped.filter(({ file, fullName }) => patterns.some((pattern) => pattern.test(`${file} ${fullName}`)))
}
