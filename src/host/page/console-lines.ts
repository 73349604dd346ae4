import type { DevtoolsSession } from '../browser/devtools.js'
import { createLineLimit, plainLines, type ConsoleLevel, type ConsoleLine } from '../../local/game.js'
import { describeRemote, formatArguments, type RemoteObject } from './console-format.js'
import type { CallFrame, SourceMaps } from './source-maps.js'

/** `Runtime.consoleAPICalled` */
interface ConsoleCall {
  readonly type: string
  readonly args: readonly RemoteObject[]
  readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
}

/** Of `Runtime.exceptionThrown`; lines and columns count from 0. */
interface ExceptionDetails {
  /** `Uncaught` or `Uncaught (in promise)`. */
  readonly text: string
  readonly url?: string
  readonly lineNumber: number
  readonly columnNumber: number
  readonly exception?: RemoteObject
  readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
}

/** Of `Log.entryAdded`: failed loads, and other messages of the browser. */
interface LogEntry {
  /** For example `network`, `security` or `worker`. */
  readonly source: string
  readonly level: string
  readonly text: string
  readonly url?: string
  readonly lineNumber?: number
}

export interface ConsoleLinesOptions {
  onLine(line: ConsoleLine): void
  readonly sourceMaps: SourceMaps
  /** The gateway's origin, which is left out of places in its files. */
  readonly origin: string
  /** Whether the page has got its `shutdown` event. */
  readonly isEnding?: () => boolean
}

export type ConsoleLines = ReturnType<typeof createConsoleLines>

const LEVELS: Readonly<Record<string, ConsoleLevel>> = {
  debug: 'debug',
  verbose: 'debug',
  warning: 'warn',
  error: 'error',
  assert: 'error',
}

/** Path of the watch in the gateway. */
const WATCH = '/_/sidecar/watch/gameserver'

/** Console calls that write no text. */
const SILENT = new Set(['clear', 'endGroup', 'profile', 'profileEnd'])

/** Most characters of a text that are read; fewer are written. */
const MAX_TEXT = 10_000
/** Most lines that wait for the source map of an earlier line. */
const MAX_WAITING = 200

/** Makes lines of a page's console messages, its uncaught errors, and the browser's messages about it. */
export function createConsoleLines({ onLine, sourceMaps, origin, isEnding }: ConsoleLinesOptions) {
  const limit = createLineLimit(onLine)
  let order = Promise.resolve()
  let waiting = 0

  /** Writes lines in the order of their events, even if a line waits for its source map. */
  const write = (level: ConsoleLevel, whole: string, frames?: readonly CallFrame[]): void => {
    const text = whole.slice(0, MAX_TEXT)
    const hasPlaces = frames !== undefined || hasFrames(text)
    if ((waiting === 0 && !hasPlaces) || waiting >= MAX_WAITING) return limit.write({ level, text: plainLines(text) })
    waiting += 1
    order = order.then(async () => {
      const mapped = hasPlaces ? await sourceMaps.mapStack(text) : text
      const below = await sourceMaps.describeCallFrames(frames ?? [])
      limit.write({ level, text: plainLines([mapped, ...below.map((line) => `    ${line}`)].join('\n')) })
      waiting -= 1
    })
  }

  const onCall = ({ type, args, stackTrace }: ConsoleCall): void => {
    if (SILENT.has(type)) return
    const text = formatArguments(args)
    const level = LEVELS[type] ?? 'info'
    if (type === 'trace') return write(level, `Trace: ${text}`, stackTrace?.callFrames)
    // The browser's own text, if the page gave none.
    const isBare = type === 'assert' && text === 'console.assert'
    write(level, type !== 'assert' ? text : isBare ? 'Assertion failed' : `Assertion failed: ${text}`)
  }

  const onException = (details: ExceptionDetails): void => {
    const { text, exception, stackTrace, url, lineNumber, columnNumber } = details
    const message = exception === undefined ? text : `${text} ${describeRemote(exception)}`.slice(0, MAX_TEXT)
    if (hasFrames(message)) return write('error', message)
    // The thrown value has no stack of its own.
    write('error', message, stackTrace?.callFrames ?? [{ functionName: '', url: url ?? '', lineNumber, columnNumber }])
  }

  const onEntry = ({ source, level, text, url, lineNumber }: LogEntry): void => {
    // A worker's own console also reports these messages. The browser requests the icon by itself.
    if (source === 'worker' || url === `${origin}/favicon.ico`) return
    // After its watch has ended, a client redials until its page is closed.
    if (source === 'network' && isEnding?.() && `${text} ${url}`.includes(WATCH)) return
    const file = url?.startsWith(`${origin}/`) ? url.slice(origin.length + 1) : url
    const place = file ? ` (${file.slice(0, 300)}${lineNumber ? `:${lineNumber + 1}` : ''})` : ''
    write(LEVELS[level] ?? 'info', text.slice(0, MAX_TEXT) + place)
  }

  return {
    /** Makes lines of a session's events, until the returned function is called. */
    read(session: DevtoolsSession, onEvent: (size: number) => void): () => void {
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows the event's shape
      const on = <Params>(event: string, listener: (params: Params) => void): (() => void) =>
        session.on<Params>(event, (params, size) => {
          onEvent(size)
          listener(params)
        })
      const ends = [
        on<ConsoleCall>('Runtime.consoleAPICalled', onCall),
        on<{ exceptionDetails: ExceptionDetails }>('Runtime.exceptionThrown', (event) =>
          onException(event.exceptionDetails),
        ),
        on<{ entry: LogEntry }>('Log.entryAdded', ({ entry }) => onEntry(entry)),
      ]
      return () => ends.forEach((end) => end())
    },
    /** Writes the host's own line about the page, under the same limits. */
    write: ({ level, text }: ConsoleLine) => write(level, text),
    /** Writes a rare line that must not be dropped in a flood. */
    tell: onLine,
    /** Resolves when every line so far is written. */
    async flush() {
      await order
      limit.flush()
    },
  }
}

const hasFrames = (text: string): boolean => /^ {1,8}at /m.test(text)

/** A session for the console alone, so that the host can end it while the page floods the console. */
export interface ConsoleSession {
  readonly session: DevtoolsSession
  detach(): Promise<unknown>
}

/** Events and characters a second that count as a flood: more than the host ever writes. */
const FLOOD = { events: 600, characters: 4_000_000 }
/** How long the console then isn't read: the first and the longest pause. */
const PAUSE_MS = { first: 1_000, most: 16_000 }
/** Logged objects stay in the page's memory until they are released. */
const RELEASE_MS = 1_000

/**
 * Reads the console of a thread. The browser queues unread lines without a limit, and the page's answers wait behind them.
 * So the console of a page that floods it isn't read for a while.
 *
 * @param attach makes a new session, or resolves with undefined if no session
 * can be made
 * @returns the function that ends it, once the console is being read
 */
export async function followConsole(
  attach: () => Promise<ConsoleSession | undefined>,
  lines: ConsoleLines,
): Promise<() => void> {
  let current: ConsoleSession | undefined
  let stopReading: (() => void) | undefined
  let hasEnded = false
  let pause: number = PAUSE_MS.first
  let pauseTimer: NodeJS.Timeout | undefined
  let events = 0
  let characters = 0
  let hasLogged = false

  const begin = async (isFirst: boolean): Promise<void> => {
    const attached = await attach().catch(() => undefined)
    if (attached === undefined) return
    if (hasEnded) return void attached.detach().catch(ignore)
    const { session } = attached
    current = attached
    events = characters = 0
    // Otherwise, the browser would now send everything written during the pause.
    if (!isFirst) session.send('Runtime.discardConsoleEntries').catch(ignore)
    stopReading = lines.read(session, onEvent)
    session.send('Runtime.enable').catch(ignore)
    // Workers have no log.
    session.send('Log.enable').catch(ignore)
  }

  const drop = (): void => {
    stopReading?.()
    current?.detach().catch(ignore)
    stopReading = current = undefined
  }

  const onEvent = (size: number): void => {
    hasLogged = true
    events += 1
    characters += size
    if (events < FLOOD.events && characters < FLOOD.characters) return
    drop()
    const what = `${FLOOD.events} lines or ${FLOOD.characters / 1e6} MB within a second are too many`
    lines.tell({
      level: 'warn',
      text: `The page floods its console, which is not read for ${pause / 1_000} s: ${what}`,
    })
    pauseTimer = setTimeout(() => void begin(false), pause).unref()
    pause = Math.min(PAUSE_MS.most, pause * 2)
  }

  const timer = setInterval(() => {
    if (current !== undefined && events < FLOOD.events / 2) pause = PAUSE_MS.first
    events = characters = 0
    if (!hasLogged || current === undefined) return
    hasLogged = false
    current.session.send('Runtime.releaseObjectGroup', { objectGroup: 'console' }).catch(ignore)
    current.session.send('Runtime.discardConsoleEntries').catch(ignore)
  }, RELEASE_MS).unref()

  await begin(true)
  return () => {
    hasEnded = true
    clearInterval(timer)
    clearTimeout(pauseTimer)
    drop()
  }
}

const ignore = (): void => undefined
