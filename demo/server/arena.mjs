/** The rules of the game, and nothing else: no clock, no network, no sidecar. */
const size = { width: 960, height: 600, player: 18, star: 10 }

const SPEED = 260
const STARS = 6
const COLORS = ['#5ad1ff', '#ff8a5a', '#9be564', '#d78bff', '#ffd94a', '#ff6f91', '#4ae3b5', '#b8c4ff']

export function createArena(random = Math.random) {
  const players = new Map()
  const stars = Array.from({ length: STARS }, placeStar)

  function placeStar() {
    return {
      x: size.star + random() * (size.width - 2 * size.star),
      y: size.star + random() * (size.height - 2 * size.star),
    }
  }

  function freeColor() {
    const used = new Set([...players.values()].map(({ color }) => color))
    return COLORS.find((color) => !used.has(color)) ?? COLORS[0]
  }

  function freeName(wanted) {
    const used = new Set([...players.values()].map(({ name }) => name))
    for (let n = 1; ; n += 1) {
      const name = n === 1 ? wanted : `${wanted} ${n}`
      if (!used.has(name)) return name
    }
  }

  function movePlayer(player, seconds) {
    player.x = within(player.x + player.dx * SPEED * seconds, size.player, size.width)
    player.y = within(player.y + player.dy * SPEED * seconds, size.player, size.height)
    stars.forEach((star, i) => {
      if (Math.hypot(star.x - player.x, star.y - player.y) > size.player + size.star) return
      player.score += 1
      stars[i] = placeStar()
    })
  }

  return {
    get count() {
      return players.size
    },

    /** A player whose name nobody else has. */
    join(id, wantedName) {
      const { x, y } = placeStar()
      const player = { id, name: freeName(wantedName), color: freeColor(), x, y, dx: 0, dy: 0, score: 0 }
      players.set(id, player)
      return player
    },

    leave(id) {
      const player = players.get(id)
      players.delete(id)
      return player
    },

    /** Where a player wants to go; longer than 1 is as fast as 1. */
    steer(id, x, y) {
      const player = players.get(id)
      if (player === undefined) return
      const length = Math.max(1, Math.hypot(x, y))
      player.dx = x / length
      player.dy = y / length
    },

    step(seconds) {
      for (const player of players.values()) movePlayer(player, seconds)
    },

    /** What is sent to the pages. */
    view() {
      return {
        players: [...players.values()].map(({ id, name, color, x, y, score }) => ({
          id,
          name,
          color,
          x: Math.round(x),
          y: Math.round(y),
          score,
        })),
        stars: stars.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })),
      }
    },

    ranking() {
      return [...players.values()]
        .sort((a, b) => b.score - a.score)
        .map(({ name, color, score }) => ({ name, color, score }))
    },
  }
}

const within = (value, margin, end) => Math.min(end - margin, Math.max(margin, value))
