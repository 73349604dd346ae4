import { plainText } from '../local/files.js'
import {
  clockTime,
  describeCall,
  describeChange,
  isAllocationTime,
  type ControlCommand,
  type LogEntry,
  type SidecarEvent,
  type WarningCode,
} from '../platform/sidecar.js'
import type { CliContext, Colors } from './context.js'
import { jsonText } from './output.js'

const MAX_TEXT = 120
const WHAT_WIDTH = 30
/** Most changes of a line. */
const MAX_CHANGES = 10

/** Warnings whose text is new each time. */
const ALWAYS_TOLD: ReadonlySet<WarningCode> = new Set(['health-failure', 'allocation-action', 'unknown-field'] as const)

/** A line of what a command prints first: what it serves, and where. */
export const bannerRow =
  ({ bold, green }: Colors) =>
  (title: string, text: string): string =>
    `  ${green('➜')}  ${bold(`${title}:`.padEnd(11))} ${text}`

/** Creates the listener that prints the entries of the event log. */
export function eventPrinter(
  { logFormat, verbose }: { readonly logFormat: string; readonly verbose: boolean },
  { colors, print }: Pick<CliContext, 'colors' | 'print'>,
): (entry: LogEntry) => void {
  const lines = logFormat === 'json' ? createEventJson(verbose) : createEventLines(colors, verbose)
  return (entry) => lines(entry).forEach(print)
}

/** Creates the function that turns an entry of the event log into a line of JSON; none for an ordinary beat. */
function createEventJson(verbose: boolean): (entry: LogEntry) => string[] {
  return ({ event, at, ...outcome }) => {
    const { type, ...details } = event
    const isBeat = event.type === 'call' && event.call.operation === 'health'
    const isNews = (outcome.reply?.status ?? 200) >= 400 || outcome.changes.length > 0 || outcome.warnings.length > 0
    return isBeat && !isNews && !verbose
      ? []
      : [jsonText({ time: new Date(at).toISOString(), event: type, ...details, ...outcome })]
  }
}

/** Creates the function that turns an entry of the event log into lines to print, often none. */
export function createEventLines(colors: Colors, verbose: boolean): (entry: LogEntry) => string[] {
  let beats = 0
  return (entry) => {
    const { event } = entry
    // The line already begins with the time.
    const changes = verbose ? entry.changes : entry.changes.filter((change) => !isAllocationTime(change))
    const isBeat = event.type === 'call' && event.call.operation === 'health'
    if (isBeat) beats += 1
    const isQuiet = ((isBeat && beats > 1) || event.type === 'tick') && (entry.reply?.status ?? 200) < 400
    const warnings = warningLines(colors, verbose, entry)
    if (isQuiet && !verbose && changes.length === 0) return warnings
    const results = answersOf(entry, colors)
    if (isBeat && beats === 1 && !verbose) results.push('first beat; later ones are shown with --verbose')
    results.push(...changes.slice(0, MAX_CHANGES).map((change) => colors.bold(describeChange(change, plainText))))
    if (changes.length > MAX_CHANGES) results.push(`${changes.length - MAX_CHANGES} more changes`)
    const line = [colors.dim(clockTime(entry.at)), describeEvent(event).padEnd(WHAT_WIDTH), results.join(', ')]
    return [line.join('  ').trimEnd(), ...warnings]
  }
}

/** The warnings of an entry as lines to print. Repeated warnings are left out. */
export const warningLines = (colors: Colors, verbose: boolean, { at, warnings }: LogEntry): string[] =>
  warnings
    .filter(({ code, times }) => times === 1 || verbose || ALWAYS_TOLD.has(code))
    .map(({ message }) => `${colors.dim(clockTime(at))}  ${colors.yellow(`warning: ${plainText(message, 400)}`)}`)

/** The sidecar's answer to a call, or the outcome of a command. */
function answersOf({ event, reply, problem, changes }: LogEntry, colors: Colors): string[] {
  const answers: string[] = []
  const answer: { status: number; message?: string } | undefined = event.type === 'refused' ? event : reply
  if (answer !== undefined && answer.status < 400) answers.push(colors.green('ok'))
  else if (answer !== undefined) {
    answers.push(colors.red(plainText([answer.status, answer.message].join(' ').trimEnd(), 200)))
  }
  const isAllocation = event.type === 'control' && event.command.type === 'allocate'
  if (problem !== undefined) {
    answers.push(colors.red(plainText(`${isAllocation ? 'not allocated: ' : ''}${problem}`, 500)))
  } else if (isAllocation && !changes.some(({ type }) => type === 'state')) {
    answers.push(colors.bold('allocated again'))
  }
  return answers
}

function describeEvent(event: SidecarEvent): string {
  switch (event.type) {
    case 'call':
      return plainText(`${event.call.operation} ${describeCall(event.call).details}`.trimEnd(), MAX_TEXT)
    case 'refused':
      return plainText(`${event.method} ${event.path}`, MAX_TEXT)
    case 'control':
      return plainText(`control ${describeCommand(event.command)}`, MAX_TEXT)
    case 'watch-opened':
      return `watch #${event.id} opened (${event.transport})`
    case 'watch-closed':
      return `watch #${event.id} closed (${event.reason})`
    case 'tick':
      return 'sidecar'
  }
}

function describeCommand(command: ControlCommand): string {
  if (command.type === 'reload') return 'reload of the GameServer'
  if ('manifest' in command) {
    return ['allocate by manifest', ...pairs(command.manifest.spec?.metadata?.labels ?? {})].join(' ')
  }
  const { type, ...details } = command
  return [type, ...pairs(details)].join(' ')
}

const pairs = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${shown(value)}`)

/** JSON without quotes. */
const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '')
