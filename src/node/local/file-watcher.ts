import { unwatchFile, watch, watchFile } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'

/** A save is a burst of events, and half of a file is no file: reading waits this long after the last one. */
const SETTLE_MS = 40
/**
 * How often the file is looked at where the system tells nothing: network and container mounts, a folder
 * replaced.
 */
const POLL_MS = 1_000

/**
 * Calls `onChange` with a file's text whenever that has become another one, however it was saved: written in
 * place, replaced by a rename, deleted and made again, or behind a link that was changed. A file that is gone
 * or empty for the moment is waited for. Keeps no process alive.
 *
 * @param initial the text that is already known
 * @returns a function that stops the watching
 */
export function watchTextFile(path: string, initial: string, onChange: (text: string) => void): () => void {
  const file = resolve(path)
  let last = initial
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  const check = async (): Promise<void> => {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (stopped || text === '' || text === last) return
    last = text
    onChange(text)
  }
  const schedule = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void check(), SETTLE_MS)
    timer.unref()
  }

  // The folder and not the file: after a rename the file is another one, and a watch on the old one is deaf.
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
    // No watches left, or none on this file system: polling notices changes too, only later.
    return undefined
  }
}
