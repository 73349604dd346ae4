import WebSocket from 'ws'
import { nearest } from '../shared/scoring.mjs'

const THINKING_MS = 50

/**
 * Watches a match over a WebSocket and sends bots into its lobby when one player has been alone there for `aloneMs`.
 * The bots leave with the last player. `origin` is that of the players' page. Returns the function that ends it.
 */
export function keepCompany(url, names, { aloneMs, origin }) {
  const socket = new WebSocket(url, { origin })
  let bots = []
  let aloneSince

  const leave = () => {
    for (const bot of bots) bot.leave()
    bots = []
  }
  socket.on('error', () => {}) // the connection breaks when the game server ends
  socket.on('close', leave)
  socket.on('message', (data) => {
    const { type, phase, players } = JSON.parse(String(data))
    if (type !== 'picture') return
    const people = players.filter(({ id }) => !bots.some((bot) => bot.id === id)).length
    if (phase !== 'lobby' || people !== 1) aloneSince = undefined
    else aloneSince ??= Date.now()
    if (bots.length === 0 && aloneSince !== undefined && Date.now() - aloneSince >= aloneMs) {
      bots = names.map((name) => startBot(url, name, origin))
    }
    if (people === 0) leave()
  })
  return () => {
    socket.terminate()
    leave()
  }
}

/** A player that joins the match and runs to the nearest star. */
function startBot(url, name, origin) {
  const socket = new WebSocket(url, { origin })
  let id
  let thoughtAt = 0
  const send = (message) => socket.send(JSON.stringify(message))

  socket.on('error', () => {}) // as above
  socket.on('open', () => send({ type: 'join', name }))
  socket.on('message', (data) => {
    const { type, phase, players, stars, ...message } = JSON.parse(String(data))
    if (type === 'joined') id = message.id
    if (type !== 'picture' || phase !== 'playing' || Date.now() - thoughtAt < THINKING_MS) return
    thoughtAt = Date.now()
    const self = players.find((player) => player.id === id)
    const star = self && nearest(self, stars)
    if (star) send({ type: 'move', x: star.x - self.x, y: star.y - self.y })
  })
  return {
    /** The bot's number in the match, once it has joined. */
    get id() {
      return id
    },
    leave: () => socket.terminate(),
  }
}
