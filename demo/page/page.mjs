import { createArenaView } from './arena-view.mjs'
import { readControls } from './controls.mjs'
import { headlineOf } from './headline.mjs'
import { createSidecarView } from './sidecar-view.mjs'

const RETRY_MS = 400
const WAITING = 'You join as soon as the next game server is there …'

const by = (id) => document.getElementById(id)
const canvas = by('arena')
const KEYS = by('hint').textContent
const arena = createArenaView(canvas)
const sidecar = createSidecarView()

let socket
let self
/** The name under which somebody has asked to join, until a server has taken it. */
let wish
let match = { phase: 'waiting', players: [], stars: [] }

/** Whether there was somebody to send it to. */
const send = (message) => {
  const isOpen = socket.readyState === WebSocket.OPEN
  if (isOpen) socket.send(JSON.stringify(message))
  return isOpen
}
const controls = readControls(canvas, {
  isPlaying: () => self !== undefined,
  self: () => match.players.find(({ id }) => id === self),
  onMove: (x, y) => send({ type: 'move', x, y }),
})

const handlers = {
  match(view) {
    match = view
    controls.update()
    showScores()
  },
  joined({ id, player, refused }) {
    if (player === undefined) return match.phase === 'over' ? showHint(WAITING) : refuse(refused)
    self = id
    wish = undefined
    showHint(KEYS)
    by('join').hidden = by('ranking').hidden = true
    by('name').blur()
  },
  over({ ranking }) {
    self = undefined
    controls.reset()
    showRanking(ranking)
  },
  gameserver: ({ gameServer }) => sidecar.gameServer(gameServer),
  beat: sidecar.beat,
  news: ({ news }) => sidecar.news(news),
}

/** One game server after the other: when one has ended, the next one has the same address. */
function connect() {
  socket = new WebSocket(location.href.replace(/^http/, 'ws'))
  socket.onopen = () => {
    sidecar.reset()
    by('away').hidden = true
    if (wish !== undefined) join(wish)
  }
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data)
    handlers[message.type]?.(message)
  }
  socket.onclose = () => {
    self = undefined
    controls.reset()
    // A result stays to be read; otherwise say what is going on.
    by('away').hidden = !by('ranking').hidden
    by('join').hidden = false
    setTimeout(connect, RETRY_MS)
  }
}

function showScores() {
  const ranked = [...match.players].sort((a, b) => b.score - a.score)
  by('scores').replaceChildren(
    ...ranked.map(({ id, name, color, score }) => {
      const item = document.createElement('li')
      const dot = document.createElement('i')
      dot.style.background = color
      item.append(dot, `${name} ${score}`)
      item.classList.toggle('self', id === self)
      return item
    }),
  )
  by('left').textContent = match.phase === 'waiting' ? 'waiting for players' : `${match.left} s`
}

function showRanking(ranking) {
  by('headline').textContent = headlineOf(ranking)
  by('ranking').replaceChildren(
    ...ranking.map(({ name, score }, i) => {
      const item = document.createElement('li')
      item.textContent = `${i + 1}. ${name}, ${score} ${score === 1 ? 'star' : 'stars'}`
      return item
    }),
  )
  by('ranking').hidden = false
  by('enter').textContent = 'Play again'
  by('join').hidden = false
}

function showHint(text) {
  by('hint').textContent = text
}

/** Joins now, or as soon as there is a server that takes players. */
function join(name) {
  wish = name
  if (!send({ type: 'join', name })) showHint(WAITING)
}

function refuse(reason) {
  wish = undefined
  showHint(reason)
}

by('join').addEventListener('submit', (event) => {
  event.preventDefault()
  join(by('name').value)
})

function draw(time) {
  arena.draw(match, self, time)
  requestAnimationFrame(draw)
}
requestAnimationFrame(draw)
connect()
