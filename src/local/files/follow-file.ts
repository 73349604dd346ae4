import { unwatchFile, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readTextFile } from './read-text-file.js'

/** Milliseconds between two checks of the file: network and container mounts send no events. */
const POLL_MS = 150
/** Milliseconds from a change to reading, so that the file is complete. */
const SETTLE_MS = 40

export interface TextFile {
  readonly path: string
  readonly text: string
}

/**
 * Calls `onChange` with what the files hold whenever one of them has changed. Unusable content is reported, and the last
 * good one stays. Returns the function that stops this.
 */
export function followFiles<Content>(
  files: readonly TextFile[],
  parse: (files: readonly TextFile[]) => Promise<Content>,
  onChange: (content: Content) => void,
  report: (problem: string) => void,
): () => void {
  const present = [...files]
  const stops = files.map(({ path, text: known }, index) =>
    watchTextFile(path, known, (text) => {
      present[index] = { path, text }
      parse([...present])
        .then(onChange)
        .catch((error: unknown) => report(`${(error as Error).message}; the last good content stays`))
    }),
  )
  return () => stops.forEach((stop) => stop())
}

/**
 * Calls `onChange` with a file's text whenever the text has changed, however the file was saved: written in place, replaced
 * by a rename, deleted and created again, or behind a link that was changed. A file that can't be read or is empty is
 * ignored until its next change. Watching keeps no process alive.
 */
export function watchTextFile(path: string, initial: string, onChange: (text: string) => void): () => void {
  const file = resolve(path)
  let isStopped = false
  let known = initial
  const check = async (): Promise<void> => {
    await sleep(SETTLE_MS, undefined, { ref: false })
    const text = await readTextFile(file).catch(() => '')
    if (isStopped || text === '' || text === known) return
    known = text
    onChange(text)
  }
  let last = check()
  // Checks run one after the other, so that an older text never follows a newer one.
  const checkNext = (): void => void (last = last.then(check))
  watchFile(file, { interval: POLL_MS, persistent: false }, checkNext)
  return () => {
    isStopped = true
    unwatchFile(file, checkNext)
  }
}
