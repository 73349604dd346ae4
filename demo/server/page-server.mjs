import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { WebSocketServer } from 'ws'

const PAGE = new URL('../page/', import.meta.url)
/** All there is to serve: a path that isn't one of these is not looked for on the disk. */
const FILES = [
  'index.html',
  'page.css',
  'page.mjs',
  'arena-view.mjs',
  'sidecar-view.mjs',
  'controls.mjs',
  'headline.mjs',
]
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.mjs': 'text/javascript' }

const MOST_PLAYERS_AND_WATCHERS = 64
const LONGEST_MESSAGE = 1024
/** Bytes that may wait for a slow page before it misses pictures of the match; news it always gets. */
const SLOW = 64 * 1024

/**
 * Serves the page and its WebSockets on one port. `on.opened(visitor)`, `on.message(visitor, message)` and
 * `on.left(visitor)` are told of each visitor, `{ id, send(message) }`.
 */
export async function startPageServer(port, on) {
  const server = createServer((request, response) => void serve(request, response))
  const sockets = new WebSocketServer({ server, maxPayload: LONGEST_MESSAGE })
  let ids = 0

  sockets.on('connection', (socket) => {
    if (sockets.clients.size > MOST_PLAYERS_AND_WATCHERS) return socket.close(1013, 'Too many visitors')
    const visitor = { id: (ids += 1), send: (message) => socket.send(JSON.stringify(message)) }
    socket.on('error', () => socket.terminate())
    socket.on('message', (data) => {
      const message = parse(data)
      if (message !== undefined) on.message(visitor, message)
    })
    socket.on('close', () => on.left(visitor))
    on.opened(visitor)
  })

  // What fails here fails at `listening` below; ws would otherwise throw the same error once more.
  sockets.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    port: server.address().port,
    broadcast(message, { droppable = false } = {}) {
      const text = JSON.stringify(message)
      for (const socket of sockets.clients) {
        if (!droppable || socket.bufferedAmount < SLOW) socket.send(text)
      }
    },
    close() {
      for (const socket of sockets.clients) socket.close(1001)
      server.close()
      server.closeAllConnections()
    },
  }
}

async function serve({ method, url }, response) {
  const name = url === '/' ? 'index.html' : url.slice(1)
  if ((method !== 'GET' && method !== 'HEAD') || !FILES.includes(name)) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n')
    return
  }
  response
    .writeHead(200, {
      'content-type': TYPES[extname(name)],
      'content-security-policy': "default-src 'self'; connect-src 'self' ws:; img-src data:",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    .end(await readFile(new URL(name, PAGE)))
}

/** The object that a page sent, or undefined. */
function parse(data) {
  try {
    const value = JSON.parse(String(data))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
