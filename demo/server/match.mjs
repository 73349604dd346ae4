import { createArena } from './arena.mjs'

/**
 * One match: begins with the first player, ends with the time or when the last player has left. `on` is told of
 * `started()`, `joined(player)`, `left(player)` and `ended(ranking)`.
 */
export function createMatch({ seconds, capacity, on }) {
  const arena = createArena()
  let phase = 'waiting'
  let left = seconds

  function end() {
    phase = 'over'
    on.ended(arena.ranking())
  }

  return {
    /** The new player, or in a sentence why there is none. */
    join(id, name) {
      if (phase === 'over') return { refused: 'This match is over.' }
      if (arena.count >= capacity()) return { refused: 'This match is full.' }
      const player = arena.join(id, name)
      if (phase === 'waiting') {
        phase = 'playing'
        on.started()
      }
      on.joined(player)
      return { player }
    },

    leave(id) {
      const player = arena.leave(id)
      if (player === undefined || phase === 'over') return
      on.left(player)
      if (arena.count === 0) end()
    },

    steer: arena.steer,

    step(duration) {
      if (phase !== 'playing') return
      arena.step(duration)
      left -= duration
      if (left <= 0) end()
    },

    view: () => ({ phase, left: Math.max(0, Math.ceil(left)), ...arena.view() }),
  }
}
