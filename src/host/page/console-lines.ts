import { format, inspect } from 'node:util'
import type { PageSession } from '../browser/devtools.js'
import { plainLines, type ConsoleLevel, type ConsoleLine } from '../../local/game.js'
import { createLineLimit } from './line-limit.js'

/** A value of the page, as the DevTools protocol describes it. */
interface RemoteObject {
  readonly type: string
  readonly subtype?: string
  readonly value?: unknown
  /** Numbers that JSON lacks, and bigints. */
  readonly unserializableValue?: string
  /** Of an error, its stack; of a function, its source. */
  readonly description?: string
  readonly preview?: ObjectPreview
}

interface ObjectPreview extends InnerValue {
  readonly subtype?: string
  readonly overflow: boolean
  readonly properties: readonly (InnerValue & { readonly name: string })[]
}

interface InnerValue {
  readonly type: string
  readonly value?: string
  readonly description?: string
}

/** A stack frame; lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

/** `Runtime.consoleAPICalled` */
interface ConsoleCall {
  readonly type: string
  readonly args: readonly RemoteObject[]
  readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
}

/** Of `Runtime.exceptionThrown`. */
interface ExceptionDetails {
  /** `Uncaught` or `Uncaught (in promise)`. */
  readonly text: string
  readonly url?: string
  readonly lineNumber: number
  readonly columnNumber: number
  readonly exception?: RemoteObject
  readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
}

/** Of `Log.entryAdded`: failed loads, other messages of the browser, and the console of workers. */
interface LogEntry {
  /** For example `network`, `security` or `worker`. */
  readonly source: string
  readonly level: string
  readonly text: string
  readonly url?: string
  readonly lineNumber?: number
}

export interface ConsoleOptions {
  /** Makes a session for the console alone, so that the host can end it while the page floods the console. */
  attach(): Promise<PageSession>
  onLine(line: ConsoleLine): void
  /** Of the gateway. */
  readonly origin: string
  /** Whether the page has got its `shutdown` event. */
  isEnding(): boolean
}

const LEVELS: Readonly<Record<string, ConsoleLevel>> = {
  debug: 'debug',
  verbose: 'debug',
  warning: 'warn',
  error: 'error',
  assert: 'error',
}

/** Console calls that write no text. */
const SILENT = ['clear', 'endGroup']
/** Path of the watch in the gateway. */
const WATCH = '/_/sidecar/watch/gameserver'

/** Most characters of a text that are looked at, and of one value inside another. */
const MAX_TEXT = 10_000
const MAX_INNER = 120
const MAX_FRAMES = 30

/** Events and characters a second that count as a flood: more than the host ever writes. */
const FLOOD = { events: 600, characters: 4_000_000 }
/** How long the console of a page that floods it isn't read. */
const PAUSE_MS = 1_000
/** How often events are counted anew, and logged objects released, which would stay in the page's memory. */
const PERIOD_MS = 1_000

/**
 * Makes lines of a page's console, its uncaught errors, and the browser's messages about it. The browser queues unread
 * events without a limit, and the page's answers wait behind them. So the console of a page that floods it isn't read for
 * a while.
 */
export class PageConsole {
  readonly #options: ConsoleOptions
  readonly #limit: ReturnType<typeof createLineLimit>
  readonly #timer = setInterval(() => this.#startPeriod(), PERIOD_MS).unref()
  #session: PageSession | undefined
  /** What has come in this period. */
  #events = 0
  #characters = 0
  #pause: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(options: ConsoleOptions) {
    this.#options = options
    this.#limit = createLineLimit((line) => options.onLine(line))
  }

  /** Reads the console from now on. */
  async read(): Promise<void> {
    const session = await this.#options.attach().catch(() => undefined)
    if (this.#hasEnded) return session?.detach()
    this.#session = session
    this.#events = this.#characters = 0
    const on = (event: string, write: (params: never) => void): unknown =>
      session?.on(event, (params, size) => {
        write(params)
        this.#count(size)
      })
    on('Runtime.consoleAPICalled', (call: ConsoleCall) => this.#writeCall(call))
    on('Runtime.exceptionThrown', (event: { exceptionDetails: ExceptionDetails }) =>
      this.#writeException(event.exceptionDetails),
    )
    on('Log.entryAdded', ({ entry }: { entry: LogEntry }) => this.#writeEntry(entry))
    // Otherwise, the browser would now send everything written during the pause.
    for (const method of ['Runtime.discardConsoleEntries', 'Runtime.enable', 'Log.enable']) {
      session?.send(method).catch(ignore)
    }
  }

  /** Writes a line, also the host's own about the page, under the same limits. */
  write(level: ConsoleLevel, text: string, frames: readonly CallFrame[] = []): void {
    const stack = describeFrames(frames).map((line) => `    ${line}`)
    this.#limit.write({ level, text: plainLines([text, ...stack].join('\n')) })
  }

  /** Writes how many lines were left out so far. */
  flush(): void {
    this.#limit.flush()
  }

  end(): void {
    this.#hasEnded = true
    clearInterval(this.#timer)
    clearTimeout(this.#pause)
    this.#drop()
  }

  #startPeriod(): void {
    if (this.#events > 0) this.#session?.send('Runtime.discardConsoleEntries').catch(ignore)
    this.#events = this.#characters = 0
  }

  #count(size: number): void {
    this.#events += 1
    this.#characters += size
    if (this.#events < FLOOD.events && this.#characters < FLOOD.characters) return
    this.#drop()
    const most = `${FLOOD.events} lines or ${FLOOD.characters / 1e6} MB within a second are too many`
    const text = `The page floods its console, which is not read for ${PAUSE_MS / 1_000} s: ${most}`
    // Not under the limit, which drops lines in a flood.
    this.#options.onLine({ level: 'warn', text })
    this.#pause = setTimeout(() => void this.read(), PAUSE_MS).unref()
  }

  #drop(): void {
    this.#session?.detach()
    this.#session = undefined
  }

  #writeCall({ type, args, stackTrace }: ConsoleCall): void {
    if (SILENT.includes(type)) return
    const text = formatArguments(args)
    if (type === 'trace') this.write('info', `Trace: ${text}`, stackTrace?.callFrames)
    else this.write(LEVELS[type] ?? 'info', type === 'assert' ? `Assertion failed: ${text}` : text)
  }

  #writeException({ text, exception, stackTrace, url = '', ...place }: ExceptionDetails): void {
    const message = exception === undefined ? text : `${text} ${describeRemote(exception)}`.slice(0, MAX_TEXT)
    // A thrown value that is no error has no stack of its own.
    const hasStack = /^ {1,8}at /m.test(message)
    this.write('error', message, hasStack ? [] : (stackTrace?.callFrames ?? [{ functionName: '', url, ...place }]))
  }

  #writeEntry({ source, level, text, url = '', lineNumber }: LogEntry): void {
    const { origin, isEnding } = this.#options
    // The browser requests the icon by itself.
    if (url === `${origin}/favicon.ico`) return
    // After its watch has ended, a client redials until its page is closed.
    if (source === 'network' && isEnding() && `${text} ${url}`.includes(WATCH)) return
    const place = url && ` (${short(url)}${lineNumber === undefined ? '' : `:${lineNumber + 1}`})`
    this.write(LEVELS[level] ?? 'info', text + place)
  }
}

/** Lines such as `at step (http://127.0.0.1:8080/game.js:12:5)`. */
export const describeFrames = (frames: readonly CallFrame[]): string[] =>
  frames.slice(0, MAX_FRAMES).map(({ functionName, url, lineNumber, columnNumber }) => {
    const place = `${url || '<anonymous>'}:${lineNumber + 1}:${columnNumber + 1}`
    return functionName === '' ? `at ${place}` : `at ${functionName} (${place})`
  })

/** The text of a console call's arguments: fills in the placeholders of the first argument, and appends the others. */
const formatArguments = (values: readonly RemoteObject[]): string =>
  format(
    ...values.map((value) => {
      if (value.type === 'string') return String(value.value).slice(0, MAX_TEXT)
      if (value.type === 'number' && 'value' in value) return value.value
      return { [inspect.custom]: () => describeRemote(value) }
    }),
  )

function describeRemote(object: RemoteObject): string {
  const { type, subtype, value, unserializableValue, description, preview } = object
  if (type === 'function') return short((description ?? type).split('{')[0]!.trim())
  if (preview !== undefined && subtype !== 'error') return describePreview(preview)
  return unserializableValue ?? description ?? String(value)
}

/** The first level of an object, such as `Ball {x: 1, at: Array(2)}`. */
function describePreview({ subtype, description = '', overflow, properties }: ObjectPreview): string {
  const list = (items: readonly string[]): string => [...items, ...(overflow ? ['…'] : [])].join(', ')
  if (subtype === 'array' || subtype === 'typedarray') {
    return `[${list(properties.filter(({ name }) => /^\d+$/.test(name)).map(describeInner))}]`
  }
  if (subtype !== undefined && subtype !== 'proxy') return short(description)
  const name = description === 'Object' ? '' : `${short(description)} `
  return `${name}{${list(properties.map((property) => `${short(property.name)}: ${describeInner(property)}`))}}`
}

const describeInner = ({ type, value, description = '' }: InnerValue): string =>
  type === 'string' ? `'${short(value ?? description)}'` : short(value || description || type)

const short = (text: string): string => (text.length > MAX_INNER ? `${text.slice(0, MAX_INNER - 1)}…` : text)

const ignore = (): void => undefined
