import { SidecarError } from '../index.js'

const show = (value: unknown): string =>
  typeof value === 'string' ? `"${value.slice(0, 80)}"` : typeof value === 'number' ? `${value}` : typeof value

const wrong = (summary: string, operation?: string, hint?: string): SidecarError =>
  new SidecarError(operation ? 'INVALID_ARGUMENT' : 'CONFIG', summary, { operation, hint })

/**
 * @param operation the method whose argument this is; without one it is an option of the tracker
 * @throws SidecarError `INVALID_ARGUMENT` for an argument, `CONFIG` for an option, unless the test passed
 */
export function check(passed: unknown, name: string, value: unknown, wanted: string, operation?: string): void {
  if (!passed) throw wrong(`${name} must be ${wanted}; got ${show(value)}`, operation)
}

/** What slips leave alone: how a name begins. */
const start = (name: unknown): string => show(name).slice(1, 4).toLowerCase()

/** Refuses a name that doesn't exist, with the one that was probably meant. */
export function checkName(name: unknown, known: readonly string[], kind: string, operation?: string): void {
  if (known.includes(name as string)) return
  const best = known.find((other) => start(other) === start(name))
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

/** Refuses what is no client, such as options in its place. */
export function checkClient(client: unknown): void {
  check((Object(client) as { once?: unknown }).once, 'client', client, 'what createClient() gave')
}
