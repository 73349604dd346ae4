/**
 * The rest of a game: a web server with the players' page, and a matchmaker, which gives that page the address of a
 * game server. Players never reach a sidecar.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { PLAYERS_PAGE } from './build.mjs'

const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.mjs': 'text/javascript' }
const HEADERS = {
  'content-security-policy': "default-src 'self'; connect-src 'self' ws: wss:; img-src data:",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port */
export async function startSite(port) {
  let address
  const server = createServer((request, response) => void answer(request, response, () => address))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${server.address().port}`

  return {
    origin,
    url: `${origin}/`,
    /** Sets the game server to which players are sent, or none. */
    lead(to) {
      address = to
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer({ method, url }, response, address) {
  const path = url.split('?')[0].slice(1) || 'index.html'
  const reply = (status, type, body) => response.writeHead(status, { ...HEADERS, 'content-type': type }).end(body)
  if (method !== 'GET' && method !== 'HEAD') return reply(405, 'text/plain', 'Only GET\n')
  if (path === 'server') return reply(200, 'application/json', JSON.stringify({ address: address() }))
  // Serves only the known paths.
  if (!Object.hasOwn(PLAYERS_PAGE, path)) return reply(404, 'text/plain', 'Not found\n')
  reply(200, TYPES[extname(path)], await readFile(PLAYERS_PAGE[path]))
}
