import type { Call, Change, ControlCommand, LogEntry, SidecarEvent } from '../sidecar/index.js'
import type { Colors } from './context.js'

const MAX_TEXT = 120
const WHAT_WIDTH = 30

/** Creates the function that turns an entry of the event log into lines to print, often none. */
export function createEventLines(colors: Colors, verbose: boolean): (entry: LogEntry) => string[] {
  let beats = 0
  return (entry) => {
    const { event, changes, warnings } = entry
    const reply = event.type === 'refused' ? event : entry.reply
    const isBeat = event.type === 'call' && event.call.operation === 'health'
    if (isBeat) beats += 1
    const failed = reply !== undefined && reply.status >= 400
    const quiet = (isBeat && beats > 1) || event.type === 'tick'
    const lines: string[] = []
    if (verbose || !quiet || failed || changes.length > 0) {
      const note = isBeat && beats === 1 && !verbose ? ['first beat; later ones are shown with --verbose'] : []
      const answer = reply === undefined ? [] : [failed ? colors.red(replyText(reply)) : colors.green('ok')]
      const results = [...answer, ...note, ...changes.map((change) => colors.bold(describeChange(change)))]
      lines.push(
        [colors.dim(clock(entry.at)), describeEvent(event).padEnd(WHAT_WIDTH), results.join(', ')].join('  ').trimEnd(),
      )
    }
    for (const { message, times } of warnings) {
      if (times === 1 || verbose)
        lines.push(`${colors.dim(clock(entry.at))}  ${colors.yellow(`warning: ${plain(message, 400)}`)}`)
    }
    return lines
  }
}

function clock(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

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
    case 'tick':
      return 'sidecar'
    case 'crashed':
      return 'sidecar crashed, started again'
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
      const given = { capacity: call.capacity, values: `[${call.values.join(', ')}]` }
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
  const shown = pairs(details)
  return [type, ...shown].join(' ')
}

const pairs = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)

function describeChange(change: Change): string {
  switch (change.type) {
    case 'state':
      return plain(`${change.previous} → ${change.value}`)
    case 'label':
    case 'annotation':
      return plain(`${change.type} ${change.key}${change.value === undefined ? ' removed' : `=${change.value}`}`)
    case 'counter':
      return plain(`counter ${change.name} ${change.count}/${change.capacity}`)
    case 'list': {
      const parts = [...change.added.map((value) => `+${value}`), ...change.removed.map((value) => `-${value}`)]
      return plain(['list', change.name, ...parts, `(capacity ${change.capacity})`].join(' '))
    }
    case 'deletion':
      return 'is being deleted'
    case 'gone':
      return 'gone from the cluster'
    case 'replaced':
      return 'GameServer replaced'
  }
}

/** Escapes control characters, so that a request can't send the terminal a control sequence, and limits the length. */
function plain(text: string, limit = MAX_TEXT): string {
  const shown = text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
  return shown.length > limit ? `${shown.slice(0, limit - 1)}…` : shown
}
