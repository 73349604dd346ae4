import { SidecarError } from '../index.js'

const show = (value: unknown): string =>
  typeof value === 'string' ? `"${value.slice(0, 80)}"` : typeof value === 'number' ? `${value}` : typeof value

/**
 * @param operation the method whose argument this is; without one it is an option of the tracker
 * @throws SidecarError `INVALID_ARGUMENT` for an argument, `CONFIG` for an option, unless the test passed
 */
export function check(passed: unknown, name: string, value: unknown, wanted: string, operation?: string): void {
  if (!passed)
    throw new SidecarError(operation ? 'INVALID_ARGUMENT' : 'CONFIG', `${name} must be ${wanted}; got ${show(value)}`, {
      operation,
    })
}

/** Refuses a name that doesn't exist, and tells those that do. */
export function checkName(name: unknown, known: readonly string[], kind: string, operation?: string): void {
  check(known.includes(name as string), kind, name, known.join(', '), operation)
}

/** Checks that options are an object without names that don't exist. */
export function checkOptions(options: unknown, known: readonly string[], operation?: string): void {
  check(Object(options) === options, 'options', options, 'an object', operation)
  for (const name of Object.keys(options as object)) checkName(name, known, 'an option', operation)
}
