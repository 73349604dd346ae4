/** The file with the last result of each measure. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces the results of `measures` (`{ [name]: result }`) in the file, and keeps the others. */
export function saveResults(path, measures) {
  const merged = { measures: { ...readResults(path).measures, ...measures } }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(merged, null, 2)}\n`)
}

/** Empty without a readable file: its results can be measured again. */
function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? {}
  } catch {
    return {}
  }
}
