/**
 * One match: its players, scores and end. It begins when the platform allocates this server. Before that, players can
 * warm up, and stars don't count. At the end, it calls `on.ended(ranking)`.
 */
export function createMatch(on) {
  const players = new Map()
  let phase = 'lobby'
  let left = 0

  function end() {
    phase = 'over'
    on.ended(match.ranking())
  }

  const match = {
    get phase() {
      return phase
    },
    /** Seconds until the end. */
    get left() {
      return left
    },
    get size() {
      return players.size
    },

    has: (id) => players.has(id),

    /** Adds a player, and returns its unique name. */
    join(id, wanted) {
      const used = [...players.values()].map(({ name }) => name)
      let name = wanted
      for (let n = 2; used.includes(name); n += 1) name = `${wanted} ${n}`
      players.set(id, { id, name, score: 0 })
      return name
    },

    /** Removes a player, and returns it if there was one. */
    leave(id) {
      const player = players.get(id)
      players.delete(id)
      if (phase === 'playing' && players.size === 0) end()
      return player
    },

    start(seconds) {
      if (phase !== 'lobby') return
      phase = 'playing'
      left = seconds
    },

    caught(id) {
      if (phase === 'playing') players.get(id).score += 1
    },

    step(seconds) {
      if (phase !== 'playing') return
      left -= seconds
      if (left <= 0) end()
    },

    score: (id) => players.get(id).score,
    ranking: () => [...players.values()].sort((a, b) => b.score - a.score),
  }
  return match
}
