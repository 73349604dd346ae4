import WebSocket from 'ws'
import { startBot, VIEWS } from './bots.mjs'

/** How long somebody plays alone before bots come. */
const ALONE_MS = 2_000

/**
 * Watches a match and sends bots into it when one player is alone there, in the phase in which company is wanted; they
 * leave with the last player. Returns what ends it.
 */
export function keepCompany(url, names, { aloneMs = ALONE_MS, phase: wanted = 'playing', origin } = {}) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { origin })
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
    if (!VIEWS.includes(type)) return
    const people = players.filter(({ id }) => !bots.some((bot) => bot.id === id)).length
    if (phase !== wanted || people !== 1) aloneSince = undefined
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
