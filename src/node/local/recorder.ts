import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRedaction, exchangeLine, gameServerLine, headerOf, resolveConfig } from '../../sidecar/index.js'
import type { RecordingLine, Sidecar, SidecarConfig } from '../../sidecar/index.js'
import { atExit } from '../at-exit.js'

/** Most characters that wait for the reader of a pipe. Further lines are left out, and a `gap` counts them. */
const MOST_WAITING = 16 * 1024 * 1024
/** Milliseconds from one write to the next: a write for each call would make calls a tenth slower. */
const WRITE_INTERVAL = 10
/** Most milliseconds that `close()` waits for the reader of a pipe. */
const LAST_MS = 1_000

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
  #size = 0
  #gap: { readonly at: number; readonly lines: number } | undefined
  /** Bytes that a full pipe hasn't taken yet. */
  #rest: Buffer = Buffer.alloc(0)
  #timer: NodeJS.Timeout | undefined
  #stop: () => void = () => undefined
  readonly #takeBack: () => void

  /** Opens the file to add to it. @throws RecordingError for a file that can't be written */
  constructor(path: string, onWarning: (message: string) => void) {
    this.#path = path
    this.#onWarning = onWarning
    try {
      this.#fd = openToAdd(path)
    } catch (error) {
      throw new RecordingError(`The recording can't be written into ${path}: ${reasonOf(error)}`, { cause: error })
    }
    const found = fstatSync(this.#fd)
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
    const add = (line: RecordingLine, at: number): void => {
      if (this.isOn) this.#add(`${JSON.stringify(redact(line))}\n`, at)
    }
    let isStarted = false
    this.#stop = sidecar.log.follow({
      onEntry(entry, published) {
        if (!isStarted) {
          isStarted = true
          add(headerOf(config, startedAt, entry.at), entry.at)
          add(gameServerLine(first, entry.at), entry.at)
        }
        add({ type: 'entry', entry }, entry.at)
        for (const gameServer of published) add(gameServerLine(gameServer, entry.at), entry.at)
      },
      onExchange: (seq, exchange, at) => add(exchangeLine(seq, exchange), at),
    })
  }

  /** Resolves when everything is written, or the reader of a pipe took too long. */
  async close(): Promise<void> {
    this.#stop()
    this.#write()
    for (const end = performance.now() + LAST_MS; this.#isBehind() && performance.now() < end; this.#write()) {
      await sleep(WRITE_INTERVAL)
    }
    clearTimeout(this.#timer)
    this.#takeBack()
    this.isOn = false
    closeSync(this.#fd)
  }

  #add(text: string, at: number): void {
    if (this.#size + text.length > MOST_WAITING && this.#waiting.length > 0) {
      this.#gap = { at, lines: (this.#gap?.lines ?? 0) + 1 }
      return
    }
    this.#tellGap()
    this.#waiting.push(text)
    this.#size += text.length
    this.#timer ??= setTimeout(this.#write, WRITE_INTERVAL)
  }

  #tellGap(): void {
    if (this.#gap === undefined) return
    const line: RecordingLine = { type: 'gap', ...this.#gap }
    this.#waiting.push(`${JSON.stringify(line)}\n`)
    this.#gap = undefined
  }

  readonly #isBehind = (): boolean => this.isOn && (this.#rest.length > 0 || this.#waiting.length > 0)

  /** Writes as much as possible without blocking. */
  readonly #write = (): void => {
    this.#timer = undefined
    try {
      while (this.#isBehind()) {
        const bytes = this.#next()
        this.#rest = bytes.subarray(writeSync(this.#fd, bytes))
      }
      if (this.isOn && this.#hasName && fstatSync(this.#fd).nlink === 0) throw new Error('the file was deleted')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
        this.#timer = setTimeout(this.#write, WRITE_INTERVAL)
        return
      }
      this.isOn = false
      this.#onWarning(`The recording into ${this.#path} ends here: ${reasonOf(error)}`)
    }
  }

  #next(): Buffer {
    if (this.#rest.length === 0) {
      this.#tellGap()
      this.#rest = Buffer.from(this.#waiting.join(''))
      this.#waiting = []
      this.#size = 0
    }
    return this.#rest
  }
}

/** Opens for reading too, so that a pipe needs no reader. A full pipe refuses a write instead of blocking. */
function openToAdd(path: string): number {
  const { O_APPEND, O_CREAT, O_RDWR, O_NONBLOCK } = constants
  return openSync(path, O_APPEND | O_CREAT | O_RDWR | O_NONBLOCK, 0o600)
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
