import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from './connection-limit.js'

/** Time after which a client that closed its half of a connection, and still waits for an answer, may have left. */
const LEFT_MS = 200
/** Time after which the reset must have come that answers a first interim answer. */
const RESET_MS = 50
/** Time for which an answer that has begun may stand still then. */
const STUCK_MS = 200

/**
 * Finds out whether a client that closed its half of a connection has left: one that has said all does that too, and
 * still wants its answer. If it has left, whatever is sent to it is answered with a reset, even the interim answer that
 * says only that there will be one.
 *
 * @param current tells which answer the client waits for
 * @param isStream whether an answer is a stream, which may be silent for any time
 */
export function followHalfClosed(
  socket: Socket,
  current: () => Answer | undefined,
  isStream: (answer: ServerResponse) => boolean,
): void {
  const look = (): void => {
    const answer = current()
    if (socket.destroyed || !(answer instanceof ServerResponse)) return
    if (isStream(answer)) return void socket.destroy()
    if (!answer.headersSent) {
      // Older clients don't know interim answers.
      if (answer.req.httpVersion !== '1.1') return
      answer.writeProcessing()
      // Node doesn't read any more and notices the reset only when it writes again.
      setTimeout(() => !answer.headersSent && answer.writeProcessing(), RESET_MS).unref()
      return
    }
    const { bytesWritten } = socket
    const isStuck = (): boolean => socket.bytesWritten === bytesWritten && socket.writableLength === 0
    // What has been ready meanwhile is sent first.
    const end = (): void => void setImmediate(() => isStuck() && socket.destroy())
    setTimeout(end, STUCK_MS).unref()
  }
  setTimeout(look, LEFT_MS).unref()
}
