import type { FleetRunEvent } from '../local/fleet.js'
import { plainText } from '../local/files.js'
import { clockTime } from './event-lines.js'
import type { Colors } from './context.js'
import { jsonEvent } from './output.js'

type EntryType = Extract<FleetRunEvent, { event: 'entry' }>['entry']['type']

/** Entries of the timeline that the dashboard shows and that a terminal would drown in. */
const QUIET: ReadonlySet<EntryType> = new Set(['changed', 'gone'])
/** Characters of a GameServer's short name: those that Kubernetes generates. */
const SHORT = 5
const MAX_TEXT = 500
/** Characters of a game's line, as the Fleet cuts it. */
const MAX_LINE = 2_000

/** Creates the function that turns an event of a Fleet into lines to print. */
export function createFleetLines(format: 'pretty' | 'json', colors: Colors): (event: FleetRunEvent) => string[] {
  return format === 'json' ? ({ event, ...details }) => [jsonEvent(event, details)] : createPretty(colors)
}

function createPretty(colors: Colors): (event: FleetRunEvent) => string[] {
  const styles = [colors.cyan, colors.green, colors.magenta, colors.blue, colors.yellow]
  /** The style of a GameServer's name, as long as the Fleet has it. */
  const used = new Map<string, (text: string) => string>()
  let next = 0

  const nameOf = (server: string | undefined): string => {
    if (server === undefined) return colors.bold('fleet')
    const style = used.get(server) ?? styles[next++ % styles.length]!
    used.set(server, style)
    return style(plainText(server.slice(server.lastIndexOf('-') + 1), 30).padEnd(SHORT))
  }
  const line = (server: string | undefined, text: string): string =>
    `${colors.dim(clockTime(Date.now()))}  ${nameOf(server)}  ${text}`

  return (event) => {
    switch (event.event) {
      case 'listening':
        return []
      case 'output':
        return event.text
          .split('\n')
          .map((line) => plainText(line, MAX_LINE))
          .map(
            (text) => `${nameOf(event.server)} ${colors.dim('│')} ${event.level === 'error' ? colors.red(text) : text}`,
          )
      case 'entry': {
        const { type, server, text } = event.entry
        // The line begins with the GameServer's short name.
        const rest = server === undefined ? text : text.replace(`${server}: `, '').replace(`${server} `, '')
        const shown = QUIET.has(type) ? [] : [line(server, styleOf(type, colors)(plainText(rest, MAX_TEXT)))]
        if (type === 'gone' && server !== undefined) used.delete(server)
        return shown
      }
    }
  }
}

const plainStyle = (text: string): string => text

function styleOf(type: EntryType, colors: Colors): (text: string) => string {
  if (type === 'warning') return colors.yellow
  if (type === 'allocation' || type === 'state') return colors.bold
  return type === 'process' || type === 'created' ? colors.dim : plainStyle
}
