import WebSocket from 'ws'
import { nearest } from './page/nearest.mjs'

const THINKING_MS = 50

/** How the game servers of the two demos call what they send of a match. */
export const VIEWS = ['match', 'picture']

/**
 * A player that joins the match over a real WebSocket and runs to the nearest star. Returns it, with its number in the
 * match. `origin` is that of the page that it stands for.
 */
export function startBot(url, name, origin) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { origin })
  let id
  let thoughtAt = 0
  const send = (message) => socket.send(JSON.stringify(message))

  socket.on('error', () => {}) // a game server that ends takes its players with it
  socket.on('open', () => send({ type: 'join', name }))
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.type === 'joined') id = message.id
    if (!VIEWS.includes(message.type) || message.phase !== 'playing' || Date.now() - thoughtAt < THINKING_MS) return
    thoughtAt = Date.now()
    const self = message.players.find((player) => player.id === id)
    const star = self && nearest(self, message.stars)
    if (star) send({ type: 'move', x: star.x - self.x, y: star.y - self.y })
  })
  return {
    get id() {
      return id
    },
    leave: () => socket.terminate(),
  }
}
