import { SidecarError } from '../index.js'
import { meant } from '../protocol/nearest.js'

function show(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, 80)}"`
  return typeof value === 'number' ? String(value) : typeof value
}

/**
 * @param operation the method whose argument this is; without one it is an option of the tracker
 * @throws SidecarError `INVALID_ARGUMENT` for an argument, `CONFIG` for an option, unless the test passed
 */
export function check(passed: unknown, name: string, value: unknown, wanted: string, operation?: string): void {
  if (!passed) throw wrong(`${name} must be ${wanted}; got ${show(value)}`, operation)
}

/** Refuses a name that doesn't exist, with the nearest one that does. */
export function checkName(name: unknown, known: readonly string[], kind: string, operation?: string): void {
  if (known.includes(name as string)) return
  const best = typeof name === 'string' && meant(name, known)
  throw wrong(
    `There is no ${kind} ${show(name)}`,
    operation,
    best ? `Did you mean ${best}?` : `Known: ${known.join(', ')}`,
  )
}

/** Checks that options are an object without names that don't exist. */
export function checkOptions(options: unknown, known: readonly string[], operation?: string): void {
  check(Object(options) === options, 'options', options, 'an object', operation)
  for (const name of Object.keys(options as object)) checkName(name, known, 'option', operation)
}

function wrong(summary: string, operation?: string, hint?: string): SidecarError {
  return new SidecarError(operation ? 'INVALID_ARGUMENT' : 'CONFIG', summary, { operation, hint })
}
