import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { findInsertion } from './html-insertion.js'
import { openFound } from './site-folder.js'
import type { SiteEntry } from './site-folder.js'
import { answerFailure, escapeHtml } from './static-error.js'

/** Bytes at the start of a page in which its head is searched, and also of each later read. */
const CHUNK = 64 * 1024

/** Sends a page with a script in front of all others. Resolves with false, nothing sent, for a page in UTF-16. */
export type HtmlSender = (entry: SiteEntry, message: IncomingMessage, reply: ServerResponse) => Promise<boolean>

/** @param script the path of the script */
export function createHtmlSender(script: string): HtmlSender {
  const tag = Buffer.from(`<script src="${escapeHtml(script)}"></script>`)
  const mark = createHash('sha256').update(tag).digest('base64url').slice(0, 8)

  return async (entry, message, reply) => {
    const { file, stat } = await openFound(entry)
    try {
      const { size, mtimeMs } = stat
      const start = await readStart(file, Math.min(size, CHUNK))
      const insertion = findInsertion(start)
      if (insertion === undefined) return false
      const { at, charset } = insertion
      const etag = `W/"${size.toString(36)}-${mtimeMs.toString(36)}-${mark}"`
      reply.setHeader('ETag', etag)
      const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = message.headers
      if (ifMatch !== undefined && !names(ifMatch, etag)) {
        answerFailure({ status: 412 }, message, reply)
        return true
      }
      if (ifNoneMatch !== undefined && names(ifNoneMatch, etag)) return answer(reply, 304)
      reply.setHeader('Content-Type', `text/html; charset=${charset}`)
      reply.setHeader('Content-Length', size + tag.byteLength)
      if (message.method === 'HEAD') return answer(reply, 200)
      if (!reply.destroyed) await pipeline(withInserted(file, start, at, tag, size), reply)
      return true
    } finally {
      await file.close()
    }
  }
}

async function readStart(file: FileHandle, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0)
  return buffer.subarray(0, bytesRead)
}

function answer(reply: ServerResponse, status: number): true {
  reply.statusCode = status
  reply.end()
  return true
}

/** Whether an If-Match or If-None-Match header names an entity tag. Weak ones count too. */
const names = (header: string, etag: string): boolean =>
  header.trim() === '*' || (header.match(/"[^"]*"/g) ?? []).some((tag) => etag.endsWith(tag))

/** Reads the file no faster than the client takes it. */
async function* withInserted(
  file: FileHandle,
  start: Buffer,
  at: number,
  tag: Buffer,
  size: number,
): AsyncGenerator<Buffer> {
  yield Buffer.concat([start.subarray(0, at), tag, start.subarray(at)])
  for (let position = start.byteLength; position < size;) {
    const length = Math.min(CHUNK, size - position)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
    // Half a page must not look like a whole one.
    if (bytesRead === 0) throw new Error('The file became shorter while it was sent')
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
