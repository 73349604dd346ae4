import { createArenaView, readControls } from '../../shared/arena-view.mjs'
import { headlineOf } from '../../shared/scoring.mjs'
import { createGameServerView } from './game-server-view.mjs'

const RETRY_MS = 400
const HINT = 'Arrow keys or W A S D, or hold the pointer where you want to go'

const by = (id) => document.getElementById(id)
const canvas = by('arena')
const arena = createArenaView(canvas)
const gameServerView = createGameServerView()
const buttons = Object.fromEntries(
  [...document.querySelectorAll('[data-action]')].map((button) => [button.dataset.action, button]),
)

let socket
let self
/** Whether somebody wants to play, in this match or as soon as the next one takes players. */
let wantsToPlay = false
let isConnected = false
let isFrozen = false
let state
let wait
let match = { phase: 'lobby', players: [], stars: [] }

const send = (message) => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
}
const controls = readControls(canvas, {
  isPlaying: () => self !== undefined,
  self: () => match.players.find(({ id }) => id === self),
  onMove(x, y) {
    showHint('')
    send({ type: 'move', x, y })
  },
})

const handlers = {
  hello({ dashboard }) {
    by('dashboard').href = dashboard
  },
  view(view) {
    const isNew = match.phase === 'over' && view.phase === 'lobby'
    match = view
    isFrozen = false
    if (isNew) startAnew()
    controls.update()
    showScores()
    showPhase()
  },
  joined({ id, player, refused }) {
    showHint(player === undefined ? refused : HINT)
    if (player === undefined) return
    self = id
    by('name').blur()
  },
  over({ ranking }) {
    leaveMatch()
    by('headline').textContent = headlineOf(ranking)
    by('ranking').replaceChildren(...ranking.slice(0, 4).map(resultOf))
    by('result').hidden = false
  },
  matchmaker(message) {
    wait = message.wait
    showPhase()
  },
  gameserver({ gameServer }) {
    const isNew = state === 'Unhealthy' && gameServer.status.state !== state
    state = gameServer.status.state
    if (isNew) startAnew()
    gameServerView.gameServer(gameServer)
    showPhase()
  },
  connection(message) {
    isConnected = message.state === 'connected'
    gameServerView.connection(isConnected)
    showPhase()
  },
  beat(beat) {
    isFrozen = beat.ok === false && isConnected
    gameServerView.beat(beat)
    showPhase()
  },
  news: ({ news }) => gameServerView.news(news),
}

function connect() {
  socket = new WebSocket(location.href.replace(/^http/, 'ws'))
  socket.onopen = () => {
    isConnected = true
    gameServerView.reset()
    startAnew()
  }
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data)
    handlers[message.type]?.(message)
  }
  socket.onclose = () => {
    leaveMatch()
    state = undefined
    by('phase').textContent = 'The demo has ended. Start it again and this page goes on.'
    showButtons()
    setTimeout(connect, RETRY_MS)
  }
}

/** The next game server takes players: whoever played goes on playing. */
function startAnew() {
  leaveMatch()
  wait = undefined
  by('result').hidden = true
  if (wantsToPlay) join()
}

function leaveMatch() {
  self = undefined
  controls.reset()
  showHint('')
}

function join() {
  wantsToPlay = true
  by('join').hidden = true
  send({ type: 'join', name: by('name').value })
}

function showHint(text) {
  by('hint').textContent = text
  by('hint').hidden = text === ''
}

function showPhase() {
  by('phase').textContent = phaseText()
  showButtons()
}

function phaseText() {
  if (state === 'Unhealthy') return 'The game hung: a new server takes its place'
  if (isFrozen) return 'Frozen: the beats have stopped'
  if (match.phase === 'playing') return `${match.left} s left`
  if (match.phase === 'over') return 'The match is over'
  return wait === undefined ? 'Warm-up' : `Warm-up: the match begins in ${wait} s`
}

function showButtons() {
  const isRunning = ['Ready', 'Allocated'].includes(state) && match.phase !== 'over'
  buttons.allocate.disabled = state !== 'Ready' || !isConnected
  buttons.end.disabled = state !== 'Allocated' || match.phase !== 'playing' || isFrozen
  buttons.kill.disabled = !isRunning || !isConnected
  buttons.freeze.disabled = !isRunning || isFrozen
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

function resultOf({ name, score }) {
  const item = document.createElement('li')
  item.textContent = `${name}: ${score} ${score === 1 ? 'star' : 'stars'}`
  return item
}

by('join').addEventListener('submit', (event) => {
  event.preventDefault()
  join()
})
for (const [action, button] of Object.entries(buttons)) {
  button.addEventListener('click', () => send({ type: 'action', action }))
}

function draw(time) {
  arena.draw(match, self, time)
  requestAnimationFrame(draw)
}
requestAnimationFrame(draw)
connect()
