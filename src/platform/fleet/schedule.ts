import type { SchedulePolicy } from './types.js'

/** When a schedule begins: the allowed values of each field. */
interface Cron {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** One of `days` and `weekdays` is `*`, so a day must match both. Otherwise one of them is enough. */
  readonly isBoth: boolean
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ')
const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Reads the five fields of a cron expression, as `ParseStandard` of robfig/cron does; undefined for another text. */
export function parseCron(text: string): Cron | undefined {
  const fields = (DESCRIPTORS[text] ?? text).trim().split(/\s+/)
  const [minutes, hours, days, months, weekdays] = [
    valuesOf(fields[0], 0, 59),
    valuesOf(fields[1], 0, 23),
    valuesOf(fields[2], 1, 31),
    valuesOf(fields[3], 1, 12, MONTHS),
    valuesOf(fields[4], 0, 6, WEEKDAYS),
  ]
  if (fields.length !== 5 || !minutes || !hours || !days || !months || !weekdays) return undefined
  const isBoth = [fields[2]!, fields[4]!].some((field) => /(^|,)[*?](\/1)?(,|$)/.test(field))
  return { minutes, hours, days, months, weekdays, isBoth }
}

function valuesOf(field = '', least: number, most: number, names: readonly string[] = []): Set<number> | undefined {
  const numberOf = (text: string): number => {
    const index = names.indexOf(text.toLowerCase())
    return index < 0 ? Number(text) : index + least
  }
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [, first, last, step] = /^([*?]|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? []
    if (first === undefined || step === '0') return undefined
    const isAny = first === '*' || first === '?'
    const from = isAny ? least : numberOf(first)
    const to = last !== undefined ? numberOf(last) : isAny || step !== undefined ? most : from
    if (!(from >= least && from <= to && to <= most)) return undefined
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value)
  }
  return values
}

const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 3.6e6 }

/** ms of a duration as Go writes it, such as `1h30m`; undefined for another text. */
export function parseDuration(text: string): number | undefined {
  if (!/^[-+]?((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(text)) return text === '0' ? 0 : undefined
  const parts = [...text.matchAll(/([\d.]+)([nuµm]?s|[mh])/g)]
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0)
  return text.startsWith('-') ? -ms : ms
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** 2,540,400 hours: the period of a schedule without a duration. */
const LONGEST = 2_540_400 * HOUR
/** An expression that no day fits is given up after this time. */
const SEARCHED = 5 * 366 * 24 * HOUR
/** A schedule begins so much early, because of daylight saving. */
const EARLY = 1.5 * MINUTE

/** Source: isScheduleActive of pkg/fleetautoscalers/fleetautoscalers.go. */
export function isActive({ between, activePeriod }: SchedulePolicy, now: number): boolean {
  if (between?.start && now < Date.parse(between.start)) return false
  if (between?.end && now > Date.parse(between.end)) return false
  if (!activePeriod?.startCron) return true
  const duration = activePeriod.duration ? parseDuration(activePeriod.duration)! : LONGEST
  const start = nextStart(
    parseCron(activePeriod.startCron)!,
    activePeriod.timezone || 'UTC',
    now - duration,
    now + EARLY,
  )
  return now > start - EARLY && now < start + duration
}

type Four = [number, number, number, number]

/** The first time after `after` at which a cron expression starts; Infinity if that is later than `until`. */
function nextStart(cron: Cron, timeZone: string, after: number, until: number): number {
  const fields = { month: 'numeric', day: 'numeric', weekday: 'short', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { ...fields, timeZone, hourCycle: 'h23' })
  const last = Math.min(until, after + SEARCHED)
  let at = Math.floor(after / MINUTE + 1) * MINUTE
  while (at <= last) {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const [month, day, hour, minute] = ['month', 'day', 'hour', 'minute'].map((name) => Number(part[name])) as Four
    const isDay = cron.days.has(day)
    const isWeekday = cron.weekdays.has(WEEKDAYS.indexOf(part['weekday']!.toLowerCase()))
    const fits = cron.months.has(month) && (cron.isBoth ? isDay && isWeekday : isDay || isWeekday)
    // A day has 23 to 25 hours.
    if (!fits) at += Math.max(1, 23 - hour) * HOUR - minute * MINUTE
    else if (!cron.hours.has(hour)) at += HOUR - minute * MINUTE
    else if (!cron.minutes.has(minute)) at += MINUTE
    else return at
  }
  return Infinity
}
