import type { ReadStream, Stats } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import send from 'send'
import { openFound } from './site-folder.js'
import type { SiteEntry } from './site-folder.js'
import { answerFailure } from './static-error.js'

/**
 * Sends a file. The library does ranges, conditional requests and streaming. It gets the file's real path, but reads from
 * the file that was opened and checked: it hands options it doesn't know on to `createReadStream()`, `fd` among them.
 */
export async function sendFile(
  entry: SiteEntry,
  type: string,
  message: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const { file, stat: opened } = await openFound(entry)
  reply.setHeader('Content-Type', type)
  message.headers.range = knownRange(message.headers.range, opened.size)
  if (!reply.destroyed) {
    const fd = { fd: file }
    const options = { root: dirname(entry.path), dotfiles: 'allow', index: false, ...fd } as const
    const sending = send(message, encodeURIComponent(basename(entry.path)), options)
    const closed = new Promise<void>((resolve) => void reply.once('close', resolve))
    const looked = new Promise<void>((resolve) => {
      sending
        // The library has looked at the path. Length and age must be those of the file that is read.
        .on('file', (_path: string, stat: Stats) => resolve(void Object.assign(stat, opened)))
        .on('error', (error: unknown) => resolve(answerFailure(error, message, reply)))
        .on('directory', () => resolve(answerFailure({ code: 'ENOENT' }, message, reply)))
    })
    sending
      .on('stream', (stream: ReadStream) => {
        // The library reads one byte even of an empty file, which may have grown since it was opened.
        if (opened.size === 0) {
          stream.destroy()
          reply.end()
          return
        }
        // A client that keeps the connection would take half a file for a whole one.
        stream.once('end', () => {
          if (stream.bytesRead < Number(reply.getHeader('Content-Length'))) reply.destroy()
        })
      })
      .pipe(reply)
    // The library reads after it has looked, even if the reply has closed by then. The file must stay open until both.
    await Promise.all([looked, closed])
  }
  await file.close()
}

/**
 * A Range header that the library understands: the last bytes of a file, if they are more than it has, are the whole
 * file (RFC 9110, 14.1.2). The library would refuse them.
 */
function knownRange(range: string | undefined, size: number): string | undefined {
  const known = range?.replace(/([=,][ \t]*)-(\d+)/g, (last, before: string, count: string) =>
    Number(count) > size ? `${before}0-` : last,
  )
  return size === 0 && known !== range ? undefined : known
}

/** Sends the content of a compressed file to a client that can't unpack it. */
export async function sendUnpacked(
  entry: SiteEntry,
  type: string,
  encoding: string,
  message: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  reply.setHeader('Content-Type', type)
  if (message.method === 'HEAD') return void reply.end()
  const { file } = await openFound(entry)
  if (reply.destroyed) return file.close()
  await pipeline(file.createReadStream(), encoding === 'br' ? createBrotliDecompress() : createGunzip(), reply)
}
