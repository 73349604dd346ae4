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
