/** `gameserver-sidecar demo`: a page with a match, and the game server that the page shows. All of it is this process. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { startArena } from './arena.mjs'

/** The files of the page and their types. Other paths are not looked for on the disk. */
const FILES = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
}
const HEADERS = {
  'content-security-policy': "default-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

const MOST_PAGES = 64
const LONGEST_MESSAGE = 1024
/** Bytes that may wait for a slow page before the page misses views of the match. It never misses news. */
const SLOW = 64 * 1024
const MOST_NEWS = 200

/**
 * Starts the demo and resolves when its page can be opened. A taken port is replaced by a free one.
 *
 * @param options.onNews called with `{ kind, text, at }` for each event
 */
export async function startDemo({ port = 0, seconds = 45, onNews = () => {} } = {}) {
  const server = createServer((request, response) => void answer(request, response))
  await listen(server, port)
  const own = server.address().port
  const sockets = new WebSocketServer({
    server,
    maxPayload: LONGEST_MESSAGE,
    // Any page in the user's browser can open a WebSocket to this port. Only the demo's own page may.
    verifyClient: ({ origin }) =>
      origin === undefined || ['127.0.0.1', 'localhost'].some((host) => origin === `http://${host}:${own}`),
  })
  const news = []

  function send(message, { isDroppable = false } = {}) {
    const text = JSON.stringify(message)
    for (const socket of sockets.clients) if (!isDroppable || socket.bufferedAmount < SLOW) socket.send(text)
  }

  function tell(kind, text, details = {}) {
    const item = { kind, text, at: Date.now(), ...details }
    news.push(item)
    if (news.length > MOST_NEWS) news.shift()
    send({ type: 'news', news: [item] })
    onNews(item)
  }

  const arena = await startArena({ seconds, send, tell, isWatched: () => sockets.clients.size > 0 })
  let ids = 0
  sockets.on('connection', (socket) => {
    if (sockets.clients.size > MOST_PAGES) return socket.close(1013, 'Too many pages')
    const visitor = { id: (ids += 1), send: (message) => socket.send(JSON.stringify(message)) }
    socket.on('error', () => socket.terminate())
    socket.on('message', (data) => arena.message(visitor, parse(data)))
    socket.on('close', () => arena.left(visitor))
    visitor.send({ type: 'hello', dashboard: arena.dashboard })
    visitor.send({ type: 'news', news })
    arena.opened(visitor)
  })

  return {
    url: `http://127.0.0.1:${own}/`,
    port: own,
    dashboard: arena.dashboard,
    /** Ends the connections, the game, the client and the sidecar, in this order. */
    async close() {
      for (const socket of sockets.clients) socket.close(1001)
      server.close()
      server.closeAllConnections()
      await arena.close()
      for (const socket of sockets.clients) socket.terminate()
    },
  }
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

async function answer({ method, url }, response) {
  const name = url === '/' ? 'index.html' : url.slice(1)
  if (!['GET', 'HEAD'].includes(method) || !Object.hasOwn(FILES, name)) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n')
    return
  }
  response
    .writeHead(200, { ...HEADERS, 'content-type': FILES[name] })
    .end(await readFile(new URL(name, import.meta.url)))
}

/** The object that a page sent; an empty one for anything else. */
function parse(data) {
  try {
    return Object(JSON.parse(String(data)))
  } catch {
    return {}
  }
}
