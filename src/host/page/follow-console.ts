import type { DevtoolsSession } from '../browser/devtools.js'
import type { ConsoleLines } from './console-lines.js'

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
