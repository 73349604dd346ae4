import { redacted } from '../../sidecar/index.js'

/** Fields that no two runs have alike: they are left out of a comparison. */
const volatile: ReadonlySet<string> = new Set([
  'uid',
  'name',
  'resource_version',
  'generation',
  'creation_timestamp',
  'deletion_timestamp',
  'agones.dev/last-allocated',
])

/** Most differences that are named of one answer. */
const most = 5

/** The differences of two bodies, in words; none if they are no JSON and equal, or equal in all that can be compared. */
export function compareBodies(before: string, now: string): string[] {
  if (before === redacted) return []
  const a = parse(before)
  const b = parse(now)
  if (a === undefined || b === undefined) return before === now ? [] : ['the body is another text']
  const differences: string[] = []
  compare(a.value, b.value, '', differences)
  return differences.slice(0, most)
}

function compare(before: unknown, now: unknown, path: string, differences: string[]): void {
  if (differences.length > most || Object.is(before, now) || before === redacted) return
  if (isObject(before) && isObject(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      if (volatile.has(key)) continue
      compare(before[key], now[key], path === '' ? key : `${path}.${key}`, differences)
    }
    return
  }
  differences.push(`${path === '' ? 'the body' : path} was ${shown(before)}, is ${shown(now)}`)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function shown(value: unknown): string {
  if (value === undefined) return 'not there'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
