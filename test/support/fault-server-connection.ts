import type { Socket } from 'node:net'

/** How a connection breaks: RST, or FIN without an end in the protocol above. */
export type Ending = 'reset' | 'finish'

/** One accepted TCP connection, with control over every byte that it sends. */
export interface ScriptedConnection {
  readonly socket: Socket
  /** 1 for the first connection the sidecar accepted. */
  readonly nth: number
  /** Resolves when the other side has ended or reset, or this side has destroyed the socket. */
  readonly gone: Promise<void>
  readonly isGone: boolean
  /** Resolves when the bytes have left this process. After the end, resolves at once without effect. */
  write(bytes: string | Uint8Array): Promise<void>
  /** From now on every byte goes out in a segment of its own. */
  slowDown(): void
  /** Ends the connection in that way when exactly that many more bytes were written. */
  cutAfter(bytes: number, ending: Ending): void
  /** Sends RST: the other side loses the data that it has not read. */
  reset(): void
  /** Sends FIN: written data still arrives. */
  finish(): void
  /** Stops reading, so that the other side's writes and its FIN go unnoticed, until `listen`. */
  deafen(): void
  listen(): void
  /** Called with the bytes that come in. */
  onBytes: (bytes: Buffer) => void
}

export function createConnection(socket: Socket, nth: number, onGone: () => void): ScriptedConnection {
  let slow = false
  let cut: { left: number; ending: Ending } | undefined
  let isGone = false
  let resolveGone = (): void => {}
  const gone = new Promise<void>((resolve) => (resolveGone = resolve))

  const leave = (): void => {
    if (isGone) return
    isGone = true
    resolveGone()
    onGone()
  }
  socket.setNoDelay(true)
  // Each write waits for the end too, and a script may write any number at once.
  socket.setMaxListeners(0)
  socket.on('data', (bytes) => connection.onBytes(bytes))
  socket.on('error', leave)
  socket.on('close', leave)
  socket.on('end', () => {
    socket.end()
    leave()
  })

  const writePiece = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      // A later turn, so that a script that writes for ever still sees the end of the connection.
      if (socket.destroyed || !socket.writable) return void setImmediate(resolve)
      socket.once('close', resolve)
      socket.write(bytes, () => {
        socket.off('close', resolve)
        resolve()
      })
    })

  const connection: ScriptedConnection = {
    socket,
    nth,
    gone,
    get isGone() {
      return isGone
    },
    async write(data) {
      let bytes: Uint8Array = Buffer.from(data)
      const cutHere = cut
      if (cutHere !== undefined) {
        bytes = bytes.subarray(0, cutHere.left)
        cutHere.left -= bytes.length
      }
      if (slow) {
        for (const byte of bytes) {
          if (isGone) return
          await writePiece(Uint8Array.of(byte))
          await new Promise(setImmediate)
        }
      } else if (bytes.length > 0) {
        await writePiece(bytes)
      }
      if (cutHere?.left === 0) connection[cutHere.ending]()
    },
    slowDown() {
      slow = true
    },
    cutAfter(left, ending) {
      cut = { left, ending }
    },
    reset() {
      if (!socket.destroyed) socket.resetAndDestroy()
    },
    finish() {
      socket.end()
    },
    deafen() {
      socket.pause()
    },
    listen() {
      socket.resume()
    },
    onBytes() {},
  }
  return connection
}
