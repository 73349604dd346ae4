import { createArenaView, readControls } from '../../shared/arena-view.mjs'
import { headlineOf } from '../../shared/scoring.mjs'

const HINT = 'Arrow keys or W A S D, or hold the pointer where you want to go'

const by = (id) => document.getElementById(id)

/** Shows a match with its scores and result, and steers the own player. The pages of both demos use it. */
export function createMatchView({ send }) {
  const canvas = by('arena')
  const arena = createArenaView(canvas)
  let self
  let match = { phase: 'lobby', players: [], stars: [] }

  const controls = readControls(canvas, {
    isPlaying: () => self !== undefined,
    self: () => match.players.find(({ id }) => id === self),
    onMove(x, y) {
      showHint('')
      send({ type: 'move', x, y })
    },
  })

  function showHint(text) {
    by('hint').textContent = text
    by('hint').hidden = text === ''
  }

  function showScores() {
    const ranked = [...match.players].sort((a, b) => b.score - a.score)
    by('scores').replaceChildren(
      ...ranked.map(({ id, name, color, isBot, score }) => {
        const item = document.createElement('li')
        const dot = document.createElement('i')
        const points = document.createElement('b')
        dot.style.background = color
        points.textContent = match.phase === 'lobby' ? '' : score
        item.append(dot, isBot ? `${name} (bot) ` : `${name} `, points)
        item.classList.toggle('self', id === self)
        return item
      }),
    )
  }

  function draw(time) {
    arena.draw(match, self, time)
    requestAnimationFrame(draw)
  }
  requestAnimationFrame(draw)

  return {
    get match() {
      return match
    },
    view(next) {
      match = next
      controls.update()
      showScores()
    },
    /** The own player is in, or was refused. */
    joined({ id, player, refused }) {
      showHint(player === undefined ? refused : HINT)
      if (player !== undefined) self = id
    },
    over(ranking) {
      by('headline').textContent = headlineOf(ranking)
      by('ranking').replaceChildren(...ranking.slice(0, 4).map(resultOf))
      by('result').hidden = false
    },
    leave() {
      self = undefined
      controls.reset()
      showHint('')
    },
  }
}

function resultOf({ name, score }) {
  const item = document.createElement('li')
  item.textContent = `${name}: ${score} ${score === 1 ? 'star' : 'stars'}`
  return item
}
