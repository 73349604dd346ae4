/** A minimal, fast WebSocket for a player: its messages are binary and shorter than 126 bytes. */
import { connect } from 'node:net'

const HANDSHAKE =
  'GET /PATH HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
const [BINARY, CLOSE, PING, PONG] = [0x82, 0x8, 0x9, 0x8a]

/** Resolves when it is open. `onMessage` gets the bytes and where the message begins and ends in them. */
export function openPlayer(port, path, onMessage) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let isOpen = false
    let rest = Buffer.alloc(0)
    const player = {
      isGone: false,
      send: (payload) => socket.write(frame(BINARY, payload)),
      leave: () => socket.destroy(),
    }
    socket.write(HANDSHAKE.replace('PATH', path))
    socket.on('error', reject)
    socket.on('close', () => {
      player.isGone = true
      reject(new Error('The server has closed the connection'))
    })
    socket.on('data', (data) => {
      let bytes = rest.length > 0 ? Buffer.concat([rest, data]) : data
      if (!isOpen) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end < 0) return void (rest = bytes)
        if (!bytes.toString('latin1', 0, 12).endsWith('101')) return reject(new Error(bytes.toString('latin1', 0, end)))
        isOpen = true
        resolve(player)
        bytes = bytes.subarray(end + 4)
      }
      rest = bytes.subarray(read(bytes))
    })

    /** Returns the position of the first incomplete message. */
    function read(bytes) {
      let at = 0
      while (bytes.length >= at + 2) {
        const isLong = bytes[at + 1] === 126
        if (isLong && bytes.length < at + 4) break
        const from = at + (isLong ? 4 : 2)
        const to = from + (isLong ? bytes.readUInt16BE(at + 2) : bytes[at + 1])
        if (bytes.length < to) break
        const kind = bytes[at] & 0xf
        if (kind === PING) socket.write(frame(PONG, bytes.subarray(from, to)))
        else if (kind === CLOSE) player.isGone = true
        else onMessage(bytes, from, to)
        at = to
      }
      return at
    }
  })
}

/** With a mask of zeros, which changes nothing. */
function frame(head, payload) {
  const bytes = Buffer.alloc(6 + payload.length)
  bytes[0] = head
  bytes[1] = 0x80 | payload.length
  payload.copy(bytes, 6)
  return bytes
}
