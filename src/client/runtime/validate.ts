import { meant } from '../../protocol/nearest.js'
import { tryTo } from './host.js'
import { SidecarError } from './errors.js'

/** Turns any value into a short text for a message. */
export function show(value: unknown): string {
  const text = typeof value === 'string' ? `"${value}"` : tryTo(() => String(value), typeof value)
  return text.slice(0, 80)
}

/**
 * @param operation the method whose argument this is; without one it is an option of the client
 * @throws SidecarError `INVALID_ARGUMENT` for an argument, `CONFIG` for an option, unless the test passed
 */
export function check(passed: unknown, name: string, value: unknown, wanted: string, operation?: string): void {
  if (passed) return
  const code = operation ? 'INVALID_ARGUMENT' : 'CONFIG'
  const error = new SidecarError(code, `${name} must be ${wanted}; got ${show(value)}`, { operation, hint: '' })
  // The message says it already.
  throw Object.assign(error, { hint: `Give ${wanted}` })
}

/** Refuses names that don't exist, with the nearest one that does: a misspelt option must not be ignored. */
export function checkNames(given: object, known: readonly string[], kind: string, operation?: string): void {
  for (const name of Object.keys(given)) checkName(name, known, kind, operation)
}

/** @param elsewise further help, which ends the hint */
export function checkName(
  given: unknown,
  known: readonly string[],
  kind: string,
  operation?: string,
  elsewise = '',
): void {
  const name = typeof given === 'string' ? given : show(given)
  if (known.includes(name)) return
  const best = meant(name, known)
  throw new SidecarError(operation ? 'INVALID_ARGUMENT' : 'CONFIG', `There is no ${kind} ${show(given)}`, {
    operation,
    hint: (best === undefined ? `Known: ${known.join(', ')}` : `Did you mean ${best}?`) + elsewise,
  })
}
