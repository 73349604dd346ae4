import { unwatchFile, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GameServerManifest } from '../../sidecar/index.js'
import { parseGameServer } from './game-server-file.js'
import { readTextFile } from './read-text-file.js'

/** Milliseconds between two looks at the file: network and container mounts send no events. */
const POLL_MS = 150
/** Milliseconds from a change to reading: half a file must not be read. */
const SETTLE_MS = 40

/**
 * Calls `onChange` with every later content of a GameServer file. One that isn't usable is reported, and the last good one
 * stays.
 *
 * @param initial the text that is already known
 * @returns a function that stops the watching
 */
export function followGameServerFile(
  path: string,
  initial: string,
  onChange: (gameServer: GameServerManifest) => void,
  report: (problem: string) => void,
): () => void {
  const refuse = (problem: string): void => report(`${problem}; the last good content stays`)
  const load = (text: string): void =>
    void parseGameServer(path, text)
      .then(({ gameServer }) => onChange(gameServer))
      .catch((error: unknown) => refuse((error as Error).message))
  return watchTextFile(path, initial, load, (reason) => refuse(`Cannot read ${path}: ${reason}`))
}

/**
 * Calls `onChange` with a file's text whenever it has changed, however it was saved: written in place, replaced by a
 * rename, deleted and created again, or behind a link that was changed. A file that is gone or empty for the moment is
 * left for the next change. Keeps no process alive.
 *
 * @param onRefused called when something stands there that is not read, such as a pipe
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
