/**
 * A player's page: it shows what the game server says and sends where the player wants to go. All it needs is
 * a WebSocket. With `?bot=NAME` it plays by itself.
 */
import { createArenaView, readControls } from './arena-view.mjs'
import { headlineOf, nearest } from './scoring.mjs'

const RETRY_MS = 500

const bot = new URLSearchParams(location.search).get('bot')
const JOINING = 'You join as soon as the next game server is there …'
const WAITING = 'Waiting for a game server …'
/** How a connection may end that was open. */
const ENDS = {
  1001: 'The game server has stopped. Waiting for the next one …',
  1011: 'The game server has failed. Waiting for the next one …',
  1012: 'The game server has failed. Waiting for the next one …',
}
const PHASES = { lobby: 'Warm-up: the match begins when the platform allocates this server', over: 'The match is over' }

const by = (id) => document.getElementById(id)
const canvas = by('arena')
const arena = createArenaView(canvas)

const NOTHING = { phase: 'none', players: [], stars: [] }

let self
/** The name of a visitor who asked to join, until a server accepts it. */
let wish
let picture = NOTHING

const me = () => picture.players.find(({ id }) => id === self)
const server = connectToServer({
  open() {
    by('notice').textContent = ''
    if (bot !== null) join(bot)
    else if (wish !== undefined) join(wish)
  },
  message: (message) => handlers[message.type]?.(message),
  close(code) {
    // A refused connection tells nothing new, so the last message stays.
    if (wish !== undefined) by('notice').textContent = JOINING
    else if (code !== undefined || by('notice').textContent === '') by('notice').textContent = ENDS[code] ?? WAITING
    picture = NOTHING
    showServer({})
    showMatch()
    leaveMatch()
  },
})
const controls = readControls(canvas, {
  isPlaying: () => self !== undefined,
  self: me,
  onMove: (x, y) => server.send({ type: 'move', x, y }),
})

const handlers = {
  server: showServer,
  joined({ id }) {
    self = id
    wish = undefined
    by('join').hidden = by('ranking').hidden = true
    by('name').blur()
  },
  refused({ reason }) {
    if (picture.phase === 'over') return
    wish = undefined
    by('notice').textContent = reason
  },
  picture(next) {
    picture = next
    if (bot === null) controls.update()
    else playAsBot()
    showMatch()
  },
  stopped() {
    by('headline').textContent = 'The match was ended early'
    by('ranking').hidden = true
    leaveMatch()
  },
  over({ ranking }) {
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
    leaveMatch()
  },
}

/** Joins now, or as soon as a server accepts players. */
function join(name) {
  wish = name
  const isSent = server.send({ type: 'join', name })
  if (!isSent || picture.phase === 'over') by('notice').textContent = JOINING
}

function leaveMatch() {
  self = undefined
  controls.reset()
  by('join').hidden = false
}

/** Runs for the nearest star, and prefers stars to which no other player is nearer. */
function playAsBot() {
  const player = me()
  if (player === undefined) return
  const { stars, players } = picture
  const own = stars.filter((star) => nearest(star, players).id === self)
  const { x, y } = nearest(player, own) ?? nearest(player, stars)
  server.send({ type: 'move', x: x - player.x, y: y - player.y })
}

/** What the game server has said of itself. */
function showServer({ name = '', state = '' }) {
  by('server').textContent = name
  by('state').textContent = state
  by('state').hidden = state === ''
  by('state').dataset.state = state
}

function showMatch() {
  const { phase, left, players } = picture
  document.body.dataset.phase = phase
  document.body.dataset.left = left
  by('phase').textContent = PHASES[phase] ?? ''
  by('left').textContent = phase === 'playing' ? `${left} s` : ''
  by('scores').replaceChildren(
    ...players.map(({ id, name, color, score }) => {
      const item = document.createElement('li')
      const dot = document.createElement('i')
      const points = document.createElement('b')
      dot.style.background = color
      points.textContent = phase === 'lobby' ? '' : String(score)
      item.append(dot, name, points)
      item.classList.toggle('self', id === self)
      return item
    }),
  )
}

by('join').addEventListener('submit', (event) => {
  event.preventDefault()
  join(by('name').value)
})

function draw(time) {
  arena.draw(picture, self, time)
  requestAnimationFrame(draw)
}
requestAnimationFrame(draw)

/**
 * A connection to the present game server. When it ends, connects to the next one. The address comes from
 * `?server=ws://ADDRESS`, or else from the matchmaker.
 *
 * It calls `on.open()`, `on.message(message)` and `on.close(code)`. The code is undefined if there was no server.
 */
function connectToServer(on) {
  const given = new URLSearchParams(location.search).get('server')
  let socket

  async function matchmaker() {
    const response = await fetch('server')
    return (await response.json()).address
  }

  async function connect() {
    const address = given ?? (await matchmaker().catch(() => undefined))
    if (address === undefined) return retry(undefined)
    let wasOpen = false
    socket = new WebSocket(address)
    socket.onopen = () => {
      wasOpen = true
      on.open()
    }
    socket.onmessage = ({ data }) => on.message(JSON.parse(data))
    socket.onclose = ({ code }) => retry(wasOpen ? code : undefined)
  }

  function retry(code) {
    on.close(code)
    setTimeout(connect, RETRY_MS)
  }

  void connect()
  return {
    /** Sends a message. Returns whether a server is connected. */
    send(message) {
      const isOpen = socket?.readyState === WebSocket.OPEN
      if (isOpen) socket.send(JSON.stringify(message))
      return isOpen
    },
  }
}
