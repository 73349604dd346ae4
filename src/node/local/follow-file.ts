import { unwatchFile, watch, watchFile } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { GameServerManifest } from '../../sidecar/index.js'
import { parseGameServer, readText } from './game-server-file.js'
import { readTextFile } from './read-text-file.js'

/** A GameServer file that is followed. */
export interface FollowedFile {
  /** Its first content. */
  readonly gameServer: GameServerManifest
  /** Calls `onChange` with every later content that is usable. */
  start(onChange: (gameServer: GameServerManifest) => void): void
  stop(): void
}

/**
 * Loads a GameServer file and follows it. A later content that isn't usable is reported, and the last good one stays.
 *
 * @param note called with what was taken of a file that holds more than one GameServer
 *
 * @throws GameServerFileError if the first content isn't usable
 */
export async function followGameServerFile(
  path: string,
  report: (problem: string) => void,
  note: (line: string) => void,
): Promise<FollowedFile> {
  const initial = await readText(path)
  const first = await parseGameServer(path, initial)
  if (first.note !== undefined) note(first.note)
  let stop = (): void => undefined
  return {
    gameServer: first.gameServer,
    start(onChange) {
      const refuse = (problem: string): void => report(`${problem}; the last good content stays`)
      const load = async (text: string): Promise<void> => {
        try {
          onChange((await parseGameServer(path, text)).gameServer)
        } catch (error) {
          refuse(error instanceof Error ? error.message : String(error))
        }
      }
      stop = watchTextFile(
        path,
        initial,
        (text) => void load(text),
        (reason) => refuse(`Cannot read ${path}: ${reason}`),
      )
    },
    stop: () => stop(),
  }
}

/** Milliseconds from the last event to reading: a save is a burst of events, and half a file must not be read. */
const SETTLE_MS = 40
/** Most milliseconds from the first event of a burst to reading: a file that never rests is read nevertheless. */
const LONGEST_BURST_MS = 500
/** Milliseconds between two looks at the file, for systems that send no events: network and container mounts. */
const POLL_MS = 1_000

/**
 * Calls `onChange` with a file's text whenever it has changed, however it was saved: written in place, replaced by a
 * rename, deleted and created again, or behind a link that was changed. A file that is gone or empty for the moment is
 * left for the next event. Keeps no process alive.
 *
 * @param initial the text that is already known
 * @param onRefused called when something stands there that is not read, such as a pipe
 * @returns a function that stops the watching
 */
export function watchTextFile(
  path: string,
  initial: string,
  onChange: (text: string) => void,
  onRefused: (reason: string) => void = () => undefined,
): () => void {
  const file = resolve(path)
  let last = initial
  let refused = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  /** When the burst of events began that is waited for. */
  let burst: number | undefined
  let [started, finished] = [0, 0]

  const check = async (): Promise<void> => {
    const turn = (started += 1)
    burst = undefined
    const text = await readTextFile(file).catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException
      if (!stopped && code === undefined && message !== refused) onRefused((refused = message))
      return ''
    })
    // A later look that was faster has seen what is there now.
    if (stopped || turn < finished) return
    finished = turn
    if (text === '' || text === last) return
    last = text
    refused = ''
    onChange(text)
  }
  const schedule = (): void => {
    clearTimeout(timer)
    const now = performance.now()
    burst ??= now
    const wait = Math.min(SETTLE_MS, Math.max(0, burst + LONGEST_BURST_MS - now))
    timer = setTimeout(() => void check(), wait)
    timer.unref()
  }

  // Watches the folder, not the file: a rename replaces the file, and a watch on the old one hears nothing more.
  const folder = watchFolder(dirname(file), (name) => {
    if (name === null || name === basename(file)) schedule()
  })
  watchFile(file, { interval: POLL_MS, persistent: false }, schedule)
  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
    folder?.close()
    unwatchFile(file, schedule)
  }
}

function watchFolder(folder: string, onEvent: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => onEvent(name))
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    // The system has no watch left, or none for this file system: polling notices changes too, only later.
    return undefined
  }
}
