import type { ReadStream, Stats } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename, dirname, extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import send from 'send'
import { acceptsEncoding, compressedBeside, compressedByName } from './compressed-file.js'
import { contentType, isHtml } from './content-type.js'
import { createHtmlSender } from './html-file.js'
import { openFound, openSiteFolder } from './site-folder.js'
import type { SiteEntry } from './site-folder.js'
import { encodeSitePath, readSitePath } from './site-path.js'
import type { SitePath } from './site-path.js'
import { acceptsHtml, answerStaticError, OTHER_STATE, shortened } from './static-error.js'

export interface StaticFilesOptions {
  /** The folder that holds the page. */
  readonly dir: string
  /** Whether a navigation to a path that is no file gets `/index.html`, whose script shows what belongs there. */
  readonly spa?: boolean | undefined
  /** Whether the page is isolated from other origins, without which it gets no SharedArrayBuffer. */
  readonly isolate?: boolean | undefined
  /** Path of the script that every page loads before its own. */
  readonly configScript: string
}

export type RequestHandler = (message: IncomingMessage, reply: ServerResponse) => Promise<void>

const INDEX = 'index.html'

/** On every answer. A build is replaced under the same names, so a browser asks each time whether it has changed. */
const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-cache',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  // The guard refuses frames elsewhere by what a browser says of itself, which it doesn't over plain HTTP from far.
  'X-Frame-Options': 'SAMEORIGIN',
}

/** A worker has to send the second one too. */
const ISOLATING_HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/**
 * Serves the files of one folder, and nothing else: what a path leads to counts, not how it is written. Pages get one
 * script more. The handler answers everything that it is given and resolves when it has.
 *
 * @throws TypeError where there is no such folder, or nothing in it to serve
 */
export function createStaticFiles(options: StaticFilesOptions): RequestHandler {
  const folder = openSiteFolder(options.dir)
  const sendHtml = createHtmlSender(options.configScript)
  const headers = Object.entries({ ...HEADERS, ...(options.isolate === true ? ISOLATING_HEADERS : {}) })

  const serve: RequestHandler = async (message, reply) => {
    if (message.method !== 'GET' && message.method !== 'HEAD') {
      reply.setHeader('Allow', 'GET, HEAD')
      // What is still to come of a body isn't waited for.
      reply.setHeader('Connection', 'close')
      return answerStaticError(message, reply, 405, 'Files can only be read: GET and HEAD are served.')
    }
    const path = readSitePath(message.url ?? '')
    if (typeof path === 'string') return answerStaticError(message, reply, 400, path)
    const { segments, isFolder } = path
    const entry = await folder.find(segments)
    if (entry?.stat.isDirectory() === true) return serveFolder(path, message, reply)
    if (!isFolder && (await serveFile(segments, entry, message, reply))) return
    return serveOther(path, message, reply)
  }

  const serveFolder = async (path: SitePath, message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const segments = [...path.segments, INDEX]
    const index = await folder.find(segments)
    const there = path.isFolder || path.segments.length === 0
    if (index?.stat.isFile() === true && !there) {
      const query = /^[\x21-\x7e]*$/.test(path.query) ? path.query : ''
      reply.writeHead(302, { Location: `${encodeSitePath(path.segments)}/${query}`, 'Content-Length': 0 }).end()
      return
    }
    if (index?.stat.isFile() === true && (await serveFile(segments, index, message, reply))) return
    return serveOther(path, message, reply, ' is a folder without index.html; what a folder holds is not listed.')
  }

  /** Resolves with false, nothing sent, where there is no such file. */
  const serveFile = async (
    segments: readonly string[],
    entry: SiteEntry | undefined,
    message: IncomingMessage,
    reply: ServerResponse,
  ): Promise<boolean> => {
    const name = segments.at(-1) ?? ''
    if (isHtml(name)) {
      if (entry === undefined) return false
      if (!(await sendHtml(entry, message, reply))) await sendFile(entry, 'text/html', message, reply)
      return true
    }
    const accepted = message.headers['accept-encoding']
    const byName = compressedByName(name)
    if (entry !== undefined && byName !== undefined) {
      reply.setHeader('Vary', 'Accept-Encoding')
      // Who says nothing of encodings isn't a browser, and wants the file as it is.
      if (accepted === undefined) await sendFile(entry, contentType(name), message, reply)
      else await sendCompressed(entry, byName, message, reply)
      return true
    }
    const compressed = await compressedBeside(folder, segments, entry)
    if (compressed.length > 0) reply.setHeader('Vary', 'Accept-Encoding')
    const best = compressed.find(({ encoding }) => acceptsEncoding(accepted, encoding))
    if (best !== undefined) reply.setHeader('Content-Encoding', best.encoding)
    const file = best ?? entry
    if (file === undefined) return false
    await sendFile(file, contentType(name), message, reply)
    return true
  }

  const serveOther = async (
    { segments }: SitePath,
    message: IncomingMessage,
    reply: ServerResponse,
    why = ' is not in the folder that is served.',
  ): Promise<void> => {
    const isRoute = isNavigation(message) && extname(segments.at(-1) ?? '') === ''
    const index = options.spa === true && isRoute ? await folder.find([INDEX]) : undefined
    if (index?.stat.isFile() === true && (await serveFile([INDEX], index, message, reply))) return
    answerStaticError(message, reply, 404, `${shortened(`/${segments.join('/')}`)}${why}`)
  }

  return async (message, reply) => {
    for (const [name, value] of headers) reply.setHeader(name, value)
    try {
      await serve(message, reply)
    } catch (error) {
      answerFailure(error, message, reply)
    }
  }
}

/** Whether a person goes to that address, and not a script that asks for a file. */
const isNavigation = (message: IncomingMessage): boolean =>
  acceptsHtml(message) && [undefined, 'navigate'].includes(message.headers['sec-fetch-mode'] as string | undefined)

/** Sends what is in a compressed file: unpacked by the browser, or here where that can't. */
async function sendCompressed(
  entry: SiteEntry,
  { inner, encoding }: { readonly inner: string; readonly encoding: string },
  message: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const type = contentType(inner)
  if (acceptsEncoding(message.headers['accept-encoding'], encoding)) {
    reply.setHeader('Content-Encoding', encoding)
    return sendFile(entry, type, message, reply)
  }
  reply.setHeader('Content-Type', type)
  if (message.method === 'HEAD') return void reply.end()
  const { file } = await openFound(entry)
  if (reply.destroyed) return file.close()
  await pipeline(file.createReadStream(), encoding === 'br' ? createBrotliDecompress() : createGunzip(), reply)
}

/**
 * Ranges, conditional requests and streaming are the library's. It is told where the file really is, and reads from
 * the one that was opened, since it hands on what it doesn't know to `createReadStream()`.
 */
async function sendFile(
  entry: SiteEntry,
  type: string,
  message: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const { file, stat: opened } = await openFound(entry)
  const reading = { fd: file }
  const options = { root: dirname(entry.path), dotfiles: 'allow', index: false, ...reading } as const
  reply.setHeader('Content-Type', type)
  if (!reply.destroyed) {
    const sending = send(message, encodeURIComponent(basename(entry.path)), options)
    const closed = new Promise<void>((resolve) => void reply.once('close', resolve))
    const looked = new Promise<void>((resolve) => {
      sending
        // Its length and its age are those of the file that is read.
        .on('file', (_path: string, stat: Stats) => resolve(void Object.assign(stat, opened)))
        .on('error', (error: unknown) => resolve(answerFailure(error, message, reply)))
        .on('directory', () => resolve(answerFailure({ code: 'ENOENT' }, message, reply)))
    })
    sending
      .on('stream', (file: ReadStream) => {
        // Of an empty file the library reads a byte all the same, and since it was looked at there may be one.
        if (opened.size === 0) {
          file.destroy()
          reply.end()
          return
        }
        // Half a file must not look like a whole one, which it would to a client that keeps the connection.
        file.once('end', () => {
          if (file.bytesRead < Number(reply.getHeader('Content-Length'))) reply.destroy()
        })
      })
      .pipe(reply)
    // Once it has looked, the library reads, from a client's reply too that has closed meanwhile.
    await Promise.all([looked, closed])
  }
  await file.close()
}

interface Failure extends NodeJS.ErrnoException {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

function answerFailure(error: unknown, message: IncomingMessage, reply: ServerResponse): void {
  const { code = '', status, headers } = error as Failure
  const say = (as: number, text: string): void => answerStaticError(message, reply, as, text)
  for (const [name, value] of Object.entries(headers ?? {})) if (!reply.headersSent) reply.setHeader(name, value)
  if (status === 412) return say(412, OTHER_STATE)
  if (status === 416) return say(416, 'The file has no such range of bytes.')
  if (code === 'EACCES' || code === 'EPERM') return say(403, 'The file may not be read by the user that serves it.')
  if (code === 'ENOENT' || status === 404) return say(404, 'The file is no longer there.')
  if (code === 'EMFILE' || code === 'ENFILE') return say(503, 'Too many files are open; try again in a moment.')
  say(500, `The file could not be read${code === '' ? '' : ` (${code})`}.`)
}
