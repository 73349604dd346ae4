import { setImmediate, setTimeout } from 'node:timers/promises'
import { createRedaction, exchangeLine, gameServerLine, headerOf, resolveConfig } from '../../sidecar/index.js'
import type { RecordingLine, Sidecar, SidecarConfig } from '../../sidecar/index.js'
import { openRecordingFile } from './recording-file.js'
import type { RecordingFile } from './recording-file.js'

/** Most characters that wait for the disk; lines beyond them are left out, and a `gap` counts them. */
const MOST_WAITING = 16 * 1024 * 1024
/** Milliseconds from one write to the next at least: a write for each call would cost a tenth of the call. */
const WRITE_INTERVAL = 10

/** A file that a session is recorded into. */
export interface Recorder {
  /** False once the file can't be written any more. */
  readonly isOn: boolean
  /** Follows a sidecar from its first entry on. */
  follow(sidecar: Sidecar, config: Partial<SidecarConfig>): void
  /** Resolves when everything is written. */
  close(): Promise<void>
}

/** The file of a recording can't be written. */
class RecordingError extends Error {
  override readonly name = 'RecordingError'
  readonly code = 'RECORDING'
}

/**
 * Opens the file of a recording, to add to it. Lines go out whole and in order, one write at a time, and nothing waits for
 * the disk: what a `kill -9` takes is the lines of the last 10 ms, and at worst a part of the last line. A process that
 * ends in another way, by an error or by `process.exit()`, writes them last.
 *
 * @throws RecordingError for a file that can't be written
 * @throws TypeError for a pattern to redact that makes no sense
 */
export async function openRecorder(
  path: string,
  patterns: readonly string[],
  onWarning: (message: string) => void,
): Promise<Recorder> {
  const redact = createRedaction(patterns)
  const lines = new WaitingLines(await openToAdd(path), (error) =>
    onWarning(`The recording into ${path} ends here: ${reasonOf(error)}`),
  )
  let stop: (() => void) | undefined
  const add = (line: RecordingLine, at: number): void => {
    if (!lines.isOver) lines.add(`${JSON.stringify(redact(line))}\n`, at)
  }
  return {
    get isOn() {
      return !lines.isOver
    },
    follow(sidecar, partial) {
      const config = resolveConfig(partial)
      const { startedAt, gameServer: first } = sidecar.snapshot()
      let isStarted = false
      stop = sidecar.log.follow({
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
    },
    close() {
      stop?.()
      return lines.close()
    },
  }
}

/** The lines that are on their way into a recording's file. */
class WaitingLines {
  /** True once the file can't be written any more. */
  isOver = false
  readonly #file: RecordingFile
  readonly #onEnd: (error: unknown) => void
  #waiting: string[]
  #size = 0
  #gap: { readonly at: number; readonly lines: number } | undefined
  #lastWrite = -Infinity
  #writing: Promise<void> | undefined

  constructor(file: RecordingFile, onEnd: (error: unknown) => void) {
    this.#file = file
    this.#onEnd = onEnd
    this.#waiting = file.isTorn ? ['\n'] : []
    addLastWrite(this.#writeNow)
  }

  add(text: string, at: number): void {
    if (this.isOver) return
    if (this.#size + text.length > MOST_WAITING && this.#waiting.length > 0) {
      this.#gap = { at, lines: (this.#gap?.lines ?? 0) + 1 }
      return
    }
    this.#tellGap()
    this.#waiting.push(text)
    this.#size += text.length
    this.#writing ??= this.#write()
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    const { lastMs } = this.#file
    const written = this.#writing ?? Promise.resolve()
    await (lastMs === undefined ? written : Promise.race([written, setTimeout(lastMs, undefined, { ref: false })]))
    this.isOver = true
    removeLastWrite(this.#writeNow)
    await this.#file.close()
  }

  async #write(): Promise<void> {
    // Everything of this turn goes out together.
    await setImmediate()
    while (this.#waiting.length > 0 && !this.isOver) {
      const early = this.#lastWrite + WRITE_INTERVAL - performance.now()
      if (early > 0) await setTimeout(early)
      this.#lastWrite = performance.now()
      try {
        await this.#file.append(this.#take())
      } catch (error) {
        // Nobody has read a pipe to its end.
        if (this.isOver) break
        this.isOver = true
        this.#onEnd(error)
      }
    }
    this.#writing = undefined
  }

  /** Writes the rest while the process ends. */
  readonly #writeNow = (): void => {
    if (this.isOver || this.#waiting.length === 0) return
    try {
      this.#file.appendNow(this.#take())
    } catch {
      // Nobody can be told any more.
    }
  }

  #take(): string {
    this.#tellGap()
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#size = 0
    return text
  }

  #tellGap(): void {
    if (this.#gap === undefined) return
    const line: RecordingLine = { type: 'gap', ...this.#gap }
    this.#waiting.push(`${JSON.stringify(line)}\n`)
    this.#gap = undefined
  }
}

/** What is to be written yet if the process ends now. */
const lastWrites = new Set<() => void>()
const writeAll = (): void => lastWrites.forEach((write) => write())

/** Calls `write` when the process ends by an error or by `process.exit()`, unless it is removed before. */
function addLastWrite(write: () => void): void {
  // One listener for all: Node warns of more than ten.
  if (lastWrites.size === 0) process.on('exit', writeAll)
  lastWrites.add(write)
}

function removeLastWrite(write: () => void): void {
  if (lastWrites.delete(write) && lastWrites.size === 0) process.removeListener('exit', writeAll)
}

async function openToAdd(path: string): Promise<RecordingFile> {
  try {
    return await openRecordingFile(path)
  } catch (error) {
    throw new RecordingError(`The recording can't be written into ${path}: ${reasonOf(error)}`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOSPC':
      return 'the disk is full'
    case 'ENOENT':
      return 'its folder does not exist; make it first'
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'this user may not write there'
    case 'EISDIR':
      return 'it is a folder; give the name of a file'
    default:
      return message
  }
}
