import type { HostEvent } from '../host/host-events.js'
import { isWildcard } from '../local/http.js'
import { plainText } from '../local/files.js'
import { clockTime } from './event-lines.js'
import type { Colors } from './context.js'
import { jsonEvent } from './output.js'

/**
 * Most lines about players within the window. Players who connect in a loop would fill the disk, and a slow reader of
 * stdout blocks the program.
 */
const MOST = 1_000
const WINDOW_MS = 10_000

/** Creates the function that turns an event of a host into lines to print. */
export function createHostLines(
  format: 'pretty' | 'json',
  colors: Colors,
  now: () => number = () => performance.now(),
): (event: HostEvent) => string[] {
  const players = { since: now(), lines: 0 }
  const write = (event: HostEvent): string[] =>
    format === 'json' ? [jsonEvent(event.event, event)] : pretty(event, colors)

  /** Resets the count, and returns a line about those that were left out. */
  const beginWindow = (): string[] => {
    const left = players.lines - MOST
    Object.assign(players, { since: now(), lines: 0 })
    const most = `at most ${MOST} lines are written in ${WINDOW_MS / 1_000} s`
    return left > 0 ? write({ event: 'warning', text: `${left} more times players have come or left; ${most}` }) : []
  }

  return (event) => {
    const isOver = event.event === 'exit' || now() - players.since >= WINDOW_MS
    const told = isOver ? beginWindow() : []
    if (event.event === 'connection') players.lines += 1
    return players.lines > MOST && event.event === 'connection' ? told : [...told, ...write(event)]
  }
}

function pretty(event: HostEvent, colors: Colors): string[] {
  const [first = '', ...rest] = describe(event, colors).split('\n')
  return [`${colors.dim(clockTime(Date.now()))}  ${first}`, ...rest.map((line) => `${' '.repeat(14)}${line}`)]
}

function describe(event: HostEvent, colors: Colors): string {
  switch (event.event) {
    case 'listening': {
      const { players, address, page, sidecar } = event
      const all = isWildcard(address) ? ` and all addresses of this machine (${address})` : ''
      return `players at ${colors.cyan(text(players))}${all}, the page at ${text(page)}, the sidecar at ${text(sidecar)}`
    }
    case 'metrics':
      return `metrics    at ${colors.cyan(text(event.url))}${isWildcard(event.address) ? ` and all addresses of this machine (${event.address})` : ''}`
    case 'browser':
      return `browser    ${text(event.version)}, process ${event.pid}, ${event.sandbox ? 'in its sandbox' : 'without sandbox'}`
    case 'booted':
      return colors.green(`booted     after ${event.ms} ms`)
    case 'console':
      return `${event.level.padEnd(9)}  ${colorOf(event.level, colors)(text(event.text))}`
    case 'connection': {
      const { id, state, remoteAddress, code, reason } = event
      const why = state === 'open' ? '' : ` (${[code, reason].filter(Boolean).join(' ')})`
      return `player     #${id} from ${text(remoteAddress)} ${state === 'open' ? 'has come' : 'has left'}${plainText(why)}`
    }
    case 'warning':
      return colors.yellow(`warning    ${text(event.text)}`)
    case 'crash':
      return colors.red(`crash      ${text(event.reason)}`)
    case 'hang':
      return colors.red(`hang       ${text(event.reason)}\n${text(event.stack)}`)
    case 'shutdown':
      return colors.bold(`shutdown   ${text(event.signal)}`)
    case 'state':
      return colors.bold(`state      ${text(event.state)}`)
    case 'replaced':
      return colors.bold(`replaced   ${text(event.text)}`)
    case 'exit':
      return (event.code === 0 ? colors.bold : colors.red)(`exit       ${event.code}: ${text(event.reason)}`)
  }
}

const plainStyle = (line: string): string => line

function colorOf(level: string, colors: Colors): (text: string) => string {
  if (level === 'error') return colors.red
  if (level === 'warn') return colors.yellow
  return level === 'debug' ? colors.dim : plainStyle
}

/** Makes each line of a text plain. */
const text = (lines: string): string =>
  lines
    .split('\n')
    .map((line) => plainText(line, 2_000))
    .join('\n')
