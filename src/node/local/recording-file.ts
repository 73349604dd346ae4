import { appendFileSync, constants, open as openFile } from 'node:fs'
import { open } from 'node:fs/promises'
import { Socket } from 'node:net'
import { promisify } from 'node:util'

/** How long the reader of a pipe may take for what is left at the end. */
const LAST_MS = 1_000

/** Where a recording is written to. */
export interface RecordingFile {
  /** Its last line was torn off. */
  readonly isTorn: boolean
  append(text: string): Promise<void>
  /** The same while the process ends, when nothing else can be waited for. */
  appendNow(text: string): void
  /** Longest wait for what is left at the end, ms; undefined where it ends by itself. */
  readonly lastMs?: number
  close(): Promise<void>
}

/** Opens a file to add to it; a pipe, such as /dev/stdout may be, is one as well. */
export async function openRecordingFile(path: string): Promise<RecordingFile> {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR
  const handle = await open(path, flags, 0o600)
  const found = await handle.stat()
  if (found.isFIFO()) {
    await handle.close()
    return openPipe(path)
  }
  // A device has no end to look at.
  const size = found.isFile() ? found.size : 0
  // The standard output may be a file that has no name from the start.
  const hasName = found.isFile() && found.nlink > 0
  const last = Buffer.alloc(1)
  if (size > 0) await handle.read(last, 0, 1, size - 1)
  return {
    isTorn: size > 0 && last[0] !== 0x0a,
    async append(text) {
      // In one piece, which is written to its end even if the process ends: appendFile() would cut it.
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
      if (hasName && (await handle.stat()).nlink === 0) throw new Error('the file was deleted')
    },
    appendNow: (text) => appendFileSync(handle.fd, text),
    close: () => handle.close().catch(() => undefined),
  }
}

/** A write into a full pipe that nobody reads never ends, and as one of a file it would keep the process from ending. */
async function openPipe(path: string): Promise<RecordingFile> {
  // Both ways, so that it opens without a reader, and outlives one.
  const fd = await promisify(openFile)(path, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd, readable: false, writable: true })
  socket.on('error', () => undefined)
  return {
    isTorn: false,
    append: (text) =>
      new Promise((resolve, reject) => socket.write(text, (error) => (error == null ? resolve() : reject(error)))),
    appendNow: (text) => appendFileSync(fd, text),
    lastMs: LAST_MS,
    close: () => Promise.resolve(void socket.destroy()),
  }
}
