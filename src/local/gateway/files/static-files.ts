import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { ISOLATING_HEADERS } from '../../http/refusal.js'
import { acceptsEncoding, compressedByName, contentType, findCompressed, isHtml } from './file-types.js'
import { answerFailure, answerStaticError, sendFile, sendPage, sendUnpacked, type Exchange } from './send-file.js'
import { openSiteFolder, readSitePath, type SiteEntry, type FindInSite, type SitePath } from './site-folder.js'

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

const INDEX = 'index.html'

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

/**
 * Serves the files inside one folder. Whether a path is served depends on the real place that it leads to, not on its
 * spelling. Pages get the configuration script. The handler answers every request, and resolves when the answer was sent.
 *
 * @throws TypeError if there is no such folder, or nothing in it to serve
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
      answerFailure(error, reply)
    }
  }
}

/** A folder that is served, the script for its pages, and whether missing files lead to its index. */
interface Site {
  readonly find: FindInSite
  readonly script: string
  readonly spa: boolean
}

async function serve(site: Site, exchange: Exchange): Promise<void> {
  const { message, reply } = exchange
  if (message.method !== 'GET' && message.method !== 'HEAD') {
    reply.setHeader('Allow', 'GET, HEAD')
    // The rest of a body isn't read.
    reply.setHeader('Connection', 'close')
    return answerStaticError(reply, 405, 'Files can only be read: GET and HEAD are served.')
  }
  const path = readSitePath(message.url ?? '')
  if (typeof path === 'string') return answerStaticError(reply, 400, path)
  const entry = await site.find(path.segments)
  if (entry?.stat.isDirectory() === true) return serveFolder(site, path, exchange)
  if (!path.isFolder && (await serveFile(site, path.segments, entry, exchange))) return
  return serveOther(site, path, exchange)
}

async function serveFolder(site: Site, path: SitePath, exchange: Exchange): Promise<void> {
  const segments = [...path.segments, INDEX]
  const index = await site.find(segments)
  if (index?.stat.isFile() !== true) {
    return serveOther(site, path, exchange, ' is a folder without index.html; what a folder holds is not listed.')
  }
  if (path.isFolder || path.segments.length === 0) return void (await serveFile(site, segments, index, exchange))
  const query = /^[\x21-\x7e]*$/.test(path.query) ? path.query : ''
  // Exactly one slash at the start: two would begin a host.
  const location = `/${path.segments.map(encodeURIComponent).join('/')}/${query}`
  exchange.reply.writeHead(302, { Location: location, 'Content-Length': 0 }).end()
}

/** Resolves with false, nothing sent, where there is no such file. */
async function serveFile(
  { find, script }: Site,
  segments: readonly string[],
  entry: SiteEntry | undefined,
  exchange: Exchange,
): Promise<boolean> {
  const name = segments.at(-1) ?? ''
  const accepted = exchange.message.headers['accept-encoding']
  const byName = compressedByName(name)
  if (isHtml(name)) {
    if (entry !== undefined) await sendPage(entry.path, script, exchange)
    return entry !== undefined
  }
  // Every browser sends Accept-Encoding. A client without one gets the compressed file as it is.
  if (entry !== undefined && byName !== undefined && accepted !== undefined) {
    const { inner, encoding } = byName
    const about = { 'Content-Type': contentType(inner), Vary: 'Accept-Encoding' }
    if (!acceptsEncoding(accepted, encoding)) await sendUnpacked(entry.path, encoding, about, exchange)
    else await sendFile(entry.path, { ...about, 'Content-Encoding': encoding }, exchange)
    return true
  }
  const twins = byName === undefined ? await findCompressed(find, segments, entry) : []
  const twin = twins.find(({ encoding }) => acceptsEncoding(accepted, encoding))
  const file = twin ?? entry
  if (file === undefined) return false
  const about = {
    'Content-Type': contentType(name),
    ...(twins.length > 0 || byName !== undefined ? { Vary: 'Accept-Encoding' } : {}),
    ...(twin === undefined ? {} : { 'Content-Encoding': twin.encoding }),
  }
  await sendFile(file.path, about, exchange)
  return true
}

async function serveOther(
  site: Site,
  { segments }: SitePath,
  exchange: Exchange,
  why = ' is not in the folder that is served.',
): Promise<void> {
  const { message, reply } = exchange
  const isRoute = isNavigation(message) && extname(segments.at(-1) ?? '') === ''
  const index = site.spa && isRoute ? await site.find([INDEX]) : undefined
  if (index?.stat.isFile() === true) return void (await serveFile(site, [INDEX], index, exchange))
  answerStaticError(reply, 404, `/${segments.join('/')}${why}`)
}

/** Whether a person opens the address, as opposed to a script that asks for a file. */
const isNavigation = ({ headers }: IncomingMessage): boolean =>
  /text\/html/i.test(headers.accept ?? '') && [undefined, 'navigate'].includes(headers['sec-fetch-mode'])
