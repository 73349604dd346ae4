/** The file that keeps the last result of each measure, whichever of them were run together. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Puts `measures` (`{ [name]: result }`) in place of what the file has by these names; the others stay. */
export function saveResults(path, measures) {
  const merged = { measures: { ...readResults(path).measures, ...measures } }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(merged, null, 2)}\n`)
}

/** Nothing, where there is no file yet or none that can be read: what is in it was measured and can be again. */
function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? {}
  } catch {
    return {}
  }
}
