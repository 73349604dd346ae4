import { jsonText } from '../json-line.js'
import { lastEvents, placeOf } from './played.js'
import type { Played } from './played.js'

/** A report as JSON. */
export function jsonReport(all: readonly Played[]): string {
  const scenarios = all.map((played) => {
    const { name, ok, ms, steps } = played.result
    const told = steps.map((step) => ({ ...step, place: placeOf(played, step.number) }))
    return { name, file: played.file, ok, ms, steps: told, ...(ok ? {} : { events: lastEvents(played) }) }
  })
  return `${jsonText({ ok: all.every(({ result }) => result.ok), scenarios }, 2)}\n`
}
