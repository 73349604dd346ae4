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
  const refuse = (problem: string): void => report(`${problem}; the last good content stays`)
  const load = (index: number, file: TextFile): void => {
    present[index] = file
    parse([...present])
      .then(onChange)
      .catch((error: unknown) => refuse((error as Error).message))
  }
  const stops = files.map(({ path, text: known }, index) => {
    const onRefused = (why: string): void => refuse(`Cannot read ${path}: ${why}`)
    return watchTextFile(path, known, (text) => load(index, { path, text }), onRefused)
  })
  return () => stops.forEach((stop) => stop())
}

/**
 * Calls `onChange` with a file's text whenever the text has changed, however the file was saved: written in place, replaced
 * by a rename, deleted and created again, or behind a link that was changed. A missing or empty file is ignored until its
 * next change. Watching keeps no process alive.
 *
 * @param onRefused called when something that is not read, such as a pipe, stands at the path
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
  // Checks run one after the other, so that an older text never follows a newer one.
  const checkNext = (): void => void (last = last.then(check))
  watchFile(file, { interval: POLL_MS, persistent: false }, checkNext)
  return () => {
    isStopped = true
    unwatchFile(file, checkNext)
  }
}
