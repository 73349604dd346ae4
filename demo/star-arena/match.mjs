import { cleanName, nearest } from '../shared/scoring.mjs'

/** The rules of the game, and nothing else: no clock, no network, no sidecar. */
const size = { width: 960, height: 600, player: 18, star: 10 }

/** Names of the bots. */
export const BOTS = ['Ada', 'Grace', 'Linus']
const SPEED = 260
/** Bots are a little slower, so that a person can win. */
const BOT_SPEED = 190
const STARS = 6
const COLORS = ['#5ad1ff', '#ff8a5a', '#9be564', '#d78bff', '#ffd94a', '#ff6f91', '#4ae3b5', '#b8c4ff']

/**
 * One match. In the lobby players warm up; stars count from `start()` on. `onEnd(ranking)` is called when the time is over
 * or `end()` was called.
 */
export function createMatch({ seconds, onEnd, random = Math.random }) {
  const players = new Map()
  const stars = Array.from({ length: STARS }, anyPlace)
  let phase = 'lobby'
  let left = seconds

  function anyPlace() {
    const between = (length) => size.player + random() * (length - 2 * size.player)
    return { x: between(size.width), y: between(size.height) }
  }

  function firstFree(candidates, used) {
    for (const one of candidates) if (!used.includes(one)) return one
    return undefined
  }

  function* names(wanted) {
    yield wanted
    for (let n = 2; ; n += 1) yield `${wanted} ${n}`
  }

  function steer(player, x, y) {
    const length = Math.max(1, Math.hypot(x, y))
    player.dx = x / length
    player.dy = y / length
  }

  function move(player, duration) {
    const star = player.isBot ? nearest(player, stars) : undefined
    if (star !== undefined) steer(player, star.x - player.x, star.y - player.y)
    const way = (player.isBot ? BOT_SPEED : SPEED) * duration
    player.x = within(player.x + player.dx * way, size.width)
    player.y = within(player.y + player.dy * way, size.height)
    stars.forEach((one, i) => {
      if (Math.hypot(one.x - player.x, one.y - player.y) > size.player + size.star) return
      if (phase === 'playing') player.score += 1
      stars[i] = anyPlace()
    })
  }

  function end() {
    if (phase === 'over') return
    phase = 'over'
    onEnd([...players.values()].sort((a, b) => b.score - a.score).map(({ name, score }) => ({ name, score })))
  }

  return {
    get phase() {
      return phase
    },
    get size() {
      return players.size
    },

    /** Adds a player and returns it. A number is added to the wanted name if it is taken. */
    join(id, wanted, isBot = false) {
      const others = [...players.values()]
      const used = others.map(({ name }) => name)
      const name = firstFree(names(cleanName(wanted)), used)
      const color = firstFree(
        COLORS,
        others.map((other) => other.color),
      )
      const player = { id, name, color, isBot, ...anyPlace(), dx: 0, dy: 0, score: 0 }
      players.set(id, player)
      return player
    },

    /** Removes a player and returns it; undefined if there is none. */
    leave(id) {
      const player = players.get(id)
      players.delete(id)
      return player
    },

    /** Sets where a player goes. A vector longer than 1 counts as 1. */
    steer(id, x, y) {
      const player = players.get(id)
      if (player !== undefined) steer(player, x, y)
    },

    start() {
      if (phase === 'lobby') phase = 'playing'
    },

    step(duration) {
      if (phase === 'over') return
      for (const player of players.values()) move(player, duration)
      if (phase === 'playing' && (left -= duration) <= 0) end()
    },

    end,

    /** The picture that pages get. */
    view: () => ({
      phase,
      left: Math.max(0, Math.ceil(left)),
      players: [...players.values()].map(({ id, name, color, isBot, score, ...place }) => ({
        ...{ id, name, color, isBot, score },
        ...rounded(place),
      })),
      stars: stars.map(rounded),
    }),
  }
}

const within = (value, length) => Math.min(length - size.player, Math.max(size.player, value))
const rounded = ({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })
