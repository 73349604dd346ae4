import { createGameServerView } from './game-server-view.mjs'
import { createMatchView } from './match-view.mjs'

const RETRY_MS = 400

const by = (id) => document.getElementById(id)
const gameServerView = createGameServerView()
const buttons = Object.fromEntries(
  [...document.querySelectorAll('[data-action]')].map((button) => [button.dataset.action, button]),
)

let socket
/** Whether somebody wants to play, in this match or as soon as the next one takes players. */
let wantsToPlay = false
let isConnected = false
let isFrozen = false
let state
let wait

const send = (message) => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
}
const matchView = createMatchView({ send })

const handlers = {
  hello({ dashboard }) {
    by('dashboard').href = dashboard
  },
  view(view) {
    const isNew = matchView.match.phase === 'over' && view.phase === 'lobby'
    isFrozen = false
    if (isNew) startAnew()
    matchView.view(view)
    showPhase()
  },
  joined(answer) {
    matchView.joined(answer)
    if (answer.player !== undefined) by('name').blur()
  },
  over({ ranking }) {
    matchView.leave()
    matchView.over(ranking)
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
    matchView.leave()
    state = undefined
    by('phase').textContent = 'The demo has ended. Start it again and this page goes on.'
    showButtons()
    setTimeout(connect, RETRY_MS)
  }
}

/** The next game server takes players: whoever played goes on playing. */
function startAnew() {
  matchView.leave()
  wait = undefined
  by('result').hidden = true
  if (wantsToPlay) join()
}

function join() {
  wantsToPlay = true
  by('join').hidden = true
  send({ type: 'join', name: by('name').value })
}

function showPhase() {
  by('phase').textContent = phaseText()
  showButtons()
}

function phaseText() {
  const { match } = matchView
  if (state === 'Unhealthy') return 'The game hung: a new server takes its place'
  if (isFrozen) return 'Frozen: the beats have stopped'
  if (match.phase === 'playing') return `${match.left} s left`
  if (match.phase === 'over') return 'The match is over'
  return wait === undefined ? 'Warm-up' : `Warm-up: the match begins in ${wait} s`
}

function showButtons() {
  const { phase } = matchView.match
  const isRunning = ['Ready', 'Allocated'].includes(state) && phase !== 'over'
  buttons.allocate.disabled = state !== 'Ready' || !isConnected
  buttons.end.disabled = state !== 'Allocated' || phase !== 'playing' || isFrozen
  buttons.kill.disabled = !isRunning || !isConnected
  buttons.freeze.disabled = !isRunning || isFrozen
}

by('join').addEventListener('submit', (event) => {
  event.preventDefault()
  join()
})
for (const [action, button] of Object.entries(buttons)) {
  button.addEventListener('click', () => send({ type: 'action', action }))
}

connect()
