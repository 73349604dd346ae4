import type { DevtoolsSession } from '../browser/devtools.js'
import type { ConsoleLines } from './console-lines.js'

/** A session that serves the console alone, so that it can be ended while the page floods it. */
export interface ConsoleSession {
  readonly session: DevtoolsSession
  detach(): Promise<unknown>
}

/** Events and characters within a second that are a flood: more than are written anyway. */
const FLOOD = { events: 600, characters: 4_000_000 }
/** How long the console then isn't read, at first and at most. */
const PAUSE_MS = { first: 1_000, most: 16_000 }
/** Logged objects stay in the page's memory until they are released. */
const RELEASE_MS = 1_000

/**
 * Reads the console of a thread. The browser queues unread lines without a limit, and the page's answers wait behind them.
 * So the console of a page that floods it isn't read for a while.
 *
 * @param attach makes a new session, or resolves with nothing if there can't be another one
 * @returns the function that ends it, once what comes from now on is read
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
    // Otherwise, everything written during the pause would come now.
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
