/**
 * The game's own network, and no part of this package: one game server, many players, and a relay that hands
 * on what they say. It also serves the players' page, so that players have an origin of their own and never
 * come near the sidecar.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { WebSocketServer } from 'ws'

/** All there is to serve: a path that isn't one of these is not looked for on the disk. */
const FILES = {
  '/': 'play/index.html',
  '/play.mjs': 'play/play.mjs',
  '/play.css': 'play/play.css',
  '/base.css': 'base.css',
  // The same arena as in the other demo.
  '/arena-view.mjs': '../page/arena-view.mjs',
  '/controls.mjs': '../page/controls.mjs',
  '/nearest.mjs': '../page/nearest.mjs',
}
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.mjs': 'text/javascript' }

const MOST_PLAYERS = 64
const LONGEST = { player: 1024, host: 64 * 1024 }
/** Bytes that may wait for a slow player before it misses pictures of the match. */
const SLOW = 64 * 1024

export async function startRelay() {
  const server = createServer((request, response) => void serve(request, response))
  const hosts = new WebSocketServer({ noServer: true, maxPayload: LONGEST.host })
  const guests = new WebSocketServer({ noServer: true, maxPayload: LONGEST.player })
  const players = new Map()
  let hostOrigin
  let host
  let ids = 0

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {}) // who hangs up in the middle of it needs no answer
    // Any page can open a WebSocket to this machine; only Origin tells which page it is.
    const {
      url,
      headers: { origin, host: own },
    } = request
    const sockets =
      url === '/host' && origin === hostOrigin
        ? hosts
        : url === '/' && origin === `http://${own}` && own === address()
          ? guests
          : undefined
    if (sockets === undefined) return socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => opened.terminate())
      if (sockets === hosts) hostOpened(opened)
      else playerOpened(opened)
    })
  })

  function hostOpened(socket) {
    host?.close(1000, 'Another game server has come')
    host = socket
    socket.on('message', (data) => {
      const { to, message } = JSON.parse(String(data))
      const text = JSON.stringify(message)
      const receivers = to === undefined ? [...players.values()] : [players.get(to)]
      for (const player of receivers) {
        if (player && (message.type !== 'picture' || player.bufferedAmount < SLOW)) player.send(text)
      }
    })
    socket.on('close', () => {
      if (host !== socket) return
      host = undefined
      announce()
    })
    announce()
  }

  function playerOpened(socket) {
    if (players.size >= MOST_PLAYERS) return socket.close(1013, 'Too many players')
    const id = `player-${(ids += 1)}`
    players.set(id, socket)
    const tell = (message) => host?.send(JSON.stringify({ from: id, ...message }))
    socket.on('message', (data) => tell({ text: String(data) }))
    socket.on('close', () => {
      players.delete(id)
      tell({ left: true })
    })
    announce([socket])
  }

  function announce(receivers = players.values()) {
    for (const player of receivers) player.send(JSON.stringify({ type: 'server', present: host !== undefined }))
  }

  const address = () => `127.0.0.1:${server.address().port}`
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://${address()}/`,
    port: server.address().port,
    /** From now on pages of that URL's origin, and no others, may be the game server. */
    admit(url) {
      hostOrigin = new URL(url).origin
    },
    close() {
      for (const socket of [...hosts.clients, ...guests.clients]) socket.terminate()
      server.close()
      server.closeAllConnections()
    },
  }
}

async function serve({ method, url }, response) {
  const name = FILES[url.split('?')[0]]
  if ((method !== 'GET' && method !== 'HEAD') || name === undefined) {
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
    .end(await readFile(new URL(name, import.meta.url)))
}
