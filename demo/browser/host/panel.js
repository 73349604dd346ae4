import { showBeats } from './beats.js'
import { tellChanges } from './changes.js'

const STATES = ['Scheduled', 'RequestReady', 'Ready', 'Allocated', 'Shutdown']
const MOST_NEWS = 40
const PHASES = { lobby: 'warming up until the platform allocates this server', playing: '', over: 'over' }

const by = (id) => document.getElementById(id)

/** All text is set as text: names come from players. */
function element(name, text, className = '') {
  const made = document.createElement(name)
  made.textContent = text
  made.className = className
  return made
}

/** Everything on the page but the arena's own picture. */
export function createPanel(sidecar) {
  sidecar.on('gameserver', showGameServer)
  sidecar.on('connection', showConnection)
  sidecar.on('error', (error) => showTrouble(error.message))
  tellChanges(sidecar, showNews)
  showBeats(by('beats'), by('beat-text'), sidecar)
  showConnection()
  let shown = ''

  /** Changes the page only if there is something new: this is asked for each picture. */
  function showMatch({ phase, left, players }) {
    const now = JSON.stringify([phase, left, players.map(({ id, score }) => [id, score])])
    if (now === shown) return
    shown = now
    document.body.dataset.phase = phase
    document.body.dataset.left = left
    by('phase').textContent = PHASES[phase]
    by('left').textContent = phase === 'playing' ? `${left} s` : ''
    by('scores').replaceChildren(
      ...players.map(({ name, color, score }) => {
        const item = element('li', '')
        const dot = element('i', '')
        dot.style.background = color
        item.append(dot, element('span', name), element('b', phase === 'lobby' ? '' : String(score)))
        return item
      }),
    )
  }

  function showGameServer({ object_meta: meta, status }) {
    by('name').textContent = meta.name
    const names = STATES.includes(status.state) ? STATES : [...STATES, status.state]
    const now = names.indexOf(status.state)
    by('states').replaceChildren(
      ...names.map((name, i) => {
        const item = element('li', name, i < now ? 'past' : i === now ? 'now' : '')
        if (i === now) item.setAttribute('aria-current', 'step')
        return item
      }),
    )
    const { counters, lists } = status
    by('counters').replaceChildren(
      ...Object.entries(counters ?? {}).flatMap(([name, { count, capacity }]) => {
        const bar = element('div', '', 'bar-of')
        bar.style.setProperty('--part', Number(count) / Number(capacity))
        return [row(name, element('b', `${count} / ${capacity}`)), bar]
      }),
    )
    by('lists').replaceChildren(
      ...Object.entries(lists ?? {}).flatMap(([name, { capacity, values }]) => {
        const chips = element('ul', '', 'chips')
        chips.append(...(values ?? []).map((value) => element('li', value)))
        return [row(name, element('b', `${values?.length ?? 0} / ${capacity}`)), chips]
      }),
    )
    const metadata = Object.entries({ ...meta.labels, ...meta.annotations })
    by('metadata').replaceChildren(...metadata.flatMap(([key, value]) => [element('dt', key), element('dd', value)]))
  }

  function row(name, value) {
    const made = element('p', '', 'row')
    made.append(element('code', name), value)
    return made
  }

  function showNews(kind, text) {
    const item = element('li', '')
    const time = new Date().toTimeString().slice(0, 8)
    item.append(element('time', time), element('span', kind, 'soft'), element('span', text, kind))
    by('news').prepend(item)
    if (by('news').children.length > MOST_NEWS) by('news').lastChild.remove()
  }

  function showConnection() {
    const { connection, transport, reason } = sidecar.status
    by('connection').textContent = transport === undefined ? connection : `${connection} over ${transport}`
    by('connection').title = reason ?? ''
    by('connection').className = connection === 'connected' ? 'pill ok' : 'pill'
  }

  function showTrouble(message) {
    by('trouble').textContent = message
    by('trouble').hidden = false
  }

  return {
    showMatch,
    trouble: showTrouble,

    showRate(stepsPerSecond) {
      by('steps').textContent = `${stepsPerSecond} steps a second`
    },

    showPlayersAddress(url) {
      by('players-address').href = url
      by('players-address').textContent = url
    },

    showRanking(ranking) {
      by('ranking').replaceChildren(
        ...ranking.map(({ name, score }, i) =>
          element('li', `${i + 1}. ${name}, ${score} ${score === 1 ? 'star' : 'stars'}`),
        ),
      )
      by('winner').textContent = ranking.length === 0 ? 'Nobody is left' : `${ranking[0].name} wins`
      by('result').hidden = false
    },
  }
}
