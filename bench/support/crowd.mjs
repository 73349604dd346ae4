/** Lasting connections: idle watchers, and clients that send one byte at a time. */
import { once } from 'node:events'
import { connect } from 'node:net'

const watch = (prefix) => `GET ${prefix}/watch/gameserver HTTP/1.1\r\nHost: localhost\r\n`
const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const SLOW_HEAD = 'POST /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
const SLOW_BODY = 'POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{'
const BYTE_EVERY_MS = 500

/** Resolves when every watcher, half over WebSocket and half over HTTP, has its first object. */
export async function gather(port, { watchers, slow, prefix = '' }) {
  const watching = await Promise.all(
    Array.from({ length: watchers }, async (_, i) => {
      const socket = await open(port, `${watch(prefix)}${i % 2 ? UPGRADE : ''}\r\n`)
      socket.setEncoding('latin1')
      let seen = ''
      for await (const text of socket.iterator({ destroyOnReturn: false }))
        if ((seen += text).includes('"state":')) break
      socket.resume()
      return socket
    }),
  )
  const trickling = await Promise.all(Array.from({ length: slow }, (_, i) => open(port, i % 2 ? SLOW_BODY : SLOW_HEAD)))
  const timer = setInterval(() => {
    for (const socket of trickling) socket.write(' ')
  }, BYTE_EVERY_MS)
  const sockets = [...watching, ...trickling]
  return {
    /** The number of connections that the server has closed. */
    gone: () => sockets.filter((socket) => socket.destroyed || socket.readableEnded).length,
    leave() {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function open(port, text) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(text)
  return socket
}
