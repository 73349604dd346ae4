import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { createRedaction, exchangeLine, gameServerLine, headerOf, resolveConfig } from '../../platform/sidecar.js'
import type { RecordingLine, Sidecar, SidecarConfig } from '../../platform/sidecar.js'
import { atExit } from '../game/at-exit.js'

/** Milliseconds from one write to the next: a write for each call would make calls a tenth slower. */
const WRITE_INTERVAL = 10

/** A recording can't be written. */
class RecordingError extends Error {
  override readonly name = 'RecordingError'
  readonly code = 'RECORDING'
}

/**
 * Records a sidecar into a file, from the sidecar's first entry on. A `kill -9` loses the lines of the last 10 ms. A process
 * that ends in another way, by an error or by `process.exit()`, writes those lines last.
 */
export class Recorder {
  /** False once the recording has ended. */
  isOn = true
  readonly #path: string
  readonly #fd: number
  /** False for a file that had no name when it was opened, such as a standard output may be. */
  readonly #hasName: boolean
  readonly #onWarning: (message: string) => void
  #waiting: string[] = []
  #timer: NodeJS.Timeout | undefined
  #stop: () => void = () => undefined
  readonly #takeBack: () => void

  /** Opens the file to add to it. @throws RecordingError for a file that can't be written */
  constructor(path: string, onWarning: (message: string) => void) {
    this.#path = path
    this.#onWarning = onWarning
    try {
      this.#fd = openSync(path, 'a+', 0o600)
    } catch (error) {
      throw new RecordingError(`The recording can't be written into ${path}: ${reasonOf(error)}`, { cause: error })
    }
    const found = fstatSync(this.#fd)
    if (found.isFIFO()) {
      closeSync(this.#fd)
      // A full pipe would block the whole process.
      throw new RecordingError(`The recording can't be written into ${path}: it is a pipe, not a file`)
    }
    this.#hasName = found.isFile() && found.nlink > 0
    const last = Buffer.alloc(1)
    // A kill may have left a line unfinished.
    if (found.isFile() && found.size > 0) readSync(this.#fd, last, 0, 1, found.size - 1)
    if (last[0] !== 0 && last[0] !== 0x0a) this.#waiting = ['\n']
    this.#takeBack = atExit(this.#write)
  }

  /** @throws TypeError for a pattern to redact that makes no sense */
  follow(sidecar: Sidecar, partial: Partial<SidecarConfig>, patterns: readonly string[]): void {
    const redact = createRedaction(patterns)
    const config = resolveConfig(partial)
    const { startedAt, gameServer: first } = sidecar.snapshot()
    const add = (line: RecordingLine): void => {
      if (!this.isOn) return
      this.#waiting.push(`${JSON.stringify(redact(line))}\n`)
      this.#timer ??= setTimeout(this.#write, WRITE_INTERVAL)
    }
    let isStarted = false
    this.#stop = sidecar.log.follow({
      onEntry(entry, published) {
        if (!isStarted) {
          isStarted = true
          add(headerOf(config, startedAt, entry.at))
          add(gameServerLine(first, entry.at))
        }
        add({ type: 'entry', entry })
        for (const gameServer of published) add(gameServerLine(gameServer, entry.at))
      },
      onExchange: (seq, exchange) => add(exchangeLine(seq, exchange)),
    })
  }

  /** Writes what is left, and closes the file. */
  close(): void {
    this.#stop()
    clearTimeout(this.#timer)
    this.#write()
    this.#takeBack()
    this.isOn = false
    closeSync(this.#fd)
  }

  readonly #write = (): void => {
    this.#timer = undefined
    if (!this.isOn || this.#waiting.length === 0) return
    try {
      writeFileSync(this.#fd, this.#waiting.splice(0).join(''))
      if (this.#hasName && fstatSync(this.#fd).nlink === 0) throw new Error('the file was deleted')
    } catch (error) {
      this.isOn = false
      this.#onWarning(`The recording into ${this.#path} ends here: ${reasonOf(error)}`)
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  ENOENT: 'its folder does not exist; make it first',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'this user may not write there',
  EISDIR: 'it is a folder; give the name of a file',
}

function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return reasons[code] ?? message
}
