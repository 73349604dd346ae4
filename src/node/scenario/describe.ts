import type { Allocation, Expectation, Step } from './types.js'

export function titleOf(step: Step): string {
  const { name, at, refused } = step
  const begin = at === undefined ? '' : `at ${at}: `
  return name ?? `${begin}${actionOf(step)}${refused === true ? ', refused' : ''}`
}

function actionOf({ expect, control, allocate, fault, advance, wait, terminate }: Step): string {
  if (expect !== undefined) {
    const within =
      expect.within === undefined ? '' : `${expect.noCall === undefined ? ' within' : ' for'} ${expect.within}`
    return `expect ${expectationsOf(expect).join(', ')}${within}`
  }
  if (control !== undefined) return `control ${describeFields(control)}`
  if (allocate !== undefined) return `allocate ${describeAllocation(allocate)}`.trimEnd()
  if (fault !== undefined) return `fault ${typeof fault === 'string' ? fault : describeFields(fault)}`
  if (advance !== undefined) return `advance ${advance}`
  if (wait !== undefined) return `wait ${wait}`
  return `terminate ${typeof terminate === 'string' ? terminate : ''}`.trimEnd()
}

function expectationsOf({ within: _, call, noCall, with: fields, status, ...rest }: Expectation): string[] {
  const called = call ?? noCall
  const calls = called === undefined ? [] : [describeCall(called, fields, status, noCall !== undefined)]
  return [...calls, ...Object.entries(rest).map(([what, value]) => `${what} ${describeValue(value)}`)]
}

/** Describes a call that is expected, or expected not to come. */
export function describeCall(operation: string, fields: object = {}, status?: number, isNone = false): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${describeValue(value)}`)
  const details = pairs.length === 0 ? '' : ` with ${pairs.join(', ')}`
  return `${isNone ? 'no ' : ''}call ${operation}${details}${status === undefined ? '' : `, answered by ${status}`}`
}

const describeAllocation = ({ spec, kind, apiVersion: _, ...rest }: Allocation): string =>
  spec === undefined && kind === undefined ? describeValue(rest) : `by a GameServerAllocation ${describeValue(spec)}`

function describeFields({ type, ...fields }: { readonly type: string }): string {
  return `${type} ${describeValue(fields)}`.trimEnd()
}

/** A value of a scenario in words: `mode=dm, map=arena`. */
export function describeValue(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `[${value.map((item) => describeValue(item, depth + 1)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return value === null ? 'none' : JSON.stringify(value)
  const pairs = Object.entries(value).map(([name, item]) => `${name}=${describeValue(item, depth + 1)}`)
  return depth === 0 ? pairs.join(', ') : `{${pairs.join(', ')}}`
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** The milliseconds of a duration that the schema lets through, such as `500ms`, `20s` or `2m`. */
export function milliseconds(duration: string): number {
  const [, amount = '', unit = ''] = /^\+?([\d.]+)(ms|s|m|h)$/.exec(duration) ?? []
  return Math.round(Number(amount) * (units[unit] ?? NaN))
}

/** A time for people: `12 ms`, `1.2 s`, `2 min 5 s`. */
export function shownTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
