/**
 * The game's own network, which is none of the sidecar's business: here one WebSocket to a relay, which hands
 * on what players say and what they are told. A game of yours has its own (WebRTC, WebTransport, a hosted
 * relay).
 *
 * `on.opened()` when the relay is there, `on.message(id, message)` and `on.left(id)` for each player.
 */
export function joinNetwork(url, on) {
  const socket = new WebSocket(url)
  socket.onopen = on.opened
  socket.onmessage = ({ data }) => {
    const { from, left, text } = JSON.parse(data)
    if (left) return on.left(from)
    const message = parse(text)
    if (message !== undefined) on.message(from, message)
  }
  const send = (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }
  return {
    send: (to, message) => send({ to, message }),
    broadcast: (message) => send({ message }),
  }
}

/** The object that a player sent, or undefined: never trust what comes from outside. */
function parse(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
