import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { saveResults } from '../../bench/support/results.mjs'
import { temporaryFolder } from '../support/temporary-folder.js'

async function resultsFile(): Promise<string> {
  const folder = await temporaryFolder('bench-results')
  return join(folder, 'results', 'results.json')
}

const measuresIn = (path: string): unknown => (JSON.parse(readFileSync(path, 'utf8')) as { measures: unknown }).measures

test('a measure that runs alone replaces its own result and leaves the others', async () => {
  const path = await resultsFile()
  saveResults(path, { command: { rows: [1] }, watch: { rows: [2] } })
  saveResults(path, { command: { rows: [3] } })
  expect(measuresIn(path)).toEqual({ command: { rows: [3] }, watch: { rows: [2] } })
})

test.each(['', '{"measures":', 'null', '[]'])('a file that holds %j counts as none', async (text) => {
  const path = await resultsFile()
  saveResults(path, {})
  writeFileSync(path, text)
  saveResults(path, { watch: { rows: [2] } })
  expect(measuresIn(path)).toEqual({ watch: { rows: [2] } })
})
