import { plainText } from '../node/plain-text.js'
import { replacementSentence } from '../sidecar/index.js'
import type { Call, Change, ControlCommand, LogEntry, SidecarEvent, WarningCode } from '../sidecar/index.js'
import type { Colors } from './context.js'

const MAX_TEXT = 120
const WHAT_WIDTH = 30
/** Most changes that a line tells. */
const MAX_CHANGES = 10

/** Warnings that are news each time: how many beats have been missed, and what an allocation left out. */
const ALWAYS_TOLD: ReadonlySet<WarningCode> = new Set(['health-failure', 'allocation-action'] as const)

/** The time of day of this machine, such as `12:04:05.006`. */
export const clockTime = (at: number): string =>
  `${new Date(at).toTimeString().slice(0, 8)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`

/** Creates the function that turns an entry of the event log into lines to print, often none. */
export function createEventLines(colors: Colors, verbose: boolean): (entry: LogEntry) => string[] {
  let beats = 0
  return (entry) => {
    const { event, problem } = entry
    const changes = verbose ? entry.changes : entry.changes.filter((change) => !isAllocationTime(change))
    const reply = event.type === 'refused' ? event : entry.reply
    const isBeat = event.type === 'call' && event.call.operation === 'health'
    if (isBeat) beats += 1
    const failed = reply !== undefined && reply.status >= 400
    const quiet = (isBeat && beats > 1) || event.type === 'tick'
    const lines: string[] = []
    if (verbose || !quiet || failed || changes.length > 0) {
      const note = isBeat && beats === 1 && !verbose ? ['first beat; later ones are shown with --verbose'] : []
      const answer = reply === undefined ? [] : [failed ? colors.red(replyText(reply)) : colors.green('ok')]
      const isAgain = isAllocation(event) && !entry.changes.some(({ type }) => type === 'state')
      if (problem !== undefined)
        answer.push(colors.red(plain(`${isAllocation(event) ? 'not allocated: ' : ''}${problem}`, 500)))
      else if (isAgain) answer.push(colors.bold('allocated again'))
      const told = changes.slice(0, MAX_CHANGES).map((change) => colors.bold(describeChange(change)))
      const more = changes.length > MAX_CHANGES ? [`${changes.length - MAX_CHANGES} more changes`] : []
      const results = [...answer, ...note, ...told, ...more]
      lines.push(
        [colors.dim(clockTime(entry.at)), describeEvent(event).padEnd(WHAT_WIDTH), results.join(', ')]
          .join('  ')
          .trimEnd(),
      )
    }
    return [...lines, ...warningLines(colors, verbose, entry)]
  }
}

/** The warnings of an entry as lines to print: each once, unless it is news each time. */
export const warningLines = (colors: Colors, verbose: boolean, { at, warnings }: LogEntry): string[] =>
  warnings
    .filter(({ code, times }) => times === 1 || verbose || ALWAYS_TOLD.has(code))
    .map(({ message }) => `${colors.dim(clockTime(at))}  ${colors.yellow(`warning: ${plain(message, 400)}`)}`)

const isAllocation = (event: SidecarEvent): boolean => event.type === 'control' && event.command.type === 'allocate'

/** The time of the last allocation stands at the beginning of the line. */
const isAllocationTime = (change: Change): boolean =>
  change.type === 'annotation' && change.key.endsWith('.dev/last-allocated')

const replyText = ({ status, message }: { status: number; message?: string }): string =>
  plain(message === undefined ? String(status) : `${status} ${message}`, 200)

function describeEvent(event: SidecarEvent): string {
  switch (event.type) {
    case 'call':
      return plain(describeCall(event.call))
    case 'refused':
      return plain(`${event.method} ${event.path}`)
    case 'control':
      return plain(`control ${describeCommand(event.command)}`)
    case 'watch-opened':
      return `watch #${event.id} opened (${event.transport})`
    case 'watch-closed':
      return `watch #${event.id} closed (${event.reason})`
    case 'shown':
      return 'recording'
    case 'tick':
      return 'sidecar'
  }
}

function describeCall(call: Call): string {
  const { operation } = call
  switch (call.operation) {
    case 'reserve':
      return `${operation} ${call.seconds} s`
    case 'setLabel':
    case 'setAnnotation':
      return `${operation} ${call.key}=${call.value}`
    case 'getCounter':
    case 'getList':
      return `${operation} ${call.key}`
    case 'updateCounter':
      return [
        operation,
        call.key,
        ...pairs({ count: call.count, capacity: call.capacity, countDiff: call.countDiff }),
      ].join(' ')
    case 'updateList': {
      const given = { capacity: call.capacity, values: `[${some(call.values)}]` }
      const masked = Object.entries(given).filter(([name]) => call.mask.includes(name))
      return [operation, call.key, ...pairs(Object.fromEntries(masked))].join(' ')
    }
    case 'addListValue':
    case 'removeListValue':
      return `${operation} ${call.key} ${call.value}`
    default:
      return operation
  }
}

function describeCommand(command: ControlCommand): string {
  const { type, ...details } = command
  if (type === 'reload') return 'reload of the GameServer'
  if ('manifest' in command)
    return `allocate by manifest ${pairs(command.manifest.spec?.metadata?.labels ?? {}).join(' ')}`.trim()
  const shown = pairs(details)
  return [type, ...shown].join(' ')
}

const pairs = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${describeValue(value)}`)

/** A value of a command. Of a large one only as much is written out as a line shows, and no deeper than one has room. */
function describeValue(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth > 3) return '…'
  const inside = (item: unknown): string => describeValue(item, depth + 1)
  if (Array.isArray(value)) return `[${value.slice(0, MAX_TEXT).map(inside).join(',')}]`
  const fields = Object.keys(value).slice(0, MAX_TEXT)
  return `{${fields.map((name) => `${name}:${inside((value as Record<string, unknown>)[name])}`).join(',')}}`
}

export function describeChange(change: Change): string {
  switch (change.type) {
    case 'state':
      return plain(`${change.previous} → ${change.value}`)
    case 'label':
    case 'annotation':
      return plain(`${change.type} ${change.key}${change.value === undefined ? ' removed' : `=${change.value}`}`)
    case 'counter':
      return plain(`counter ${change.name} ${change.count}/${change.capacity}`)
    case 'list': {
      const added = change.added.slice(0, MAX_TEXT).map((value) => `+${value}`)
      const removed = change.removed.slice(0, MAX_TEXT).map((value) => `-${value}`)
      return plain(some(['list', change.name, ...added, ...removed, `(capacity ${change.capacity})`], ' '))
    }
    case 'deletion':
      return 'is being deleted'
    case 'gone':
      return 'gone from the cluster'
    case 'replaced':
      return plain(`${replacementSentence(change)}. It is Scheduled until a game calls ready()`, 400)
  }
}

/** The start of a text as one plain line. */
function plain(text: string, limit = MAX_TEXT): string {
  return plainText(text, limit)
}

/** As many values as a line has room for. */
function some(values: readonly string[], separator = ', '): string {
  return values.slice(0, MAX_TEXT).join(separator)
}
