import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Resolves when earlier requests on the same connection have been answered. A client that sends several at once means
 * them to take effect in that order.
 */
export async function turnOf(reply: ServerResponse, socket: Socket): Promise<void> {
  if (reply.socket !== null || socket.destroyed) return
  // Each waiting request adds a listener. The guarded server limits their number.
  socket.setMaxListeners(0)
  await new Promise<void>((resolve) => {
    const go = (): void => {
      socket.removeListener('close', go)
      resolve()
    }
    reply.once('socket', go)
    socket.once('close', go)
  })
}
