/**
 * One match: who takes part, what counts, when it is over. It begins when the platform gives this server to
 * players, and only then do stars count; before, players can warm up. `on` is told of `ended(ranking)`.
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

    /** The name that the player gets, which nobody else has. */
    join(id, wanted) {
      const used = [...players.values()].map(({ name }) => name)
      let name = wanted
      for (let n = 2; used.includes(name); n += 1) name = `${wanted} ${n}`
      players.set(id, { id, name, score: 0 })
      return name
    },

    /** The player who has left, if it was one. */
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
