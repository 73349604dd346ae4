/** What the servers of both demos have in common: a page for its own origin, and its WebSockets. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

export const MOST_PAGES = 64
export const LONGEST_MESSAGE = 1024
/** Bytes that may wait for a slow page before the page misses views of the match. It never misses news. */
const SLOW = 64 * 1024

/**
 * Serves a page on loopback. A taken port is replaced by a free one.
 *
 * @param options.files names of files beside this one, the page first. Other paths are not looked for on the disk
 * @param options.connect sources of the page's connections, beside its own server
 */
export async function startPageServer({ port = 0, files, connect = '' }) {
  const headers = {
    'content-security-policy': `default-src 'self'; connect-src 'self' ${connect}; img-src data:; frame-ancestors 'none'; base-uri 'none'`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
  const server = createServer((request, response) => void answer(request, response))
  await listen(server, port)
  const own = server.address().port
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${own}`)
  const origins = hosts.map((host) => `http://${host}`)
  const site = {
    server,
    port: own,
    origins,
    url: `http://127.0.0.1:${own}/`,
    /** Functions by method and path, such as `POST /play`. Only pages of this server may call them. */
    routes: {},
    /** Any page in the user's browser can call this port, also by a name that it leads here. Only the demo's own page may. */
    isOwn: ({ headers: { host, origin } }) =>
      hosts.includes(host) && (origin === undefined || origins.includes(origin)),
  }

  async function answer(request, response) {
    if (!hosts.includes(request.headers.host)) return response.writeHead(403).end()
    const [path] = request.url.split('?')
    const route = `${request.method} ${path}`
    if (Object.hasOwn(site.routes, route)) {
      if (site.isOwn(request)) return site.routes[route](request, response)
      return response.writeHead(403).end()
    }
    const name = path === '/' ? files[0] : path.slice(1)
    if (!['GET', 'HEAD'].includes(request.method) || !files.includes(name)) {
      return response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n')
    }
    response
      .writeHead(200, { ...headers, 'content-type': TYPES[name.split('.').at(-1)] })
      .end(await readFile(new URL(name, import.meta.url)))
  }
  return site
}

async function listen(server, port) {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (port === 0 || !['EADDRINUSE', 'EACCES'].includes(error.code)) throw error
    await listen(server, 0)
  }
}

/** Sends a message to every connection. A slow one misses those that are droppable. */
export function broadcast(sockets, message, { isDroppable = false } = {}) {
  if (sockets.clients.size === 0) return
  const text = JSON.stringify(message)
  for (const socket of sockets.clients) if (!isDroppable || socket.bufferedAmount < SLOW) socket.send(text)
}

/** The object that a page sent; an empty one for anything else. */
export function parse(data) {
  try {
    return Object(JSON.parse(String(data)))
  } catch {
    return {}
  }
}
