import type { HostEvent } from '../node/host/host-events.js'
import { plainText } from '../node/plain-text.js'
import { clockTime } from './clock-time.js'
import type { Colors } from './context.js'

/** Creates the function that turns an event of a host into lines to print. */
export function createHostLines(format: 'pretty' | 'json', colors: Colors): (event: HostEvent) => string[] {
  if (format === 'json') {
    return ({ event, ...details }) => [jsonLine({ time: new Date().toISOString(), event, ...details })]
  }
  return (event) => {
    const [first = '', ...rest] = describe(event, colors).split('\n')
    return [`${colors.dim(clockTime(Date.now()))}  ${first}`, ...rest.map((line) => `${' '.repeat(14)}${line}`)]
  }
}

function describe(event: HostEvent, colors: Colors): string {
  switch (event.event) {
    case 'listening':
      return `players at ${colors.cyan(event.players)}, the page at ${event.page}, the sidecar at ${event.sidecar}`
    case 'browser':
      return `browser    ${event.version}, process ${event.pid}, ${event.sandbox ? 'in its sandbox' : 'without sandbox'}`
    case 'program':
      return `program    in ${event.runtime}, process ${event.pid}`
    case 'booted':
      return colors.green(`booted     after ${event.ms} ms`)
    case 'console':
      return `${event.level.padEnd(9)}  ${colorOf(event.level, colors)(text(event.text))}`
    case 'connection': {
      const { id, state, remoteAddress, code, reason } = event
      const why = state === 'open' ? '' : ` (${[code, reason].filter(Boolean).join(' ')})`
      return `player     #${id} from ${remoteAddress} ${state === 'open' ? 'has come' : 'has left'}${plainText(why)}`
    }
    case 'warning':
      return colors.yellow(`warning    ${text(event.text)}`)
    case 'crash':
      return colors.red(`crash      ${text(event.reason)}`)
    case 'hang':
      return colors.red(`hang       ${text(event.reason)}\n${text(event.stack)}`)
    case 'shutdown':
      return colors.bold(`shutdown   ${event.signal}`)
    case 'exit':
      return (event.code === 0 ? colors.bold : colors.red)(`exit       ${event.code}: ${text(event.reason)}`)
  }
}

/** What the terminal's guard would escape in its own way is escaped as JSON knows it. */
const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  )

const plainStyle = (line: string): string => line

function colorOf(level: string, colors: Colors): (text: string) => string {
  if (level === 'error') return colors.red
  if (level === 'warn') return colors.yellow
  return level === 'debug' ? colors.dim : plainStyle
}

/** Every line of a text on its own, made of visible characters alone. */
const text = (lines: string): string =>
  lines
    .split('\n')
    .map((line) => plainText(line, 2_000))
    .join('\n')
