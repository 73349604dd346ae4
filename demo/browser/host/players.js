/** Bytes that may be queued for a slow player before it misses updates. */
const SLOW = 64 * 1024

/**
 * The game's network: the host takes players' connections and hands them to the page as sockets.
 *
 * It calls `on.came(socket)`, `on.message(socket, message)` and `on.left(id)` for each player.
 */
export function listenToPlayers(on) {
  gameServerHost.onconnection = (socket) => {
    socket.onmessage = ({ data }) => {
      const message = parse(data)
      if (message !== undefined) on.message(socket, message)
    }
    socket.onclose = () => on.left(socket.id)
    on.came(socket)
  }

  return {
    send: (socket, message) => socket.send(JSON.stringify(message)),

    broadcast(message) {
      const text = JSON.stringify(message)
      for (const socket of gameServerHost.connections.values()) {
        if (message.type !== 'picture' || socket.bufferedAmount < SLOW) socket.send(text)
      }
    },
  }
}

/** The object in a player's message. Undefined for anything else, since players are not trusted. */
function parse(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
