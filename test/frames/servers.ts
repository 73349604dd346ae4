import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

const acceptOf = (key: string): string =>
  createHash('sha1')
    .update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11')
    .digest('base64')

export interface Upgrade {
  readonly request: string
  readonly key: string
  readonly socket: Socket
  /** What came right behind the head. */
  readonly rest: Buffer
}

export interface RawServer {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

/** A server that reads one head of each connection and leaves the rest to `onUpgrade`. */
export const createRawServer = async (
  onUpgrade: (upgrade: Upgrade) => void,
  host = '127.0.0.1',
): Promise<RawServer> => {
  const sockets = new Set<Socket>()
  const server: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let head = Buffer.alloc(0)
    const onData = (bytes: Buffer): void => {
      head = Buffer.concat([head, bytes])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      socket.off('data', onData)
      const request = head.subarray(0, end + 2).toString('latin1')
      const key = /\r\nSec-WebSocket-Key: (.*)\r\n/i.exec(request)?.[1] ?? ''
      onUpgrade({ request, key, socket, rest: head.subarray(end + 4) })
    }
    socket.on('data', onData)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export const switching = (key: string, more = ''): string =>
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  `Sec-WebSocket-Accept: ${acceptOf(key)}\r\n${more}\r\n`
