import { pickRegion } from 'gameserver-sidecar/player'
import { createMatchView } from '../../star-arena/page/match-view.mjs'

/** ms that a result stays before the player is back in the lobby. */
const RESULT_MS = 5_000
/** ms that the row of a GameServer stays after its end, above the one that takes its place. */
const GONE_MS = 2_500
const RETRY_MS = 400
const MOST_DECISIONS = 100
/** The server only pretends these: it answers one later than the other. */
const REGIONS = ['Oregon', 'Frankfurt'].map((name) => ({ name, url: `regions/${name}` }))
const RUNNING = ['Ready', 'Allocated']
const ENDED = ['Shutdown', 'Unhealthy', 'Error']
const DEMO_ENDED = 'The demo has ended. Start it again and this page goes on.'

const by = (id) => document.getElementById(id)
const short = (name) => name.split('-').at(-1)
const element = (name, text, className = '') => {
  const made = document.createElement(name)
  made.textContent = text
  made.className = className
  return made
}

/** `watching`, `asking`, `playing` or `result`. */
let mode = 'watching'
/** The arena of the picture, with the player's name if it is more than watched. */
let here
let socket
let asking
/** The newest news of the lobby; undefined without a connection. */
let lobby
const rows = new Map()
/** By player: the row of the last answer without a seat. */
const unseated = new Map()
let newest = 0

const send = (message) => {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
}
const matchView = createMatchView({ send })

const handlers = {
  view(view) {
    matchView.view(view)
    showPhase()
  },
  joined(answer) {
    matchView.joined(answer)
    // The seat went to somebody else, or the match has just ended.
    if (answer.refused) play(here.player)
  },
  over({ ranking }) {
    matchView.leave()
    if (mode !== 'playing') return
    matchView.over(ranking)
    setMode('result')
    setTimeout(() => mode === 'result' && backToLobby('That was it. Another match?'), RESULT_MS)
  },
}

/** Connects to an arena: as a player, or to watch. */
function open(arena) {
  socket?.close()
  here = arena
  matchView.view({ phase: 'lobby', players: [], stars: [] })
  const own = (socket = new WebSocket(arena.url))
  own.onopen = () => arena.player && send({ type: 'join', name: arena.player })
  own.onmessage = ({ data }) => {
    const message = JSON.parse(data)
    if (own === socket) handlers[message.type]?.(message)
  }
  own.onclose = () => {
    if (own !== socket) return
    socket = here = undefined
    if (mode === 'playing')
      backToLobby('The server of your match is gone. The Fleet replaces it; press Play for another one.')
    else showArenas()
  }
}

async function play(player) {
  asking = new AbortController()
  setMode('asking')
  try {
    const response = await fetch(`play?${new URLSearchParams({ name: player })}`, {
      method: 'POST',
      signal: asking.signal,
    })
    const seat = await response.json()
    if (!response.ok) throw new Error(seat.message)
    by('result').hidden = true
    open(seat)
    setMode('playing')
  } catch (error) {
    if (error.name === 'AbortError') backToLobby('')
    else backToLobby(error instanceof TypeError ? DEMO_ENDED : error.message)
  }
}

function backToLobby(text) {
  matchView.leave()
  if (here?.player) socket.close()
  setMode('watching', text)
  by('play').focus()
}

function setMode(next, text = '') {
  mode = next
  by('result').hidden = mode !== 'result'
  by('lobby').hidden = !['watching', 'asking'].includes(mode)
  by('leave').hidden = mode !== 'playing'
  by('name').hidden = by('play').hidden = mode === 'asking'
  by('cancel').hidden = mode !== 'asking'
  if (mode === 'asking') by('cancel').focus()
  if (mode === 'playing') document.activeElement.blur()
  by('lobby').dataset.text = text
  showArenas()
}

function lobbyText() {
  if (lobby === undefined) return DEMO_ENDED
  const { arenas } = lobby
  const isFull = !arenas.some(({ state, players, seats }) => RUNNING.includes(state) && players < seats)
  if (mode === 'asking') return isFull ? 'All arenas are full. You get the next free seat.' : 'Looking for a seat …'
  if (arenas.length > 0 && !arenas.some(({ state }) => RUNNING.includes(state))) return 'The arenas start …'
  return by('lobby').dataset.text || (isFull ? 'All arenas are full.' : 'The matchmaker finds you a seat.')
}

function showPhase() {
  const { phase, left } = matchView.match
  const what = { playing: `${left} s left`, over: 'The match is over' }[phase] ?? 'Warm-up'
  const verb = here?.player ? 'You are in' : 'Watching'
  const text = mode === 'result' ? 'The match is over' : here && `${verb} ${short(here.name)} · ${what}`
  by('phase').textContent = text ?? 'No arena is open'
}

function showArenas() {
  const text = lobbyText()
  if (by('status').textContent !== text) by('status').textContent = text
  by('play').disabled = by('crowd').disabled = lobby === undefined
  if (lobby === undefined) return
  const { arenas, waiting } = lobby
  for (const arena of arenas) showArena(arena)
  for (const [name, row] of rows) if (!arenas.some((arena) => arena.name === name)) endRow(row, name)
  const count = (wanted) => arenas.filter(({ state }) => state === wanted).length
  by('summary').textContent = RUNNING.map((state) => `${count(state)} ${state}`).join(', ')
  by('waiting').textContent = waiting > 0 ? `${waiting} wait for a seat` : 'They ask the matchmaker, as you do.'
  if (socket === undefined && mode === 'watching') {
    const shown = arenas.find(({ state }) => state === 'Allocated') ?? arenas.find(({ state }) => state === 'Ready')
    if (shown !== undefined) open(shown)
  }
  showPhase()
}

function showArena({ name, state, players, seats }) {
  const row = rows.get(name) ?? addRow(name)
  const kind = ENDED.includes(state) ? 'ended' : RUNNING.includes(state) ? state.toLowerCase() : 'starting'
  row.className = `${kind}${name === here?.name && here.player ? ' here' : ''}`
  row.style.setProperty('--part', `${(100 * players) / (seats || 1)}%`)
  const [, shown, seated] = row.children
  shown.textContent = row.classList.contains('here') ? `${state}, you are here` : state
  seated.textContent = `${players} of ${seats} players`
}

/** A new arena takes its place below one that ends. */
function addRow(name) {
  const row = document.createElement('li')
  row.append(element('code', short(name)), element('span', ''), element('span', '', 'seats'))
  const ending = [...by('arenas').children].find(
    ({ className, nextElementSibling: next }) => /ended|gone/.test(className) && next?.className !== 'starting',
  )
  if (ending === undefined) by('arenas').append(row)
  else ending.after(row)
  rows.set(name, row)
  return row
}

function endRow(row, name) {
  rows.delete(name)
  row.className = 'gone'
  row.children[1].textContent = 'gone'
  setTimeout(() => row.remove(), GONE_MS)
}

function showDecisions() {
  const list = by('decisions')
  for (const { sequence, at, player = '', server, reason } of lobby.decisions) {
    if (sequence <= newest) continue
    newest = sequence
    const row = element('li', '', server === undefined ? 'trouble' : '')
    // Without the part of the names that all have.
    const text = reason.replace(/\b\S+-(?=\w+\b)/g, (start) => (server?.startsWith(start) ? '' : start))
    row.append(element('time', new Date(at).toTimeString().slice(0, 8)), element('b', player), element('span', text))
    list.prepend(row)
    // Of a player who waits, only the last answer.
    unseated.get(player)?.remove()
    if (server === undefined) unseated.set(player, row)
    else unseated.delete(player)
  }
  while (list.children.length > MOST_DECISIONS) list.lastChild.remove()
}

function follow() {
  const events = new EventSource('lobby')
  events.onmessage = ({ data }) => {
    if (lobby === undefined) newest = 0
    lobby = JSON.parse(data)
    by('dashboard').href = lobby.dashboard
    showArenas()
    showDecisions()
  }
  events.onerror = () => {
    lobby = undefined
    rows.forEach(endRow)
    showArenas()
    // It gives up for good when the demo refuses, as while it starts.
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, RETRY_MS)
  }
}

async function showRegions() {
  const [nearest, other] = await pickRegion(REGIONS)
  const away = ({ name, ms }) => `${name} ${Math.round(ms)} ms`
  by('regions').textContent = `Your nearest region: ${away(nearest)} (${away(other)}; both are pretended).`
}

by('lobby').addEventListener('submit', (event) => {
  event.preventDefault()
  play(by('name').value)
})
by('cancel').addEventListener('click', () => asking.abort())
by('leave').addEventListener('click', () => backToLobby('You have left the match.'))
by('crowd').addEventListener('click', () => fetch('crowd', { method: 'POST' }))

follow()
showRegions()
