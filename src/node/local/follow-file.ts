import { unwatchFile, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** Milliseconds between two looks at the file: network and container mounts send no events. */
const POLL_MS = 150
/** Milliseconds from a change to reading: half a file must not be read. */
const SETTLE_MS = 40

/**
 * Calls `onChange` with a file's text whenever it has changed, however it was saved: written in place, replaced by a
 * rename, deleted and created again, or behind a link that was changed. A file that is gone or empty for the moment is
 * left for the next change. Keeps no process alive.
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
  let isStopped = false
  const seen = { text: initial, refusal: '' }
  const check = async (): Promise<void> => {
    await sleep(SETTLE_MS, undefined, { ref: false })
    const text = await readTextFile(file).catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException
      if (!isStopped && code === undefined && message !== seen.refusal) onRefused((seen.refusal = message))
      return ''
    })
    if (isStopped || text === '' || text === seen.text) return
    Object.assign(seen, { text, refusal: '' })
    onChange(text)
  }
  let last = check()
  // One after the other, so that an older text never comes after a newer one.
  const checkNext = (): void => void (last = last.then(check))
  watchFile(file, { interval: POLL_MS, persistent: false }, checkNext)
  return () => {
    isStopped = true
    unwatchFile(file, checkNext)
  }
}
