import WebSocket from 'ws'
import { startBot } from './bots.mjs'

/** How long somebody plays alone before bots come. */
const ALONE_MS = 2_000

/**
 * Watches a match and sends bots into it when one player is alone there; they leave with the last player. Returns what
 * ends it.
 */
export function keepCompany(url, names, aloneMs = ALONE_MS) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'))
  let bots = []
  let aloneSince

  const leave = () => {
    for (const bot of bots) bot.leave()
    bots = []
  }
  socket.on('error', () => {}) // a game server that ends takes its visitors with it
  socket.on('close', leave)
  socket.on('message', (data) => {
    const { type, phase, players } = JSON.parse(String(data))
    if (type !== 'match') return
    const people = players.filter(({ id }) => !bots.some((bot) => bot.id === id)).length
    if (phase !== 'playing' || people !== 1) aloneSince = undefined
    else aloneSince ??= Date.now()
    if (bots.length === 0 && aloneSince !== undefined && Date.now() - aloneSince >= aloneMs) {
      bots = names.map((name) => startBot(url, name))
    }
    if (people === 0) leave()
  })
  return () => {
    socket.terminate()
    leave()
  }
}
