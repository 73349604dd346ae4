import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { createPlaces } from '../../http/places.js'
import { acceptsEncoding, compressedBeside, compressedByName } from './compressed-file.js'
import type { CompressedName } from './compressed-file.js'
import { contentType, isHtml } from './content-type.js'
import { createHtmlSender } from './html-file.js'
import { sendFile, sendUnpacked } from './send-file.js'
import { openSiteFolder } from './site-folder.js'
import type { SiteEntry } from './site-folder.js'
import { encodeSitePath, readSitePath } from './site-path.js'
import type { SitePath } from './site-path.js'
import { acceptsHtml, answerFailure, answerStaticError, shortened } from './static-error.js'

export interface StaticFilesOptions {
  /** The folder that holds the page. */
  readonly dir: string
  /** Answers navigations to paths of no file with `/index.html`, whose script shows what belongs there. */
  readonly spa?: boolean | undefined
  /** Isolates the page from other origins, without which it gets no SharedArrayBuffer. */
  readonly isolate?: boolean | undefined
  /** Path of the script that every page loads before its own. */
  readonly configScript: string
}

export type RequestHandler = (message: IncomingMessage, reply: ServerResponse) => Promise<void>

const INDEX = 'index.html'

/** Files that are unpacked at once, each of which may take 10 MB for it; and the time that another one waits. */
const MOST_UNPACKED = 8
const UNPACKING_PATIENCE_MS = 5_000
const TOO_MANY_UNPACKED = 'Too many compressed files are being unpacked; ask with Accept-Encoding, or in a moment.'

/** Headers of every answer. A build is replaced under the same names, so a browser asks each time for changes. */
const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-cache',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  // The guard refuses frames of other sites by their Sec-Fetch headers, which browsers send to another machine only
  // over HTTPS.
  'X-Frame-Options': 'SAMEORIGIN',
}

/** Both are on every answer, because the script of a worker needs the first one too. */
const ISOLATING_HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/**
 * Serves the files of one folder and nothing else: it counts where a path leads, not how it is written. Pages get one
 * script more. The handler answers every request and resolves when it has.
 *
 * @throws TypeError if there is no such folder, or nothing in it to serve
 */
export function createStaticFiles(options: StaticFilesOptions): RequestHandler {
  const folder = openSiteFolder(options.dir)
  const sendHtml = createHtmlSender(options.configScript)
  const unpacking = createPlaces(MOST_UNPACKED, UNPACKING_PATIENCE_MS)
  const headers = Object.entries({ ...HEADERS, ...(options.isolate === true ? ISOLATING_HEADERS : {}) })

  const serve: RequestHandler = async (message, reply) => {
    if (message.method !== 'GET' && message.method !== 'HEAD') {
      reply.setHeader('Allow', 'GET, HEAD')
      // Nobody waits for the rest of a body.
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
    const hasSlash = path.isFolder || path.segments.length === 0
    if (index?.stat.isFile() === true && !hasSlash) {
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
      // Every browser says which encodings it takes. Other clients want the file as it is.
      if (accepted === undefined) await sendFile(entry, contentType(name), message, reply)
      else await sendByEncoding(entry, byName, message, reply)
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

  /** Sends the content of a compressed file: the browser unpacks it if it can, otherwise it is unpacked here. */
  const sendByEncoding = async (
    entry: SiteEntry,
    { inner, encoding }: CompressedName,
    message: IncomingMessage,
    reply: ServerResponse,
  ): Promise<void> => {
    const type = contentType(inner)
    if (acceptsEncoding(message.headers['accept-encoding'], encoding)) {
      reply.setHeader('Content-Encoding', encoding)
      return sendFile(entry, type, message, reply)
    }
    if (!(await unpacking.take())) return answerStaticError(message, reply, 503, TOO_MANY_UNPACKED)
    try {
      await sendUnpacked(entry, type, encoding, message, reply)
    } finally {
      unpacking.leave()
    }
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

/** Whether a person goes to the address, as opposed to a script that asks for a file. */
const isNavigation = (message: IncomingMessage): boolean =>
  acceptsHtml(message) && [undefined, 'navigate'].includes(message.headers['sec-fetch-mode'])
