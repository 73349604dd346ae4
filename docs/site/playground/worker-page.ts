import type { Level, ToPage, ToWorker } from './runner.js'

let port: MessagePort

export const toPage = (message: ToPage, transfer: Transferable[] = []): void => port.postMessage(message, transfer)

/** Takes the port to the page, which comes with the worker's first message. */
export function onPage(onMessage: (event: MessageEvent<ToWorker>) => void): void {
  // Code could start workers without a time limit.
  for (const name of ['Worker', 'SharedWorker']) Reflect.deleteProperty(self, name)
  self.onmessage = ({ ports }) => {
    self.onmessage = null
    port = ports[0]!
    port.onmessage = onMessage
    toPage({ type: 'pong' })
  }
}

/** Lines in a tenth of a second. Further lines are counted, not shown. */
const MAX_LINES = 100
const MAX_LENGTH = 999

const written = { since: 0, lines: 0, skipped: 0 }

const post = (level: Level, text: string): void => {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  toPage({ type: 'line', level, text: cut })
}

/** Sends a line at once: the page shows it even if the code then loops for ever. */
function write(level: Level, text: string): void {
  const now = performance.now()
  if (now - written.since > 100) {
    if (written.skipped > 0) post('note', `… ${written.skipped} lines were skipped`)
    Object.assign(written, { since: now, lines: 0, skipped: 0 })
  }
  if (written.lines++ < MAX_LINES) post(level, text)
  else written.skipped++
}

const writer =
  (level: Level) =>
  (...values: unknown[]): void =>
    write(level, values.map(show).join(' '))

export function createConsole(): Partial<Console> {
  const log = writer('log')
  return { log, info: log, debug: log, warn: writer('warn'), error: writer('error') }
}

/** Writes an error that the code did not catch. */
export const tellError = (error: unknown, line?: number): void => write('error', describeError(error, line))

function show(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return `[function ${value.name}]`
  if (value instanceof Error) return describeError(value)
  try {
    return JSON.stringify(value, plain) ?? String(value)
  } catch {
    return String(value)
  }
}

const plain = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return `${value}n`
  return value instanceof Map || value instanceof Set ? [...value] : value
}

/** An error with the line of the code that threw it. */
function describeError(error: unknown, line?: number): string {
  const at = (found: number | string | undefined): string => (found ? ` (line ${found})` : '')
  if (!(error instanceof Error)) return `Uncaught: ${show(error)}${at(line)}`
  const { code, hint } = error as { code?: unknown; hint?: unknown }
  const kind = typeof code === 'string' ? `${error.name} ${code}` : error.name
  const advice = typeof hint === 'string' && !error.message.includes(hint) ? `. ${hint}` : ''
  const found = /code\.js:(\d+)/.exec(error.stack ?? '')?.[1] ?? (error instanceof SyntaxError ? line : undefined)
  return `${kind}: ${error.message}${advice}${at(found)}`
}
