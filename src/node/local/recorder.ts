import { createRedaction, exchangeLine, gameServerLine, headerOf, resolveConfig } from '../../sidecar/index.js'
import type { RecordingLine, Sidecar, SidecarConfig } from '../../sidecar/index.js'
import { addLastWrite, removeLastWrite } from './last-writes.js'
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
  const file = await openToAdd(path)
  let waiting: string[] = file.isTorn ? ['\n'] : []
  let size = 0
  let gap: { readonly at: number; readonly lines: number } | undefined
  let lastWrite = -Infinity
  let writing: Promise<void> | undefined
  let isOver = false
  let stop: (() => void) | undefined

  const add = (line: RecordingLine, at: number): void => {
    if (isOver) return
    const text = `${JSON.stringify(redact(line))}\n`
    if (size + text.length > MOST_WAITING && waiting.length > 0) {
      gap = { at, lines: (gap?.lines ?? 0) + 1 }
      return
    }
    tellGap()
    waiting.push(text)
    size += text.length
    writing ??= write()
  }
  const tellGap = (): void => {
    if (gap === undefined) return
    const line: RecordingLine = { type: 'gap', ...gap }
    waiting.push(`${JSON.stringify(line)}\n`)
    gap = undefined
  }
  const takeWaiting = (): string => {
    tellGap()
    const text = waiting.join('')
    waiting = []
    size = 0
    return text
  }
  const write = async (): Promise<void> => {
    // Everything of this turn goes out together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0 && !isOver) {
      const early = lastWrite + WRITE_INTERVAL - performance.now()
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
      lastWrite = performance.now()
      try {
        await file.append(takeWaiting())
      } catch (error) {
        // Nobody has read a pipe to its end.
        if (isOver) break
        isOver = true
        stop?.()
        onWarning(`The recording into ${path} ends here: ${reasonOf(error)}`)
      }
    }
    writing = undefined
  }
  const writeNow = (): void => {
    if (isOver || waiting.length === 0) return
    try {
      file.appendNow(takeWaiting())
    } catch {
      // Nobody can be told any more.
    }
  }
  addLastWrite(writeNow)

  const written = async (): Promise<void> => {
    while (writing !== undefined) await writing
  }

  return {
    get isOn() {
      return !isOver
    },
    follow(sidecar, partial) {
      const config = resolveConfig(partial)
      const { startedAt, gameServer: first } = sidecar.snapshot()
      let gameServer = first
      let isStarted = false
      const start = (at: number): void => {
        if (isStarted) return
        isStarted = true
        add(headerOf(config, startedAt, at), at)
        add(gameServerLine(gameServer, at), at)
      }
      stop = sidecar.log.follow({
        onEntry(entry, published) {
          start(entry.at)
          add({ type: 'entry', entry }, entry.at)
          for (gameServer of published) add(gameServerLine(gameServer, entry.at), entry.at)
        },
        onExchange: (seq, exchange, at) => add(exchangeLine(seq, exchange), at),
      })
    },
    async close() {
      stop?.()
      let timer: NodeJS.Timeout | undefined
      const tooLate = new Promise<void>((resolve) => {
        if (file.lastMs !== undefined) timer = setTimeout(resolve, file.lastMs)
      })
      await Promise.race([written(), tooLate])
      clearTimeout(timer)
      isOver = true
      removeLastWrite(writeNow)
      await file.close()
    },
  }
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
