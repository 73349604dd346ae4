import type { DevtoolsSession } from '../browser/devtools.js'
import { createConsoleLines } from './console-lines.js'
import { followConsole, type ConsoleSession } from './follow-console.js'
import type { ConsoleLine } from '../lines.js'
import { createSourceMaps, MAX_SCRIPTS } from './source-maps.js'
import { setTraps } from './traps.js'

export interface ObservePageOptions {
  /** The page's session. Must not send `Runtime.enable` or `Log.enable`: others read the console. */
  readonly page: DevtoolsSession
  readonly browser: DevtoolsSession
  sessionOf(sessionId: string): DevtoolsSession
  readonly targetId: string
  /** Of the gateway. */
  readonly origin: string
  /** Whether the page was told to end. */
  isEnding(): boolean
  onLine(line: ConsoleLine): void
  onNavigated(url: string): void
  onReloaded(url: string): void
}

/** A function in which a page was stopped; lines and columns count from 0. */
export interface PausedFrame {
  readonly functionName: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number }
}

/** A page, as the browser shows it from outside. */
export interface PageObservation {
  /** The stack of a stopped page, in lines such as `at step (src/game.ts:12:5)`. */
  describePaused(frames: readonly PausedFrame[]): Promise<string[]>
  /** Resolves when every line that has come so far is written. */
  flush(): Promise<void>
  close(): void
}

/** Prepares a page before it is loaded: reports its console, answers dialogs, notices navigation. */
export async function observePage(options: ObservePageOptions): Promise<PageObservation> {
  const { page, browser, sessionOf, targetId, origin, isEnding, onLine, onNavigated, onReloaded } = options
  const sourceMaps = createSourceMaps({ origin })
  const lines = createConsoleLines({ onLine, sourceMaps, origin, isEnding })

  const attach = async (): Promise<ConsoleSession> => {
    const target = { targetId, flatten: true }
    const { sessionId } = await browser.send<{ sessionId: string }>('Target.attachToTarget', target)
    return { session: sessionOf(sessionId), detach: () => browser.send('Target.detachFromTarget', { sessionId }) }
  }

  /** Each thread has one session, which is no longer read once the thread floods its console. */
  const onThread = async (attached: ConsoleSession, ended: Promise<void>): Promise<void> => {
    const { session } = attached
    const sessions = [attached]
    const ends = [
      sourceMaps.follow(session),
      session.on('Debugger.paused', () => void session.send('Debugger.resume').catch(ignore)),
    ]
    session.send('Debugger.enable').catch(ignore)
    session.send('Debugger.setBreakpointsActive', { active: false }).catch(ignore)
    ends.push(await followConsole(() => Promise.resolve(sessions.pop()), lines))
    await ended
    for (const end of ends) end()
  }

  sourceMaps.follow(page)
  /** URLs of the page's scripts by their numbers. A page may create any number of scripts. */
  const urls = new Map<string, string>()
  page.on<{ scriptId: string; url: string }>('Debugger.scriptParsed', ({ scriptId, url }) => {
    if (url !== '' && urls.size < MAX_SCRIPTS) urls.set(scriptId, url)
  })
  const [endConsole] = await Promise.all([
    followConsole(attach, lines),
    followThreads(page, sessionOf, onThread),
    setTraps({
      page,
      browser,
      targetId,
      origin,
      onWarning: (text) => lines.write({ level: 'warn', text }),
      onNavigated,
      onReloaded,
    }),
    page.send('Debugger.enable'),
  ])

  return {
    describePaused: (frames) =>
      sourceMaps.describeCallFrames(
        frames.map(({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }) => {
          return { functionName, url: urls.get(scriptId) ?? '', lineNumber, columnNumber }
        }),
      ),
    flush: lines.flush,
    close: endConsole,
  }
}

interface Attached {
  readonly sessionId: string
}

/** A page may start any number of workers. */
const MAX_THREADS = 100

/** Attaches to the page's workers and to its frames of other origins, and to those that they start. */
async function followThreads(
  page: DevtoolsSession,
  sessionOf: (sessionId: string) => DevtoolsSession,
  onThread: (attached: ConsoleSession, ended: Promise<void>) => Promise<void>,
): Promise<void> {
  const threads = new Map<string, () => void>()

  const follow = async (parent: DevtoolsSession, parentEnded?: Promise<void>): Promise<void> => {
    const listeners = [
      parent.on<Attached>('Target.attachedToTarget', ({ sessionId }) => {
        const detach = (): Promise<unknown> => parent.send('Target.detachFromTarget', { sessionId })
        if (threads.size >= MAX_THREADS) return void detach().catch(ignore)
        const session = sessionOf(sessionId)
        const ended = new Promise<void>((resolve) => threads.set(sessionId, resolve))
        void onThread({ session, detach }, ended)
        follow(session, ended).catch(ignore)
      }),
      parent.on<Attached>('Target.detachedFromTarget', ({ sessionId }) => {
        threads.get(sessionId)?.()
        threads.delete(sessionId)
      }),
    ]
    void parentEnded?.then(() => listeners.forEach((end) => end()))
    await parent.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
  }
  await follow(page)
}

const ignore = (): void => undefined
