import type { DevtoolsSession } from '../browser/devtools.js'
import { formatArguments } from './console-format.js'
import { createLineLimit, type ConsoleLevel, type ConsoleLine } from '../line-limit.js'
import { plainLines } from '../plain-lines.js'
import { describeValue, type RemoteObject } from './remote-object.js'
import type { CallFrame, SourceMaps } from './source-maps.js'

export interface ConsoleOptions {
  onLine(line: ConsoleLine): void
  readonly sourceMaps: SourceMaps
  /** Of the gateway: places in its files are told without it. */
  readonly origin: string
}

export interface PageConsole {
  /** Follows the console of one more thread, such as a worker. */
  follow(session: DevtoolsSession): Promise<void>
  /** Writes a line of the host's own about the page, under the same limits. */
  write(line: ConsoleLine): void
  /** Resolves when everything that has come so far is written. */
  flush(): Promise<void>
  close(): void
}

interface ConsoleCall {
  readonly type: string
  readonly args: readonly RemoteObject[]
  readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
}

interface ExceptionDetails {
  readonly text: string
  readonly url?: string
  readonly lineNumber: number
  readonly columnNumber: number
  readonly exception?: RemoteObject
  readonly stackTrace?: { readonly callFrames: readonly CallFrame[] }
}

interface LogEntry {
  readonly source: string
  readonly level: string
  readonly text: string
  readonly url?: string
  readonly lineNumber?: number
}

const LEVELS: Readonly<Record<string, ConsoleLevel>> = {
  debug: 'debug',
  verbose: 'debug',
  warning: 'warn',
  error: 'error',
  assert: 'error',
}

/** Calls that write nothing of their own. */
const SILENT = new Set(['clear', 'endGroup', 'profile', 'profileEnd'])

/** Characters of a text that are looked at; fewer are written. */
const MAX_TEXT = 10_000
/** Lines that wait for the source map of one before them. */
const MAX_WAITING = 200
/** What was logged stays in the page's memory until it is let go. */
const RELEASE_MS = 1_000

/** Makes lines of what the page writes to its console, throws, and what the browser has to say about it. */
export function createPageConsole({ onLine, sourceMaps, origin }: ConsoleOptions): PageConsole {
  const limit = createLineLimit(onLine)
  const loggedIn = new Set<DevtoolsSession>()
  let order = Promise.resolve()
  let waiting = 0

  /** Writes lines in the order in which they came, also where one of them must be looked up first. */
  const write = (level: ConsoleLevel, whole: string, more?: () => Promise<string>): void => {
    const text = whole.slice(0, MAX_TEXT)
    const hasStack = more !== undefined || hasFrames(text)
    if (waiting === 0 && !hasStack) return limit.write({ level, text: plainLines(text) })
    if (waiting >= MAX_WAITING) return limit.write({ level, text: plainLines(text) })
    waiting += 1
    order = order.then(async () => {
      const mapped = hasStack ? await sourceMaps.mapStack(text) : text
      limit.write({ level, text: plainLines(mapped + ((await more?.()) ?? '')) })
      waiting -= 1
    })
  }

  const framesAfter = (callFrames: readonly CallFrame[]) => async (): Promise<string> =>
    (await sourceMaps.describeCallFrames(callFrames)).map((line) => `\n    ${line}`).join('')

  const onCall = ({ type, args, stackTrace }: ConsoleCall): void => {
    if (SILENT.has(type)) return
    const text = formatArguments(args)
    const level = LEVELS[type] ?? 'info'
    if (type === 'trace') return write(level, `Trace: ${text}`, framesAfter(stackTrace?.callFrames ?? []))
    if (type === 'assert')
      return write(level, text === 'console.assert' ? 'Assertion failed' : `Assertion failed: ${text}`)
    write(level, text)
  }

  const onException = (details: ExceptionDetails): void => {
    const { text, exception, stackTrace, url, lineNumber, columnNumber } = details
    const thrown = exception && describeValue(exception)
    const message = thrown === undefined ? text : `${text} ${thrown}`
    if (hasFrames(message.slice(0, MAX_TEXT))) return write('error', message)
    // What was thrown has no stack of its own.
    const frames = stackTrace?.callFrames ?? [{ functionName: '', url: url ?? '', lineNumber, columnNumber }]
    write('error', message, framesAfter(frames))
  }

  const onEntry = ({ level, text, url, lineNumber }: LogEntry): void => {
    // Browsers ask for it by themselves.
    if (url === `${origin}/favicon.ico`) return
    const file = url?.startsWith(`${origin}/`) ? url.slice(origin.length + 1) : url
    const place = file ? ` (${file}${lineNumber ? `:${lineNumber + 1}` : ''})` : ''
    write(LEVELS[level] ?? 'info', text + place)
  }

  const release = (): void => {
    for (const session of loggedIn) {
      session.send('Runtime.releaseObjectGroup', { objectGroup: 'console' }).catch(ignore)
      session.send('Runtime.discardConsoleEntries').catch(ignore)
    }
    loggedIn.clear()
  }
  const timer = setInterval(release, RELEASE_MS).unref()

  return {
    async follow(session) {
      session.on<ConsoleCall>('Runtime.consoleAPICalled', (call) => {
        loggedIn.add(session)
        onCall(call)
      })
      session.on<{ exceptionDetails: ExceptionDetails }>('Runtime.exceptionThrown', ({ exceptionDetails }) => {
        loggedIn.add(session)
        onException(exceptionDetails)
      })
      session.on<{ entry: LogEntry }>('Log.entryAdded', ({ entry }) => onEntry(entry))
      await session.send('Runtime.enable')
      // Workers have no log of their own.
      await session.send('Log.enable').catch(ignore)
    },
    write: ({ level, text }) => write(level, text),
    async flush() {
      await order
      limit.flush()
    },
    close() {
      clearInterval(timer)
    },
  }
}

const hasFrames = (text: string): boolean => /^ {1,8}at /m.test(text)

const ignore = (): void => undefined
