/**
 * A player's page: it shows what the game server says and sends where the player wants to go. It has no
 * sidecar and can't reach one. With `?bot=NAME` it plays by itself.
 */
import { createArenaView } from './arena-view.mjs'
import { readControls } from './controls.mjs'
import { nearest } from './nearest.mjs'

const RETRY_MS = 500
const bot = new URLSearchParams(location.search).get('bot')

const by = (id) => document.getElementById(id)
const canvas = by('arena')
const arena = createArenaView(canvas)

let socket
let self
let picture = { phase: 'lobby', players: [], stars: [] }

const me = () => picture.players.find(({ id }) => id === self)
const send = (message) => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
}
const controls = readControls(canvas, {
  isPlaying: () => self !== undefined,
  self: me,
  onMove: (x, y) => send({ type: 'move', x, y }),
})

const handlers = {
  /** From the relay: whether there is a game server at all. */
  server({ present }) {
    by('enter').disabled = !present
    by('notice').textContent = present ? '' : 'Waiting for a game server …'
    if (!present) leaveMatch()
    else if (bot !== null) send({ type: 'join', name: bot })
  },
  joined({ id }) {
    self = id
    by('join').hidden = by('ranking').hidden = true
    by('name').blur()
  },
  refused({ reason }) {
    by('notice').textContent = reason
  },
  picture(next) {
    picture = next
    if (bot === null) controls.update()
    else playAsBot()
    showMatch()
  },
  over({ ranking }) {
    leaveMatch()
    by('headline').textContent = ranking.length === 0 ? 'Nobody is left' : `${ranking[0].name} wins`
    by('ranking').replaceChildren(
      ...ranking.map(({ name, score }, i) => {
        const item = document.createElement('li')
        item.textContent = `${i + 1}. ${name}, ${score} ${score === 1 ? 'star' : 'stars'}`
        return item
      }),
    )
    by('ranking').hidden = false
    by('enter').textContent = 'Play again'
  },
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/`)
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data)
    handlers[message.type]?.(message)
  }
  socket.onclose = () => {
    handlers.server({ present: false })
    setTimeout(connect, RETRY_MS)
  }
}

function leaveMatch() {
  self = undefined
  controls.reset()
  by('join').hidden = false
}

/** Runs for the nearest star, and rather for one that nobody else is nearer to. */
function playAsBot() {
  const player = me()
  if (player === undefined) return
  const { stars, players } = picture
  const own = stars.filter((star) => nearest(star, players).id === self)
  const { x, y } = nearest(player, own) ?? nearest(player, stars)
  send({ type: 'move', x: x - player.x, y: y - player.y })
}

function showMatch() {
  const { phase, left, players } = picture
  by('phase').textContent = phase === 'lobby' && self !== undefined ? 'warming up, the match has not begun' : ''
  by('left').textContent = phase === 'playing' ? `${left} s` : ''
  by('scores').replaceChildren(
    ...players.map(({ id, name, color, score }) => {
      const item = document.createElement('li')
      const dot = document.createElement('i')
      dot.style.background = color
      item.append(dot, phase === 'lobby' ? name : `${name} ${score}`)
      item.classList.toggle('self', id === self)
      return item
    }),
  )
}

by('join').addEventListener('submit', (event) => {
  event.preventDefault()
  send({ type: 'join', name: by('name').value })
})

function draw(time) {
  arena.draw(picture, self, time)
  requestAnimationFrame(draw)
}
requestAnimationFrame(draw)
connect()
