import { open, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { lookup } from 'mrmime'
import { answerRefusal, ISOLATING_HEADERS, malformed, notFound, TEXT_FORM, type Refusal } from '../../http/refusal.js'
import { isRead } from '../../http/request-guard.js'
import { insertScript, pageType } from './html-insertion.js'
import { openSiteFolder, readSitePath, type FindInSite, type SiteEntry } from './site-folder.js'

export interface StaticFilesOptions {
  readonly dir: string
  /** Answers navigations to missing files with `/index.html`, for games that route by path. */
  readonly spa?: boolean | undefined
  /** Isolates the page from other origins, without which it gets no SharedArrayBuffer. */
  readonly isolate?: boolean | undefined
  /** Path of the script that every page loads before its own. */
  readonly configScript: string
}

export type RequestHandler = (message: IncomingMessage, reply: ServerResponse) => Promise<void>

interface Exchange {
  readonly message: IncomingMessage
  readonly reply: ServerResponse
}

type Headers = Readonly<Record<string, string>>

const INDEX = 'index.html'

/** Headers of every answer. A build is replaced under the same names, so a browser asks each time for changes. */
const HEADERS: Headers = {
  'Cache-Control': 'no-cache',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  // The guard refuses frames of other sites by their Sec-Fetch headers, which browsers send to another machine only
  // over HTTPS.
  'X-Frame-Options': 'SAMEORIGIN',
}

const READ_ONLY: Refusal = { status: 405, code: 12, message: 'Files can only be read: GET and HEAD are served.' }

/**
 * Serves the files inside one folder. Whether a path is served depends on the real place that it leads to, not on its
 * spelling. Pages get the configuration script. The handler answers every request, and resolves when the answer was sent.
 *
 * @throws TypeError if there is no such folder
 */
export function createStaticFiles(options: StaticFilesOptions): RequestHandler {
  const site: Site = {
    find: openSiteFolder(options.dir),
    script: `<script src="${options.configScript}"></script>`,
    spa: options.spa === true,
  }
  const headers = Object.entries({ ...HEADERS, ...(options.isolate === true ? ISOLATING_HEADERS : {}) })
  return async (message, reply) => {
    for (const [name, value] of headers) reply.setHeader(name, value)
    try {
      await serve(site, { message, reply })
    } catch (error) {
      // Half a file must not look whole.
      if (reply.headersSent) return void reply.destroy()
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return refuse(reply, notFound('The file is no longer there.'))
      refuse(reply, { status: 500, code: 13, message: `The file could not be read (${code ?? String(error)}).` })
    }
  }
}

const refuse = (reply: ServerResponse, refusal: Refusal, headers?: Headers): void =>
  answerRefusal(reply, refusal, headers, TEXT_FORM)

/** A folder that is served, the script for its pages, and whether missing files lead to its index. */
interface Site {
  readonly find: FindInSite
  readonly script: string
  readonly spa: boolean
}

async function serve(site: Site, exchange: Exchange): Promise<void> {
  const { message, reply } = exchange
  if (!isRead(message)) {
    // The rest of a body isn't read.
    return refuse(reply, READ_ONLY, { Allow: 'GET, HEAD', Connection: 'close' })
  }
  const path = readSitePath(message.url ?? '')
  if (typeof path === 'string') return refuse(reply, malformed(path))
  const { segments, isFolder, query } = path
  const entry = await site.find(segments)
  if (entry?.stat.isDirectory() === true) {
    const index = await site.find([...segments, INDEX])
    if (index !== undefined && !isFolder && segments.length > 0) {
      // Exactly one slash at the start: two would begin a host.
      const location = `/${segments.map(encodeURIComponent).join('/')}/${query}`
      return void reply.writeHead(302, { Location: location, 'Content-Length': 0 }).end()
    }
    if (await serveFile(site, [...segments, INDEX], index, exchange)) return
  } else if (!isFolder && (await serveFile(site, segments, entry, exchange))) return
  const isRoute = site.spa && isNavigation(message) && extname(segments.at(-1) ?? '') === ''
  if (isRoute && (await serveFile(site, [INDEX], await site.find([INDEX]), exchange))) return
  refuse(reply, notFound(`/${segments.join('/')} is not in the folder that is served.`))
}

/** Whether a person opens the address, as opposed to a script that asks for a file. */
const isNavigation = ({ headers }: IncomingMessage): boolean =>
  /text\/html/i.test(headers.accept ?? '') && [undefined, 'navigate'].includes(headers['sec-fetch-mode'])

const isHtml = (name: string): boolean => /\.html?$/i.test(name)

/** Resolves with false, nothing sent, where there is no such file. */
async function serveFile(
  { find, script }: Site,
  segments: readonly string[],
  entry: SiteEntry | undefined,
  exchange: Exchange,
): Promise<boolean> {
  const name = segments.at(-1) ?? ''
  const file = entry?.stat.isFile() === true ? entry : undefined
  if (isHtml(name)) {
    // A compressed page could not get its script.
    if (file !== undefined) await withFile(file.path, (page) => sendPage(page, script, exchange))
    return file !== undefined
  }
  const packed = compressedByName(name)
  const forms = packed === undefined ? await findCompressed(find, segments, file) : file ? [{ ...file, ...packed }] : []
  const form = forms.find(({ encoding }) => accepts(exchange.message, encoding))
  const sent = form ?? file
  if (sent === undefined) return false
  // Browsers take Brotli by https only. A client without Accept-Encoding is no browser, and gets the file as it is.
  const unpack = form === undefined && 'accept-encoding' in exchange.message.headers ? packed : undefined
  const headers = {
    'Content-Type': contentType((form ?? unpack)?.inner ?? name),
    ...(form === undefined ? {} : { 'Content-Encoding': form.encoding }),
    ...(forms.length > 0 ? { Vary: 'Accept-Encoding' } : {}),
  }
  const send = unpack === undefined ? sendFile : sendUnpacked(unpack.encoding)
  await withFile(sent.path, (opened) => send(opened, headers, exchange))
  return true
}

async function withFile(path: string, send: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path)
  try {
    await send(file)
  } finally {
    await file.close()
  }
}

/** Types that every tool writes as UTF-8. XML, SVG and HTML declare their encoding themselves. */
const UTF8 = /^(text\/(?!xml|html)|application\/(json|manifest\+json|ld\+json|toml))/

function contentType(name: string): string {
  const extension = extname(name).slice(1)
  const type = (extension === '' ? undefined : lookup(extension)) ?? 'application/octet-stream'
  return UTF8.test(type) ? `${type}; charset=utf-8` : type
}

/** The ways in which builds compress files, the better one first. */
const ENCODINGS = [
  { extension: '.br', encoding: 'br' },
  { extension: '.gz', encoding: 'gzip' },
] as const

interface Compressed {
  /** The name of the file inside: `game.wasm` in `game.wasm.br`. */
  readonly inner: string
  readonly encoding: string
}

/**
 * Reads the name of a compressed file that a page requests by that name, as the loaders of some engines do. The browser
 * unpacks such a file, for which it needs the encoding and the type of the file inside. An archive (`.tar.gz`) stays packed.
 */
function compressedByName(name: string): Compressed | undefined {
  const found = ENCODINGS.find(({ extension }) => name.toLowerCase().endsWith(extension))
  const inner = name.slice(0, -(found?.extension.length ?? 0))
  if (found === undefined || !/.\.(?!tar$)\w+$/i.test(inner) || isHtml(inner)) return undefined
  return { inner, encoding: found.encoding }
}

/** A compressed file may be this much older than its original, since a copied build gets its times in any order. */
const STALE_AFTER_MS = 60_000

/** Finds the compressed files beside a file, such as `app.js.br` for `app.js`, without those of an earlier build. */
async function findCompressed(
  find: FindInSite,
  segments: readonly string[],
  original: SiteEntry | undefined,
): Promise<(SiteEntry & Compressed)[]> {
  const oldest = (original?.stat.mtimeMs ?? 0) - STALE_AFTER_MS
  const inner = segments.at(-1)!
  const found = await Promise.all(
    ENCODINGS.map(async ({ extension, encoding }) => {
      const entry = await find([...segments.slice(0, -1), inner + extension])
      return entry?.stat.isFile() === true && entry.stat.mtimeMs >= oldest ? [{ ...entry, inner, encoding }] : []
    }),
  )
  return found.flat()
}

function accepts({ headers }: IncomingMessage, encoding: string): boolean {
  const weights = new Map<string, number>()
  for (const part of (headers['accept-encoding'] ?? '').toLowerCase().split(',')) {
    const [name = '', weight = '1'] = part.trim().split(/\s*;\s*q=/)
    weights.set(name, Number(weight))
  }
  // `*` stands for the encodings that aren't named.
  return (weights.get(encoding) ?? weights.get('*') ?? 0) > 0
}

/** Sends a file, or the part of it that was asked for, unless the client has the file already. */
async function sendFile(file: FileHandle, headers: Headers, { message, reply }: Exchange): Promise<void> {
  const { size, mtimeMs } = await file.stat()
  const about = { ...headers, 'Accept-Ranges': 'bytes', ETag: tagOf(size, mtimeMs) }
  if (isKnown(message, about.ETag)) return void reply.writeHead(304, about).end()
  const range = readRange(message, size, about.ETag)
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range !== undefined && start > end) {
    const noRange = { status: 416, code: 11, message: 'The file has no such range of bytes.' }
    return refuse(reply, noRange, { 'Content-Range': `bytes */${size}` })
  }
  const length = end - start + 1
  const part = range === undefined ? {} : { 'Content-Range': `bytes ${start}-${end}/${size}` }
  reply.writeHead(range === undefined ? 200 : 206, { ...about, ...part, 'Content-Length': length })
  if (message.method === 'HEAD' || length === 0 || reply.destroyed) return void reply.end()
  const stream = file.createReadStream({ start, end })
  // A file that became shorter meanwhile must not look whole.
  stream.once('end', () => stream.bytesRead < length && reply.destroy())
  await pipeline(stream, reply)
}

/** Sends the content of a compressed file to a client that can't unpack it. */
const sendUnpacked =
  (encoding: string): typeof sendFile =>
  async (file, headers, { message, reply }) => {
    const { size, mtimeMs } = await file.stat()
    const about = { ...headers, ETag: tagOf(size, mtimeMs, '-unpacked') }
    if (isKnown(message, about.ETag)) return void reply.writeHead(304, about).end()
    reply.writeHead(200, about)
    if (message.method === 'HEAD' || reply.destroyed) return void reply.end()
    await pipeline(file.createReadStream(), encoding === 'br' ? createBrotliDecompress() : createGunzip(), reply)
  }

/** Sends a page with a script in front of all others. */
async function sendPage(file: FileHandle, script: string, { message, reply }: Exchange): Promise<void> {
  const { size, mtimeMs } = await file.stat()
  const source = await file.readFile()
  const about = { 'Content-Type': pageType(source), ETag: tagOf(size, mtimeMs) }
  if (isKnown(message, about.ETag)) return void reply.writeHead(304, about).end()
  const page = insertScript(source, script)
  reply.writeHead(200, { ...about, 'Content-Length': page.byteLength }).end(page)
}

const tagOf = (size: number, mtimeMs: number, form = ''): string =>
  `W/"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}${form}"`

/** Whether the client has this version of a file. A proxy may have made the tag a strong one. */
const isKnown = ({ headers }: IncomingMessage, tag: string): boolean =>
  headers['if-none-match']?.includes(tag.slice('W/'.length)) === true

interface Range {
  readonly start: number
  /** The last byte. It is before `start` if the file has no such range. */
  readonly end: number
}

/** The range to send. Undefined for several ranges and for a file that has changed: then the whole file is sent. */
function readRange({ headers }: IncomingMessage, size: number, tag: string): Range | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  if (first + last === '' || size === 0 || ![undefined, tag].includes(headers['if-range'] as string | undefined)) {
    return undefined
  }
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size - 1 }
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}
